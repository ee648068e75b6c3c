/** The page has the results from `deno task test:field`. */
import { assertEquals } from "@std/assert";
import { withResults } from "./support/page.ts";
import { programs } from "./support/run_program.ts";
import recorded from "./results.json" with { type: "json" };

Deno.test("docs/ecosystem.md has the recorded results", async () => {
  const page = await Deno.readTextFile(new URL("../../docs/ecosystem.md", import.meta.url));
  const expected = withResults(page, recorded, await programs());
  assertEquals(page, expected, "write it with deno task test:field --record");
});
