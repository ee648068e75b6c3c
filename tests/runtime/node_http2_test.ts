/** HTTP/2 on Node, and HTTP/1.1 on the same port. WebSockets use HTTP/1.1 there: see node_sockets_test.ts. */
import { assertEquals } from "@std/assert";
import { run } from "../../scripts/process.ts";
import { bundleForNode, skipNode } from "../support/node_program.ts";
import { PATIENCE_MS } from "../support/patience.ts";

const SCENARIOS: readonly [string, string, unknown][] = [
  ["requests are routed and answered", "routing", [
    [200, {
      params: { id: "5" },
      query: { q: "a" },
      protocol: "https",
      secure: true,
      hostname: "localhost",
      ip: "127.0.0.1",
      httpVersion: "2.0",
    }],
    [404, true],
    [200, true, ""],
    [204, ""],
    [201, 2, '{"a":[1]}'],
  ]],
  ["http2.createServer(app) routes requests and parses bodies", "ownServer", [201, "2.0", '{"a":1}', 404]],
  ["a body is answered while it still arrives", "streamed", ["one", "two", "three"]],
  ["two hundred concurrent requests each get their own answer", "many", true],
  ["128 requests of a connection run at once, the others wait; the limit can be set while it is open", "limited", [
    128,
    128,
    128,
    [5, 5],
    [0, 2 ** 32 - 1],
    [0, 2 ** 32 - 1],
    [2.5, 2],
    2,
  ]],
  ["trailers and connection-specific headers do no harm", "trailers", ['{"length":5}', 200, "sent", null, 200]],
  [
    "a client that cancels aborts req.signal, closes res and cancels the stream",
    "leaving",
    [["arrived", "abort", "close"], true, ""],
  ],
  ["an upload that is cut fails its reader", "cutUploads", ["read 11", "upload failed", "request aborted"]],
  [
    "a lost connection ends all of its requests",
    "lostSession",
    ["abort", "arrived", "close", "read 11", "upload failed"],
  ],
  ["a slow reader slows the source down", "slowReader", [true, true, true]],
  ["a body that is not read yet slows down its client, but no other request", "slowServer", [
    true,
    200,
    `{"length":${800 * 65536}}`,
  ]],
  ["a response that is cut resets its stream, although the client is still uploading", "cut", 2],
  ["a response that a closing server cuts is visibly broken", "cutByClosing", ["begun", "failed"]],
  ["a request that ends with its headers has no body, whatever its method", "bodies", [
    [null, "not announced", "no body"],
    [null, "not announced", "no body"],
    ["text/plain", "chunked", "text"],
  ]],
  ["an unread body does not delay the answer", "unread", ["not read", "given up", "", "", ""]],
  ["an answer that fails midway is visibly broken, and the connection stays usable", "broken", [
    "begun",
    "failed",
    200,
  ]],
  [
    "HTTP/1.1 is spoken on the same port, and closing does not wait for idle connections",
    "older",
    [200, true, 404, true, 201, '{"a":1}', "1.1", 200, true],
  ],
  ["closing answers requests in flight and sends GOAWAY", "closing", ['{"length":22}', "goaway"]],
  ["a drain delay sends GOAWAY at once, and to later connections with their first request", "draining", [
    ["goaway", 0, 1],
    '{"length":22}',
    201,
    '{"a":1}',
    ["goaway", 0, 1],
  ]],
  [
    "closing with a deadline ends connections without a request, or even a handshake, if their clients do not",
    "silent",
    null,
  ],
];

for (const [name, key, seen] of SCENARIOS) {
  Deno.test(`over HTTP/2, ${name}`, { ignore: skipNode }, async () => {
    const program = await bundleForNode("tests/fixtures/node/http2.ts");
    const { code, output } = await run("node", [program, key], { limitMs: PATIENCE_MS, quiet: true });
    assertEquals(code, 0, output);
    assertEquals(JSON.parse(output.split("\n").find((line) => line.startsWith("{"))!).result, seen);
  });
}
