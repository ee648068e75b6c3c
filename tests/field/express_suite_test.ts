/**
 * Express's own suites, on `@sluice/express` as npm installs it, on each runtime; `deno task test:express` runs only
 * these.
 */
import { assertEquals } from "@std/assert";
import { RUNTIMES } from "../../reliability/support/children.ts";
import { ExpressSuite } from "./express_suite/run_express_suite.ts";
import { MAJORS } from "./express_suite/suite.ts";

for (const major of MAJORS) {
  Deno.test(`the suite of Express ${major} fails on @sluice/express only where failing.ts says so`, async (t) => {
    await using suite = await ExpressSuite.prepare(major);
    for (const runtime of RUNTIMES) {
      await t.step(`on ${runtime}`, async () => {
        const { unexpected } = await suite.on(runtime);
        assertEquals(unexpected, [], unexpected.join("\n"));
      });
    }
  });
}
