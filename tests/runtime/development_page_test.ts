/** The error page in development, on every runtime used for development. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { run } from "../../scripts/process.ts";
import { LISTENING_RUNTIMES } from "../support/listening_runtimes.ts";
import { packageFlags } from "../support/node_program.ts";
import { PATIENCE_MS } from "../support/patience.ts";

const PROGRAM = "tests/fixtures/development_page.ts";

async function pagesOf(program: string, ...args: string[]): Promise<[error: string, notFound: string]> {
  const { code, output } = await run(program, args, { limitMs: PATIENCE_MS, quiet: true });
  assertEquals(code, 0, output);
  return JSON.parse(output.slice(output.indexOf("[")).split("\n")[0]!);
}

for (const { name, ignore, command } of LISTENING_RUNTIMES) {
  Deno.test(`on ${name}, the page of an error in development shows the line that threw`, { ignore }, async () => {
    const [error, notFound] = await pagesOf(...await command(PROGRAM));
    assertMatch(error, /<mark> *\d+ +throw new Error\(&quot;this line is shown&quot;\);<\/mark>/);
    assertStringIncludes(error, "<code>GET /users/:id</code>");
    assertStringIncludes(notFound, "<li><code>GET /users/:id</code></li>");
  });
}

Deno.test("on Deno, sources that a program may not read are left out of the page", async () => {
  const flags = await packageFlags("development_page_unread");
  const args = ["run", "--quiet", "--allow-env", ...flags, PROGRAM];
  const [error] = await pagesOf(Deno.execPath(), ...args);
  assertStringIncludes(error, "Error: this line is shown");
  assert(!error.includes("<mark>"), error);
});
