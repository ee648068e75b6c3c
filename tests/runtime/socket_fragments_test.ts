/** Messages with endless fragments, on runtimes that count them while they arrive. */
import { assert, assertEquals } from "@std/assert";
import { bundled } from "../contracts/bundled.ts";
import { closeOf, OPCODE } from "../contracts/frame.ts";
import { RawSocket } from "../contracts/raw_socket.ts";
import { type Serving, startServing } from "../contracts/serving.ts";
import { SocketClient } from "../contracts/socket_client.ts";
import { packageFlags, skipNode } from "../support/node_program.ts";

const runtimes = Deno.env.get("SLUICE_RUNTIMES");
const MEBIBYTE = 1024 * 1024;

function serves(name: string, ignore: boolean, start: () => Promise<Serving>): void {
  const test = (sentence: string, body: (origin: string) => Promise<void>): void =>
    Deno.test(`on ${name}, ${sentence}`, { ignore }, async () => {
      const { origin, stop } = await start();
      await body(origin).finally(stop);
    });

  test("a message whose fragments never end is refused while it arrives", async (origin) => {
    using socket = await RawSocket.open(origin, "/");
    let sent = 0;
    const answered = socket.next();
    const sending = (async () => {
      for (; sent < 64; sent++) {
        const opcode = sent === 0 ? OPCODE.binary : OPCODE.more;
        await socket.send(opcode, new Uint8Array(MEBIBYTE), { fin: false });
        // gives the response time to arrive
        await fetch(origin).then((response) => response.body?.cancel());
      }
    })();
    // the server ends the connection
    sending.catch(() => {});
    assertEquals(closeOf(await answered)?.[0], 1009);
    assert(sent < 8, `${sent} MiB were taken`);
  });

  test("a route of a mounted router may allow longer messages than the others", async (origin) => {
    const client = new SocketClient(origin, "/below/large");
    assertEquals(await client.say(new Uint8Array(2 * MEBIBYTE)), String(2 * MEBIBYTE));
    await client.send(new Uint8Array(2 * MEBIBYTE + 1));
    assertEquals((await client.closed).code, 1009);
    const other = new SocketClient(origin, "/");
    await other.send(new Uint8Array(MEBIBYTE + 1));
    assertEquals((await other.closed).code, 1009);
  });
}

serves("Node", skipNode, async () => {
  return startServing("node", [await bundled("tests/fixtures/socket_limits_node.ts", "deno")]);
});
serves("Deno with a server of node:http", false, async () => {
  const flags = ["run", "-A", "--quiet", ...await packageFlags("socket_limits_http")];
  return startServing(Deno.execPath(), [...flags, "tests/fixtures/socket_limits_http.ts"]);
});
serves("Bun", runtimes === undefined, async () => {
  return startServing(`${runtimes}node_modules/.bin/bun`, [await bundled("tests/fixtures/socket_limits_bun.ts")]);
});
