import { assertEquals } from "@std/assert";
import { ran } from "./ran.ts";

// What is allocated in the old generation stays until all of the heap is collected, and with it whatever it points to:
// a function that is written right into a property did that to every request (docs/performance.md).
Deno.test("what a request makes begins in the young generation", async () => {
  const flags = ["--allow-natives-syntax", "--min-semi-space-size=64"];
  assertEquals(await ran<string[]>("generation_program.ts", ...flags), []);
});
