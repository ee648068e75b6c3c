/** The channel where Express 5.3 publishes handler calls, on every runtime with Node's channels. */
import { assertEquals } from "@std/assert";
import { fileURLToPath } from "node:url";
import { LISTENING_RUNTIMES } from "../support/listening_runtimes.ts";
import { PATIENCE_MS } from "../support/patience.ts";

for (const { name, ignore, command } of LISTENING_RUNTIMES) {
  Deno.test(`${name}: who subscribes to express.router.request gets the calls of handlers`, { ignore }, async () => {
    const [program, ...args] = await command("tests/fixtures/handler_channel.ts");
    const { stdout } = await new Deno.Command(program, {
      args,
      cwd: fileURLToPath(new URL("../../", import.meta.url)),
      stderr: "inherit",
      signal: AbortSignal.timeout(PATIENCE_MS),
    }).output();
    assertEquals(JSON.parse(new TextDecoder().decode(stdout)), [
      "start /users/7 router router /users",
      "start /users/7 user user /:id",
      "end /users/7 user user /:id",
      "end /users/7 router router /users",
      "asyncStart /users/7 user user /:id",
      "asyncEnd /users/7 user user /:id",
      "start /users/0 router router /users",
      "start /users/0 user user /:id",
      "end /users/0 user user /:id",
      "end /users/0 router router /users",
      "error /users/0 user user /:id nobody",
      "asyncStart /users/0 user user /:id nobody",
      "asyncEnd /users/0 user user /:id nobody",
    ]);
  });
}
