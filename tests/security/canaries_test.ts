/** No secret from a request reappears in a log line, a response or a span. */
import { assertEquals } from "@std/assert";
import { Child, commandOf, RUNTIMES } from "../../reliability/support/children.ts";

const SEED = 64;
const COUNT = 1500;

for (const runtime of RUNTIMES) {
  Deno.test(`on ${runtime}, none of ${COUNT} canaries is in a line of a log, a response or a span`, async () => {
    const command = await commandOf(runtime, "tests/security/support/canaries_program.ts");
    await using child = Child.start([...command, String(SEED), String(COUNT)]);
    const { count, leaks } = JSON.parse(await child.line());
    assertEquals([count, leaks], [COUNT, []]);
  });
}
