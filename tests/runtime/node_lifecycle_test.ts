import { assertEquals } from "@std/assert";
import { bundleForNode, skipNode } from "../support/node_program.ts";

/** What a scenario of listening and closing saw under Node. */
async function scenario(name: string): Promise<unknown> {
  const { success, stdout, stderr } = await new Deno.Command("node", {
    args: [await bundleForNode("tests/fixtures/node/lifecycle.ts"), name],
    env: { NODE_ENV: "production" },
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return JSON.parse(new TextDecoder().decode(stdout)).result;
}

const SCENARIOS: readonly [string, string, unknown][] = [
  [
    "listen serves, close ends it, and both work again",
    "again",
    [null, "served", "127.0.0.1", null, "refused", "served", "127.0.0.1", null, "refused"],
  ],
  ["a free port is known at once where no host name is given", "atOnce", [true, "served"]],
  ["the timeouts of a server are Node's, and can be set", "timeouts", [
    5000,
    60_000,
    300_000,
    0,
    "timeout=65",
    66_000,
    0,
    500_000,
  ]],
  ["the limits of a server are Node's, and can be set; it counts its connections", "limits", [
    null,
    0,
    "keep-alive",
    1,
    "dropped",
    "close",
    50,
  ]],
  ["what is given a server for its other events has those of Node's", "given", [
    true,
    1,
    "served",
    "taken",
    "theirs",
    true,
    true,
  ]],
  ["a server is shut down as one of Node's", "shutDown", [true, false, 503, null]],
  ["the port is free as soon as close was called", "samePort", ["served", "served"]],
  ["close answers what is in flight, and says that the connection closes", "inFlight", ["answered", "close"]],
  ["close with a deadline cuts what does not end", "deadline", [503, "Service Unavailable", "cut"]],
  [
    "a taken port goes to the callback or listener, or rejects server.finished where there is none",
    "taken",
    ["EADDRINUSE", "EADDRINUSE", "EADDRINUSE", null],
  ],
  ["a certificate brings HTTP/2, and HTTP/1.1 beside it", "http2", ["h2 POST hello", "two cookies: 2", "1.1 hello"]],
  ["close closes the sockets of the application and of those mounted in it with 1001", "sockets", [null, [
    1001,
    1001,
    1001,
  ]]],
  ["all sockets have been told that they are closed when close is done", "toldSockets", 50],
  ["an application listens twice, and goes on by one server when the other is closed", "twice", [
    1001,
    "refused",
    null,
    1001,
  ]],
  ["close closes the sockets on a server of one's own too, as often as it is called", "ownSockets", [1001, 1001]],
  ["what would become a socket while the server closes is refused", "lateSocket", "HTTP/1.1 503 Service Unavailable"],
  ["a client that resets its connection in mid-handshake ends nothing but that", "resetHandshake", 1001],
  [
    "close with a deadline cuts sockets that do not answer, and answers who waits to become one",
    "cutSockets",
    [null, "HTTP/1.1 503 Service Unavailable", true],
  ],
  [
    "close with a deadline answers a handshake that waits behind another request",
    "cutPipelined",
    [null, ["HTTP/1.1 503", "HTTP/1.1 503"]],
  ],
  ["close lets a client take the whole of an answer it is reading", "download", true],
  [
    "over HTTP/2, close with a deadline ends although a client holds its upload open or reads nothing",
    "slowClients",
    ["https:", null, "https:", null],
  ],
  ["an abort signal closes the server", "abort", null],
  [
    "a server listens when its port is known: at once, but for a host name that is looked up",
    "bound",
    [true, true, true, false, true, true],
  ],
  ["settings come from NODE_ENV and the working directory", "settings", ["production", true]],
];

for (const [name, key, seen] of SCENARIOS) {
  Deno.test(`on Node, ${name}`, { ignore: skipNode }, async () => {
    assertEquals(await scenario(key), seen);
  });
}
