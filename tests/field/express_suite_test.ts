/** Express's own suite, on Sluice as npm installs it, on each runtime; `deno task test:express` runs it alone. */
import { assertEquals } from "@std/assert";
import { RUNTIMES } from "../../reliability/support/children.ts";
import { ExpressSuite } from "./express_suite/run_express_suite.ts";

Deno.test("Express's own suite fails on Sluice only where failing.ts says so", async (t) => {
  await using suite = await ExpressSuite.prepare();
  for (const runtime of RUNTIMES) {
    await t.step(`on ${runtime}`, async () => {
      const { unexpected } = await suite.on(runtime);
      assertEquals(unexpected, [], unexpected.join("\n"));
    });
  }
});
