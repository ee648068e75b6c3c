import { assertEquals } from "@std/assert";
import { runProgram } from "./run_program.ts";

Deno.test("a form of nested sparse lists is parsed in a process with little memory", async () => {
  assertEquals(await runProgram("sparse_lists_program.ts", "--max-old-space-size=64"), 1000);
});
