import { assertEquals } from "@std/assert";
import { bundleForNode, skipNode } from "../support/node_program.ts";

/** Result of a listening and closing scenario under Node. */
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
    "listen serves, close stops it, and both work again",
    "again",
    [null, "served", "127.0.0.1", null, "refused", "served", "127.0.0.1", null, "refused"],
  ],
  ["a free port is known at once if no host name is given", "atOnce", [true, "served"]],
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
  ["code that is given the server for its other events gets those of Node's server", "given", [
    true,
    1,
    "served",
    "taken",
    "theirs",
    true,
    true,
  ]],
  [
    "an application emits closing while its server is there, and close once it is gone",
    "events",
    ["closing", true, "close", false, "closing", true, "close", false],
  ],
  ["a server can be shut down with Node's methods", "shutDown", [true, false, 503, null]],
  ["the port is free as soon as close is called", "samePort", ["served", "served"]],
  ["close answers requests in flight with Connection: close", "inFlight", ["answered", "close"]],
  ["close with a deadline cuts requests that do not end, and tells their handlers", "deadline", [
    503,
    "Service Unavailable",
    "cut",
  ]],
  [
    "a port in use is an error for the callback or listener, or rejects server.finished if there is neither",
    "taken",
    ["EADDRINUSE", "EADDRINUSE", "EADDRINUSE", null],
  ],
  ["a certificate brings HTTP/2, and HTTP/1.1 beside it", "http2", ["h2 POST hello", "two cookies: 2", "1.1 hello"]],
  ["close closes the sockets of the application and of those mounted in it with 1001", "sockets", [null, [
    1001,
    1001,
    1001,
  ]]],
  ["close is done only after every socket's close handler has been called", "toldSockets", 50],
  ["an application can listen twice, and keeps serving on one server when the other is closed", "twice", [
    1001,
    "refused",
    null,
    1001,
  ]],
  ["close also closes the sockets on the user's own server, every time it is called", "ownSockets", [1001, 1001]],
  ["a handshake that completes while the server closes is refused", "lateSocket", "HTTP/1.1 503 Service Unavailable"],
  ["a client that resets its connection in mid-handshake ends only that connection", "resetHandshake", 1001],
  [
    "close with a deadline cuts sockets that do not answer, and answers pending handshakes",
    "cutSockets",
    [null, "HTTP/1.1 503 Service Unavailable", true],
  ],
  [
    "close with a deadline answers a handshake pipelined behind another request",
    "cutPipelined",
    [null, ["HTTP/1.1 503", "HTTP/1.1 503"]],
  ],
  ["close lets a client finish reading an answer", "download", true],
  [
    "over HTTP/2, close with a deadline ends even if a client keeps its upload open or reads nothing",
    "slowClients",
    ["https:", null, "https:", null],
  ],
  ["an abort signal closes the server", "abort", null],
  [
    "a server listens once its port is known: at once, except for a host name that must be resolved",
    "bound",
    [true, true, true, false, true, true],
  ],
  ["default settings come from NODE_ENV and the working directory", "settings", ["production", true]],
];

for (const [name, key, seen] of SCENARIOS) {
  Deno.test(`on Node, ${name}`, { ignore: skipNode }, async () => {
    assertEquals(await scenario(key), seen);
  });
}
