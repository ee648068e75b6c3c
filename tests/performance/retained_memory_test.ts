import { assertEquals } from "@std/assert";
import { runProgram } from "./run_program.ts";

Deno.test("100 000 requests leave nothing behind, whatever they ask for, nor do sockets, uploads and replaced routers", async () => {
  assertEquals(await runProgram("retained_memory_program.ts", "--expose-gc"), {
    "parameters and queries": "little",
    "many routes": "little",
    "paths without a route": "little",
    "errors": "little",
    "bodies": "little",
    "routers that were replaced": "little",
    "uploads whose clients have vanished": "little",
    "sockets whose clients have vanished": "little",
  });
});
