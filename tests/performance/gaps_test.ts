import { assertEquals } from "@std/assert";
import { ran } from "./ran.ts";

Deno.test("a form of nested sparse lists is parsed in a process with little memory", async () => {
  assertEquals(await ran("gaps_program.ts", "--max-old-space-size=64"), 1000);
});
