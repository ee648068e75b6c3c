/** Returned responses that no runtime can send: error handlers get an error, and the client gets a 500. */
import { assertEquals } from "@std/assert";
import { fileURLToPath } from "node:url";
import { LISTENING_RUNTIMES } from "../support/listening_runtimes.ts";
import { PATIENCE_MS } from "../support/patience.ts";

for (const { name, ignore, command } of LISTENING_RUNTIMES) {
  Deno.test(
    `${name}: a returned Response that cannot be sent is a 500 through error handlers`,
    { ignore },
    async () => {
      const [program, ...args] = await command("tests/fixtures/unsendable_responses.ts");
      const { stdout } = await new Deno.Command(program, {
        args,
        cwd: fileURLToPath(new URL("../../", import.meta.url)),
        stderr: "inherit",
        signal: AbortSignal.timeout(PATIENCE_MS),
      }).output();
      const outcomes = new TextDecoder().decode(stdout).trim().split("\n").map((line) => JSON.parse(line));
      assertEquals(outcomes.length, 9 * 4 + 1);
      // a null body has no bytes to send
      assertEquals(outcomes.pop(), { name: "none", status: 200, handled: 0, reports: [] });
      for (const { name, ...outcome } of outcomes) {
        assertEquals({ name, ...outcome }, { name, status: 500, handled: 1, reports: ["handler TypeError"] });
      }
    },
  );
}
