import { assertEquals } from "@std/assert";
import { ran } from "./ran.ts";

// An object allocated in the old generation, with everything it references, stays until the whole heap is collected: a
// function written directly into a property did that to every request (docs/performance.md).
Deno.test("the objects of a request are allocated in the young generation", async () => {
  const flags = ["--allow-natives-syntax", "--min-semi-space-size=64"];
  assertEquals(await ran<string[]>("generation_program.ts", ...flags), []);
});
