/** How uWebSockets.js handles requests and responses, and how Sluice reacts: the rows in docs/uws.md. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { certificate } from "../fixtures/node/certificate.ts";
import { frame, OPCODE } from "../contracts/frame.ts";
import { SocketClient } from "../contracts/socket_client.ts";
import { freePort } from "../support/free_port.ts";
import { HANDSHAKE, writeAll } from "../support/raw_client.ts";
import { until } from "../support/until.ts";
import { skipUws, startUws } from "../support/uws_engine.ts";

interface Served {
  readonly port: number;
  /** The same application's port on Node's own server, in the same process. */
  readonly beside: number;
  /** Sends a GET request, and returns the body. */
  get(path: string): Promise<string>;
  /** Events so far, once the expected one has happened. */
  events(wanted: string): Promise<string[]>;
}

function onUws(name: string, test: (served: Served) => Promise<void>, options: object = {}): void {
  Deno.test(`on uWebSockets.js, ${name}`, { ignore: skipUws }, async () => {
    await using program = await startUws("tests/fixtures/uws/http.ts", { OPTIONS: JSON.stringify(options) });
    const { port, beside } = JSON.parse(program.line) as Served;
    const happened: string[] = [];
    await test({
      port,
      beside,
      get: (path) => text(port, path),
      async events(wanted) {
        await until(async () => {
          happened.push(...JSON.parse(await text(beside, "/events")));
          return happened.includes(wanted);
        }, `the event ${wanted}`);
        return happened;
      },
    });
  });
}

async function text(port: number, path: string, init?: RequestInit): Promise<string> {
  return await (await fetch(`http://127.0.0.1:${port}${path}`, init)).text();
}

const bytesOf = (characters: string) => Uint8Array.from(characters, (one) => one.charCodeAt(0));

async function connected(port: number, characters: string): Promise<Deno.TcpConn> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  await writeAll(connection, bytesOf(characters));
  return connection;
}

/** Data received until a string has arrived or the other end closes, one character per byte. */
async function received(connection: Deno.Conn, wanted?: string): Promise<string> {
  const piece = new Uint8Array(65_536);
  let seen = "";
  try {
    while (wanted === undefined || !seen.includes(wanted)) {
      const count = await connection.read(piece);
      if (count === null) break;
      seen += String.fromCharCode(...piece.subarray(0, count));
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.ConnectionReset)) throw error;
  }
  return seen;
}

/** Number of bytes received before the other end closes, or until there are that many. */
async function countOf(connection: Deno.Conn, most = Infinity): Promise<number> {
  const piece = new Uint8Array(1_000_000);
  let count = 0;
  while (count < most) {
    const read = await connection.read(piece);
    if (read === null) break;
    count += read;
  }
  return count;
}

async function raw(port: number, characters: string, wanted?: string): Promise<string> {
  using connection = await connected(port, characters);
  return await received(connection, wanted);
}

const head = (start: string, ...lines: string[]) => [`${start} HTTP/1.1`, "Host: x", ...lines, "", ""].join("\r\n");
const GET = head("GET /headers");

/** Requests that the engine accepts and `node:http` does not. */
const REFUSED: Readonly<Record<string, string>> = {
  "two hosts": head("GET /headers", "Host: y"),
  "two lengths": `${head("POST /text", "Content-Length: 2", "Content-Length: 3")}abc`,
  "a list of lengths": `${head("POST /text", "Content-Length: 3, 3")}abc`,
  "a negative length": `${head("POST /text", "Content-Length: -1")}abc`,
  "a length in hex": `${head("POST /text", "Content-Length: 0x3")}abc`,
  "a length and chunks": `${head("POST /text", "Content-Length: 3", "Transfer-Encoding: chunked")}0\r\n\r\n`,
  "an unknown transfer coding": `${head("POST /text", "Transfer-Encoding: xchunked")}0\r\n\r\n`,
  "a control character": head("GET /headers", "X-A: a\x01b"),
  "an unknown method": head("G@T /headers"),
  "a method in lower case": head("get /headers"),
};

onUws("what could be read in two ways is refused, and its connection closed", async ({ port, get }) => {
  for (const [what, sent] of Object.entries(REFUSED)) {
    const got = await raw(port, sent);
    assert(got === "" || got.startsWith("HTTP/1.1 400 "), `${what}: ${got}`);
  }
  assertEquals(await get("/seen"), "[]");
});

/** Requests without a response from the engine. */
const UNANSWERED: Readonly<Record<string, string>> = {
  "HTTP/1.0": "GET /headers HTTP/1.0\r\nHost: x\r\n\r\n",
  "no host": "GET /headers HTTP/1.1\r\n\r\n",
  "a whole URL": head("GET http://x/headers"),
  "OPTIONS *": head("OPTIONS *"),
  "CONNECT": head("CONNECT x:1"),
  "60 headers": head("GET /headers", ...Array.from({ length: 60 }, (_, i) => `x${i}: 1`)),
  "a space in the target": head("GET /a b"),
  "a space in a name": head("GET /headers", "X y: 1"),
  "a space behind a name": head("GET /headers", "X : 1"),
  "a line without a colon": head("GET /headers", "X"),
  "a folded line": head("GET /headers", "X: 1", " Y: 2"),
  "NUL in a value": head("GET /headers", "X: a\0b"),
  "a bare CR in a value": head("GET /headers", "X: a\rb"),
  "a bare LF in a value": head("GET /headers", "X: a\nY: b"),
  "bare LFs": "GET /headers HTTP/1.1\nHost: x\n\n",
};

onUws("time limits are the engine's, and so is the end of what it does not take", async ({ port, get, events }) => {
  const begin = performance.now();
  const ended = async (what: string, sent: string, wanted: RegExp) => {
    assertMatch(await raw(port, sent), wanted, what);
    const seconds = (performance.now() - begin) / 1000;
    assert(seconds > 5 && seconds < 25, `${what} ends after ${seconds} s`);
  };
  using _stalled = await connected(port, head("GET /pieces"));
  await Promise.all([
    ...Object.entries(UNANSWERED).map(([what, sent]) => ended(what, sent, /^$/)),
    ended("a part of a head", "GET /headers HTTP/1.1\r\nHost", /^$/),
    ended("no request", "", /^$/),
    ended("an idle connection", GET, /^HTTP\/1.1 200 /),
    ended("a part of a body", `${head("POST /waits", "Content-Length: 9")}abc`, /^$/),
    events("pieces false"),
    events("upload closed false"),
  ]);
  assertEquals(JSON.parse(await get("/seen")).sort(), ["GET /headers", "GET /pieces", "POST /waits"]);
});

onUws("header bytes are as on node:http, except at the ends of a value", async ({ port, beside }) => {
  const sent = head(
    "GET /headers?a=%20&b=",
    "X-A: a\xc3\xa9b",
    "X-B: 1",
    "X-B: 2",
    "Cookie: a=1",
    "Cookie: b=2",
    "Connection: close",
  );
  const bodies = await Promise.all([port, beside].map(async (one) => (await raw(one, sent)).split("\r\n\r\n")[1]));
  assertEquals(JSON.parse(bodies[0]!), JSON.parse(bodies[1]!));
  // bold in docs/uws.md: the engine's effect on them
  const lost = await raw(port, head("GET /headers", "X-A: \xe9a\xe9", "Connection: close"));
  assertStringIncludes(lost, '"x-a":"a"');
});

onUws("the client's address, and this end's, are known while a handler waits", async ({ port, get }) => {
  const peer = { ip: "127.0.0.1", remoteAddress: "127.0.0.1", localAddress: "127.0.0.1", localPort: port };
  assertEquals(JSON.parse(await get("/peer")), { ...peer, encrypted: false, version: "1.1" });
  assertEquals(JSON.parse(await text(port, "/late-peer", { headers: { "x-late": "yes" } })), ["127.0.0.1", "yes"]);
});

onUws("what a request enters of AsyncLocalStorage does not reach the next one", async ({ get }) => {
  assertEquals([await get("/store"), await get("/store")], ["nothing", "nothing"]);
});

onUws("an application is served by both servers of a process", async ({ beside }) => {
  assertStringIncludes(await text(beside, "/peer"), `"localPort":${beside}`);
  assertEquals(await text(beside, "/text", { method: "POST", body: "abc" }), "3");
});

onUws("Latin-1 headers are sent as they are, and the time only once", async ({ port }) => {
  assertStringIncludes(await raw(port, head("GET /latin", "Connection: close")), "x-name: caf\xe9\r\n");
  const dated = await raw(port, head("GET /date", "Connection: close"));
  assertEquals(dated.match(/^date: .*$/gim)?.length, 1, dated);
});

onUws("a connection is kept, or closed as a response or its client says", async ({ port }) => {
  const both = await raw(port, GET + head("HEAD /headers") + head("GET /empty") + head("GET /last"), "\r\n\r\nok");
  assertEquals(both.match(/HTTP\/1.1 \d+/g), ["200", "200", "204", "200"].map((status) => `HTTP/1.1 ${status}`));
  assertMatch(await raw(port, head("GET /last")), /Connection: close\r\n/);
  assertMatch(await raw(port, head("GET /headers", "Connection: close")), /^HTTP\/1.1 200 /);
});

onUws("a request behind one whose handler waits closes the connection, and aborts that", async ({ port, events }) => {
  assertEquals(await raw(port, head("GET /held") + GET), "");
  await events("closed false");
});

onUws(
  "100 Continue is sent, a chunk extension ends the connection, and trailers the next request",
  async ({ port }) => {
    using connection = await connected(port, head("POST /text", "Expect: 100-continue", "Content-Length: 3"));
    assertEquals(await received(connection, "\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
    await connection.write(bytesOf("abc"));
    assertMatch(await received(connection, "\r\n\r\n3"), /^HTTP\/1.1 200 /);
    const chunked = head("POST /text", "Transfer-Encoding: chunked");
    assertMatch(await raw(port, `${chunked}3\r\nabc\r\n0\r\n\r\n${GET}`, "}"), /\r\n\r\n3HTTP\/1.1 200 /);
    assertMatch(await raw(port, `${chunked}3\r\nabc\r\n0\r\nX: trailer\r\n\r\n`, "\r\n\r\n3"), /^HTTP\/1.1 200 /);
  },
);

onUws("a large body waits for a client that reads slowly", async ({ port, events }) => {
  using connection = await connected(port, head("GET /large"));
  assert(await countOf(connection, 1) < 20_000_000);
  assert(await countOf(connection, 19_500_000) > 0);
  await events("large is over");
});

onUws("a handler that writes waits for a client that reads slowly", async ({ port, events }) => {
  using connection = await connected(port, head("GET /pieces", "Connection: close"));
  assert(!(await events("first piece")).includes("all pieces"));
  assert(await countOf(connection) > 20_000_000);
  assert((await events("pieces true")).includes("all pieces"));
});

onUws("what was written is sent on, although nothing more is written", async ({ port, get }) => {
  using connection = await connected(port, head("GET /pause", "Connection: close"));
  assert(await countOf(connection, 5_000_000) >= 5_000_000);
  assertEquals(await get("/release"), "1");
  assertStringIncludes(await received(connection), "d\r\n0\r\n\r\n");
});

onUws("a streamed body has the length that was announced, or is cut", async ({ port, get, events }) => {
  const sized = await raw(port, head("GET /sized") + head("GET /last"));
  assertMatch(sized, /Content-Length: 3000000\r\n\r\ne+f+gHTTP\/1.1 200 /);
  assertMatch(await raw(port, head("GET /short")), /\r\n\r\nfive!$/);
  const broken = await raw(port, head("GET /broken"));
  assertMatch(broken, /one$/);
  await events("response: the source fails");
  assertEquals(await get("/web"), "web");
});

onUws("clients that leave are noticed: before the response, in the middle of it, and of a body", async (served) => {
  const { port, events } = served;
  const held = await connected(port, head("GET /held"));
  await events("held");
  held.close();
  assert((await events("closed false")).includes("aborted"));
  const pieces = await connected(port, head("GET /pieces"));
  await events("first piece");
  pieces.close();
  await events("pieces false");
  (await connected(port, `${head("POST /waits", "Content-Length: 9")}abc`)).close();
  await events("upload closed false");
});

onUws("a body that nobody reads is not read from the connection, and then all of it comes", async (served) => {
  const { port, get, events } = served;
  using connection = await connected(port, head("POST /slow-reader", "Content-Length: 30000000"));
  let isSent = false;
  const sending = writeAll(connection, new Uint8Array(30_000_000)).then(() => isSent = true);
  await events("upload");
  for (let i = 0; i < 20; i++) await get("/headers");
  assert(!isSent);
  await get("/release");
  assertMatch(await received(connection, "30000000"), /^HTTP\/1.1 200 /);
  await sending;
  // the connection still works
  await connection.write(bytesOf(GET));
  assertMatch(await received(connection, "}"), /^HTTP\/1.1 200 /);
});

onUws("closing waits for responses, ends their connections and idle ones, and takes no new ones", async (served) => {
  const { port, beside, get, events } = served;
  using idle = await connected(port, GET);
  await received(idle, "}");
  using held = await connected(port, head("GET /held"));
  await events("held");
  using socket = await connected(port, head("GET /echo", ...HANDSHAKE));
  assertMatch(await received(socket, "open"), /^HTTP\/1.1 101 /);
  assertEquals(await get("/close"), "closing");
  assertStringIncludes(await received(socket), "\x03\xe9The server is closing");
  await writeAll(socket, bytesOf(String.fromCharCode(...frame(OPCODE.close, "\x03\xe9"))));
  const refused = await connected(port, GET).catch((error) => error);
  assert(refused instanceof Deno.errors.ConnectionRefused);
  await text(beside, "/release");
  assertMatch(await received(held), /Connection: close\r\n[^]*released$/);
  assertEquals(await received(idle), "");
  assert((await events("closed")).includes("closed true"));
});

onUws("what needs an http.Server names app.listen", async ({ get }) => {
  const advice = "uWebSockets.js is not an http.Server; listen with app.listen, of @sluice/sluice/node";
  assertEquals(JSON.parse(await get("/advice")), [
    `server.unref: ${advice}`,
    `server.on("connection"): ${advice}`,
    `server.listeners("upgrade"): ${advice}`,
    `server.getConnections: ${advice}`,
  ]);
});

onUws("a port in use is an error, unless it is to be shared", async ({ port }) => {
  const second = async (options: object) => {
    await using program = await startUws("tests/fixtures/uws/http.ts", {
      OPTIONS: JSON.stringify({ port, ...options }),
    });
    return JSON.parse(program.line);
  };
  const { error } = await second({});
  assertEquals([error.code, error.syscall, error.port], ["EADDRINUSE", "listen", port]);
  assertStringIncludes(error.message, "address already in use");
  assertEquals((await second({ reusePort: true })).error.code, "EADDRINUSE");
});

Deno.test("on uWebSockets.js, a port is shared by processes that say so", { ignore: skipUws }, async () => {
  const start = (port: number) =>
    startUws("tests/fixtures/uws/http.ts", { OPTIONS: JSON.stringify({ port, reusePort: true }) });
  const port = await freePort();
  await using first = await start(port);
  assertEquals(JSON.parse(first.line).port, port);
  await using second = await start(port);
  assertEquals(JSON.parse(second.line).port, port);
});

Deno.test("on uWebSockets.js, TLS is that of files", { ignore: skipUws }, async () => {
  const { cert, key } = certificate();
  const folder = await Deno.makeTempDir();
  const [certFile, keyFile] = [`${folder}/cert.pem`, `${folder}/key.pem`];
  await Promise.all([Deno.writeTextFile(certFile, cert), Deno.writeTextFile(keyFile, key)]);
  await using program = await startUws("tests/fixtures/uws/http.ts", {
    OPTIONS: JSON.stringify({ certFile, keyFile }),
  });
  const { port, url } = JSON.parse(program.line);
  assertEquals(url, `https://127.0.0.1:${port}/`);
  using connection = await Deno.connectTls({ hostname: "localhost", port, caCerts: [cert] });
  await connection.write(bytesOf(head("GET /peer")));
  assertStringIncludes(await received(connection, "}"), '"encrypted":true');
  await Deno.remove(folder, { recursive: true });
});

onUws("a message of more than the limit ends with 1009, and of twice that without a Close frame", async ({ port }) => {
  // the code for a connection that was cut off, on Deno and elsewhere
  for (const [length, codes] of [[1_100_000, [1009]], [2_200_000, [0, 1006]]] as const) {
    const client = new SocketClient(`http://127.0.0.1:${port}`, "/echo");
    assertEquals(await client.next(), "open");
    await client.send(new Uint8Array(length));
    const { code } = await client.closed;
    assert((codes as readonly number[]).includes(code), `${code} after ${length} bytes`);
  }
});

Deno.test("serve of @sluice/sluice/uws says what is wrong with its arguments", { ignore: skipUws }, async () => {
  await using program = await startUws("tests/fixtures/uws/refusals.ts");
  const told: string[] = JSON.parse(program.line);
  const wanted = [
    /^TypeError: serve expects an application/,
    /^TypeError: serve of @sluice\/sluice\/uws: option uWS must be uWebSockets.js.*, not undefined$/,
    /^TypeError: .* is not the native one; install a version whose binary fits Node v\d/,
    /^TypeError: .*no option cert; uWebSockets.js reads a file: pass its name as certFile/,
    /^TypeError: .* needs certFile and keyFile together$/,
    /^TypeError: .*no option headersTimeout; the limits of uWebSockets.js are fixed .*app.listen/,
    /^RangeError: .*a port from 0 to 65535, not 70000$/,
    /^TypeError: .*no option prot; there are uWS, port, /,
  ];
  assertEquals(told.length, wanted.length);
  wanted.forEach((pattern, i) => assertMatch(told[i]!, pattern));
});
