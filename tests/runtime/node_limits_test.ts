/** Limits that only Node's server has, and limits on its TLS connections. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { certificate } from "../fixtures/node/certificate.ts";
import { NODE } from "../support/fault_servers.ts";
import { type LimitedServer, startLimited } from "../support/limited_servers.ts";
import { flag, opened, readUntil, untilClosed, writeAll } from "../support/raw_client.ts";
import { until } from "../support/until.ts";

const { cert, key } = certificate();
const encoder = new TextEncoder();
const HALF = "GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ";
const GET = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

/** HTTP/2 frame types (RFC 9113 section 6). */
const HEADERS = 1;
const RST_STREAM = 3;
const SETTINGS = 4;
const PING = 6;

/** HTTP/2 error codes (RFC 9113 section 7). */
const REFUSED_STREAM = 7;
const CANCEL = 8;

/** A response's body. */
const TWO = "2".charCodeAt(0);

function frame(type: number, flags: number, stream: number, payload: readonly number[] = []): number[] {
  return [0, payload.length >> 8, payload.length & 255, type, flags, 0, 0, 0, stream, ...payload];
}

/** `GET path`, with headers from HPACK's static table, ended with END_STREAM and END_HEADERS. */
function asked(path: string, stream = 1): number[] {
  const text = [...encoder.encode(path)];
  return frame(HEADERS, 5, stream, [0x82, 0x87, 0x04, text.length, ...text, 0x01, 1, 97]);
}

/** A frame that resets a stream. */
function reset(stream: number, code: number): number[] {
  return frame(RST_STREAM, 0, stream, [0, 0, 0, code]);
}

/** The acknowledgement for the server's settings. */
const ACKNOWLEDGED = frame(SETTINGS, 1, 0);

/** Reads until some bytes have arrived. */
async function untilBytes(client: Deno.TlsConn, wanted: readonly number[]): Promise<string> {
  const piece = new Uint8Array(65_536);
  const text = String.fromCharCode(...wanted);
  let seen = "";
  while (!seen.includes(text)) {
    const length = await client.read(piece);
    assert(length !== null, `closed after ${JSON.stringify(seen)}`);
    seen += String.fromCharCode(...piece.subarray(0, length));
  }
  return seen;
}

/** The start of every HTTP/2 connection. */
const PREFACE = [...encoder.encode("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")];

function onNode(
  name: string,
  limits: Record<string, number>,
  test: (server: LimitedServer, connect: (protocol: string) => Promise<Deno.TlsConn>) => Promise<void>,
  env: Record<string, string> = { CERT: cert, KEY: key },
): void {
  Deno.test(`on Node, ${name}`, { ignore: NODE.missing }, async () => {
    await using server = await startLimited(NODE, "on_node", limits, env);
    const connect = (protocol: string) =>
      Deno.connectTls({ hostname: "localhost", port: server.port, caCerts: [cert], alpnProtocols: [protocol] });
    await test(server, connect);
  });
}

/** All data received until the other end closes in any way. */
async function received(connection: Deno.TlsConn): Promise<string> {
  let text = "";
  try {
    for await (const piece of connection.readable.pipeThrough(new TextDecoderStream("latin1"))) text += piece;
  } catch {
    // without TLS's close_notify
  }
  return text;
}

onNode(
  "a connection with TLS is closed when its head does not come, and when it is idle after an answer",
  { headersTimeout: 300, keepAliveTimeout: 300 },
  async (_server, connect) => {
    const silent = await connect("http/1.1");
    const half = await connect("http/1.1");
    const idle = await connect("http/1.1");
    await half.write(encoder.encode(HALF));
    await idle.write(encoder.encode(GET));
    assertMatch(await received(half), /^HTTP\/1\.1 408 /);
    assertMatch(await received(idle), /^HTTP\/1\.1 200 [^]*home$/);
    await received(silent);
  },
);

onNode(
  "an HTTP/2 connection is closed when no request comes, and when it is idle after an answer, even if it sends pings",
  { headersTimeout: 300, keepAliveTimeout: 300 },
  async (_server, connect) => {
    const silent = await connect("h2");
    const begun = await connect("h2");
    const idle = await connect("h2");
    await begun.write(new Uint8Array([...PREFACE, ...frame(SETTINGS, 0, 0)]));
    await idle.write(new Uint8Array([...PREFACE, ...frame(SETTINGS, 0, 0), ...asked("/")]));
    const pinging = (async () => {
      for (;;) {
        await idle.write(new Uint8Array(frame(PING, 0, 0, [1, 2, 3, 4, 5, 6, 7, 8])));
        // on the next tick
        await new Promise((resolve) => setTimeout(resolve, 0));
      }
    })().catch(() => {});
    assertMatch(await received(idle), /home/);
    await Promise.all([pinging, received(silent), received(begun)]);
  },
);

onNode(
  "an HTTP/2 client that opens no window for an answer is cut, and its handler is told",
  { sendTimeout: 300 },
  async (server, connect) => {
    const client = await connect("h2");
    const noWindow = frame(SETTINGS, 0, 0, [0, 4, 0, 0, 0, 0]);
    await client.write(new Uint8Array([...PREFACE, ...noWindow, ...asked("/sent/written")]));
    const http = Deno.createHttpClient({ caCerts: [cert] });
    const told = `https://localhost:${server.port}/flags/written-cut`;
    const init: RequestInit & { client: Deno.HttpClient } = { client: http };
    await until(async () => await (await fetch(told, init)).text() === "1", "it is cut");
    http.close();
    client.close();
  },
);

onNode(
  "requests of an HTTP/2 client beyond maxStreams are refused, and its others and its connection are not",
  { maxStreams: 2 },
  async (_server, connect) => {
    const client = await connect("h2");
    const waiting = [1, 3, 5, 7].flatMap((stream) => asked("/sent/waiting", stream));
    await client.write(new Uint8Array([...PREFACE, ...frame(SETTINGS, 0, 0), ...waiting]));
    const seen = await untilBytes(client, reset(7, REFUSED_STREAM));
    // SETTINGS_MAX_CONCURRENT_STREAMS
    assert(seen.includes("\x00\x03\x00\x00\x00\x02"), "the limit is announced");
    assert(seen.includes(String.fromCharCode(...reset(5, REFUSED_STREAM))));
    await client.write(new Uint8Array([...reset(1, CANCEL), ...asked("/flags/waiting-begun", 9)]));
    // two of the four requests have run, and when one ended, it made room for this one
    await untilBytes(client, [0, 0, 0, 9, TWO]);
    client.close();
  },
);

onNode(
  "an HTTP/2 client that has acknowledged maxStreams and opens more loses its connection, and others do not",
  { maxStreams: 2 },
  async (_server, connect) => {
    const [client, other] = [await connect("h2"), await connect("h2")];
    await client.write(new Uint8Array([...PREFACE, ...frame(SETTINGS, 0, 0), ...ACKNOWLEDGED]));
    await other.write(new Uint8Array([...PREFACE, ...frame(SETTINGS, 0, 0), ...ACKNOWLEDGED]));
    const many = Array.from({ length: 50 }, (_, i) => asked("/sent/waiting", 2 * i + 1)).flat();
    await client.write(new Uint8Array(many));
    await received(client);
    await other.write(new Uint8Array(asked("/flags/waiting-begun")));
    await untilBytes(other, [0, 0, 0, 1, TWO]);
    other.close();
  },
);

onNode(
  "further connections than maxConnections are closed, and requests than maxRequestsPerSocket refused",
  { maxConnections: 2, maxRequestsPerSocket: 2, keepAliveTimeout: 2000 },
  async (server) => {
    const first = await opened(server, GET.repeat(3));
    assertMatch(await untilClosed(first), /home[^]*home[^]* 503 /);
    const held = [await opened(server, GET), await opened(server, GET)];
    for (const client of held) await readUntil(client, "home");
    assertEquals(await untilClosed(await opened(server, GET)).catch(() => ""), "");
    for (const client of held) client.close();
  },
  {},
);

onNode("headers above maxHeadersCount are left out", { maxHeadersCount: 3 }, async (server) => {
  const many = Array.from({ length: 50 }, (_, i) => `X-${i}: y`).join("\r\n");
  const client = await opened(server, `GET /sent/headers HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${many}\r\n\r\n`);
  const response = await untilClosed(client);
  assertMatch(response, /\r\n\r\n3$/);
  assertEquals(await flag(server, "headers-finished"), 1);
}, {});

onNode("a request that is not complete within requestTimeout is answered with 408", {
  requestTimeout: 300,
}, async (server) => {
  const client = await opened(server, "POST /sent/read HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nabc");
  assertMatch(await untilClosed(client), /^HTTP\/1\.1 408 /);
  await until(async () => await flag(server, "read-cut") === 1, "its handler is told");
}, {});

onNode("malformed requests, and floods of pipelined ones, have an answer and an end", {
  sendTimeout: 300,
}, async (server) => {
  const refused: readonly [string, RegExp][] = [
    ["GET / HTTP/1.1\r\nHost: x\r\nBad Header: y\r\n\r\n", /^HTTP\/1\.1 400 /],
    ["GARBAGE\r\n\r\n", /^HTTP\/1\.1 400 /],
    ["GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", /^HTTP\/1\.1 400 /],
    ["GET / HTTP/1.1\r\n\r\n", /^HTTP\/1\.1 400 /],
    [`GET / HTTP/1.1\r\nHost: x\r\nX: ${"y".repeat(20_000)}\r\n\r\n`, /^HTTP\/1\.1 431 /],
    [`GET /${"y".repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, /^HTTP\/1\.1 431 /],
  ];
  for (const [request, response] of refused) assertMatch(await untilClosed(await opened(server, request)), response);
  // more requests than the server reads while its responses stay unread
  const flood = await opened(server, GET);
  const one = encoder.encode(GET.repeat(1000));
  let sent = 0;
  const sending = (async () => {
    for (;;) {
      await writeAll(flood, one);
      sent += 1000;
    }
  })().catch(() => {});
  await sending;
  assert(sent < 1_000_000, `${sent} requests were taken`);
  flood.close();
}, {});
