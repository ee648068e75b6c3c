/** The content type next to a `Transfer-Encoding` set by the program, on every runtime with its own server. */
import { assertEquals } from "@std/assert";
import { fileURLToPath } from "node:url";
import { LISTENING_RUNTIMES } from "../support/listening_runtimes.ts";
import { PATIENCE_MS } from "../support/patience.ts";

for (const { name, ignore, command } of LISTENING_RUNTIMES) {
  Deno.test(`${name}: a body beside Transfer-Encoding gets no content type by itself`, { ignore }, async () => {
    const [program, ...args] = await command("tests/fixtures/chunked_types.ts");
    const { stdout } = await new Deno.Command(program, {
      args,
      cwd: fileURLToPath(new URL("../../", import.meta.url)),
      stderr: "inherit",
      signal: AbortSignal.timeout(PATIENCE_MS),
    }).output();
    assertEquals(JSON.parse(new TextDecoder().decode(stdout)), {
      "end with text": "null text",
      "end with bytes": "null text",
      "end after writeHead": "null text",
      "end without a body": "null ",
      "write": "null text",
      "send text": "text/html; charset=utf-8 text",
      "send without a type": "null text",
      "json": 'application/json; charset=utf-8 "text"',
    });
  });
}
