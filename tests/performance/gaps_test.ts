import { assertEquals } from "@std/assert";
import { ran } from "./ran.ts";

Deno.test("a form of lists in lists with gaps in them is read in a process that has little memory", async () => {
  assertEquals(await ran("gaps_program.ts", "--max-old-space-size=64"), 1000);
});
