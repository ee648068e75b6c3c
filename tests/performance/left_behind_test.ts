import { assertEquals } from "@std/assert";
import { ran } from "./ran.ts";

/** Bytes for each request that are too few for anything to be kept of it. */
const AT_MOST = 3;
const REQUESTS = 50_000;

Deno.test("100 000 requests leave nothing behind, whatever they ask for", async () => {
  const left = await ran<Record<string, number>>("left_behind_program.ts", "--expose-gc");
  assertEquals(Object.keys(left).length, 5);
  assertEquals(Object.entries(left).filter(([_, bytes]) => bytes > AT_MOST * REQUESTS), []);
});
