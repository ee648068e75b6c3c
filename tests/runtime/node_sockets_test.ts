/** WebSockets on Node, on every kind of server. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { frame, OPCODE } from "../contracts/frame.ts";
import { HANDSHAKE, opened, rawHead, readUntil, requestHead, untilClosed, writeAll } from "../support/raw_client.ts";
import { SocketClient } from "../contracts/socket_client.ts";
import { skipNode, startNode } from "../support/node_program.ts";
import { askUntil, text } from "../support/node_servers.ts";

/** The server that Sluice makes, the user's own server, and an Express server with the application under /api. */
const WAYS = ["listen", "own", "inside"] as const;
type Way = typeof WAYS[number] | "shared" | "two" | "deaf" | "secure";

interface Servers {
  at(way?: Way): string;
  readonly cert: string;
  events(): Promise<string[]>;
}

function onNode(name: string, test: (servers: Servers) => Promise<void>): void {
  Deno.test(`on Node, ${name}`, { ignore: skipNode }, async () => {
    await using program = await startNode("tests/fixtures/node/sockets.ts");
    const { cert, ...ports } = JSON.parse(program.line) as { cert: string } & Record<string, number>;
    const at = (way: Way = "listen") => `http://127.0.0.1:${ports[way]}${way === "inside" ? "/api" : ""}`;
    await test({ at, cert, events: async () => JSON.parse(await text(`${at()}/events`)) });
  });
}

const prefix = (way: Way) => way === "inside" ? "/api" : "";

onNode("messages go both ways on every kind of server", async ({ at, events }) => {
  for (const way of WAYS) {
    const client = new SocketClient(at(way), "/echo");
    assertEquals(await client.next(), "open");
    await client.send("grüße");
    assertEquals(await client.next(), "grüße");
    await client.send(new Uint8Array([0, 128, 255]));
    assertEquals([...new Uint8Array(await client.next() as ArrayBuffer)], [0, 128, 255]);
    await client.close(3001, way);
  }
  await askUntil(events, (seen) => seen.length === 3);
  assertEquals(await events(), WAYS.map((way) => `closed 3001 ${way}`));
});

onNode(
  "upgrade listeners that a handler added to the server get the upgrades without a socket route",
  async ({ at }) => {
    for (const way of ["listen", "own"] as const) {
      assertEquals(await text(`${at(way)}/guest`), "listens");
      assertStringIncludes(await untilClosed(await rawHead(at(way), "GET /guest", HANDSHAKE)), "\r\n\r\nguest");
      const client = new SocketClient(at(way), "/echo");
      assertEquals(await client.next(), "open");
      await client.close(1000, "");
    }
  },
);

onNode("a message that arrives with the handshake is delivered after open", async ({ at }) => {
  const early = new Uint8Array([...frame(OPCODE.text, "early"), ...frame(OPCODE.close)]);
  for (const way of WAYS) {
    for (const path of ["/echo", "/later"]) {
      const seen = await untilClosed(await rawHead(at(way), `GET ${prefix(way)}${path}`, HANDSHAKE, early));
      assert(seen.indexOf("open") > 0 && seen.indexOf("open") < seen.indexOf("early"), seen);
    }
  }
});

onNode("a fragmented message arrives as one, a large one complete, and none over a limit", async ({ at, events }) => {
  const connection = await rawHead(at(), "GET /echo", HANDSHAKE);
  await readUntil(connection, "open");
  const parts = [
    frame(OPCODE.text, "one ", { fin: false }),
    frame(OPCODE.ping, "in between"),
    frame(OPCODE.more, "two ", { fin: false }),
    frame(OPCODE.more, "three"),
  ];
  for (const part of parts) await connection.write(part);
  await readUntil(connection, "one two three");
  connection.close();
  const client = new SocketClient(at(), "/echo");
  await client.next();
  const large = new Uint8Array(60 * 1024 * 1024).fill(7);
  await client.send(large);
  assertEquals(new Uint8Array(await client.next() as ArrayBuffer), large);
  await client.send(new Uint8Array(64 * 1024 * 1024 + 1));
  assertEquals((await client.closed).code, 1009);
  await askUntil(events, (seen) => seen.length === 2);
});

onNode("headers and cookies set before the upgrade are in the handshake, except those about a body", async ({ at }) => {
  for (const way of WAYS) {
    const connection = await rawHead(at(way), `GET ${prefix(way)}/headers`, HANDSHAKE, frame(OPCODE.close));
    const head = (await untilClosed(connection)).split("\r\n\r\n")[0]!.toLowerCase().split("\r\n");
    assertEquals(head.filter((line) => /^(set-cookie|x-custom|connection|content)/.test(line)), [
      "connection: upgrade",
      "set-cookie: a=1; path=/",
      "set-cookie: b=2; path=/",
      "x-custom: yes",
    ]);
  }
});

onNode("a refusal has its status, headers and body, and closes the connection", async ({ at, events }) => {
  const refusals: readonly [string, string, RegExp][] = [
    ["/refused/key", "401 Unauthorized", /www-authenticate: Basic[\s\S]*\r\n\r\nkey, please$/i],
    ["/refused/redirect", "302 Found", /location: \/elsewhere/i],
    ["/refused/throws", "500 Internal Server Error", /thrown on purpose/],
    ["/refused/rejects", "500 Internal Server Error", /rejected on purpose/],
    ["/refused/response", "403 Forbidden", /\r\na web response\r\n/],
    ["/missing", "404 Not Found", /Cannot GET (\/api)?\/missing/],
  ];
  for (const way of WAYS) {
    for (const [path, status, rest] of refusals) {
      const response = await untilClosed(await rawHead(at(way), `GET ${prefix(way)}${path}`, HANDSHAKE));
      assertStringIncludes(response, `HTTP/1.1 ${status}\r\n`);
      assertMatch(response, /\r\nConnection: close\r\n/);
      assertMatch(response, rest);
    }
    const old = HANDSHAKE.map((line) => line.replace("Version: 13", "Version: 8"));
    const response = await untilClosed(await rawHead(at(way), `GET ${prefix(way)}/echo`, old));
    assertMatch(response, /^HTTP\/1\.1 426 Upgrade Required\r\n/);
    assertMatch(response, /\r\nsec-websocket-version: 13\r\n/i);
  }
  assertEquals(await events(), []);
});

onNode("an invalid handshake is 400", async ({ at }) => {
  const without = (name: string, ...lines: string[]) => [
    ...HANDSHAKE.filter((line) => !line.startsWith(name)),
    ...lines,
  ];
  for (const way of WAYS) {
    const old = [`GET ${prefix(way)}/echo HTTP/1.0`, ...HANDSHAKE, "", ""].join("\r\n");
    const response = await untilClosed(await opened({ port: Number(new URL(at(way)).port) }, old));
    assertMatch(response, /^HTTP\/1\.1 400 Bad Request\r\n[\s\S]*needs HTTP\/1\.1/);
    const malformed = [
      without("Sec-WebSocket-Key"),
      without("Sec-WebSocket-Key", "Sec-WebSocket-Key: short"),
    ];
    // under Express, this is an ordinary request, not a handshake
    if (way !== "inside") malformed.push(without("Connection", "Connection: close"));
    const broken = await rawHead(at(way), `GET ${prefix(way)}/echo`, [...HANDSHAKE, "no header"]);
    assertMatch(await untilClosed(broken), /^HTTP\/1\.1 400 Bad Request\r\n/);
    for (const headers of malformed) {
      const response = await untilClosed(await rawHead(at(way), `GET ${prefix(way)}/echo`, headers));
      assertMatch(response, /^HTTP\/1\.1 400 Bad Request\r\n/);
    }
  }
});

onNode("a large refusal arrives complete, at the client's pace", async ({ at }) => {
  for (const way of WAYS) {
    const connection = await rawHead(at(way), `GET ${prefix(way)}/refused/large`, HANDSHAKE);
    const response = await new Response(connection.readable).arrayBuffer();
    assert(response.byteLength > 64 * 64 * 1024, `${response.byteLength} bytes`);
    assertMatch(new TextDecoder().decode(response.slice(-7)), /\r\n0\r\n\r\n$/);
  }
});

onNode("a client that leaves while a middleware is pending aborts req.signal", async ({ at, events }) => {
  for (const [count, way] of WAYS.entries()) {
    const connection = await rawHead(at(way), `GET ${prefix(way)}/waits`, HANDSHAKE);
    await askUntil(events, (seen) => seen.length === 2 * count + 1);
    connection.close();
    await askUntil(events, (seen) => seen.length === 2 * count + 2);
  }
  assertEquals(await events(), WAYS.flatMap(() => ["waits", "abort"]));
  await askUntil(async () => JSON.parse(await text(`${at()}/counts`)).sockets, (count) => count === 0);
});

onNode("a client that leaves before it is upgraded does no harm", async ({ at }) => {
  for (const way of WAYS) {
    for (let i = 0; i < 50; i++) {
      const connection = await rawHead(at(way), `GET ${prefix(way)}/later`, HANDSHAKE);
      connection.close();
    }
  }
  const client = new SocketClient(at(), "/later");
  assertEquals(await client.next(), "open");
  await client.close();
  const counts = async () => JSON.parse(await text(`${at()}/counts`));
  assertEquals(await askUntil(counts, ({ sockets, open }) => sockets + open === 0), { sockets: 0, open: 0 });
});

onNode(
  "a client that vanishes in mid-frame, or sends an invalid frame, is closed and forgotten",
  async ({ at, events }) => {
    const broken = [frame(OPCODE.text, "only the beg", { length: 5000 }), frame(OPCODE.text, "one", { fin: false })];
    for (const way of WAYS) {
      for (const part of broken) {
        const connection = await rawHead(at(way), `GET ${prefix(way)}/echo`, HANDSHAKE);
        await readUntil(connection, "open");
        await connection.write(part);
        connection.close();
      }
      const connection = await rawHead(at(way), `GET ${prefix(way)}/echo`, HANDSHAKE, new Uint8Array([0xf3, 0x80]));
      // the last frame ends with code 1002
      const told = new Uint8Array(await new Response(connection.readable).arrayBuffer());
      assertEquals([...told.slice(-4)], [0x88, 2, 1002 >> 8, 1002 & 0xff]);
    }
    assertEquals(await askUntil(events, (all) => all.length === 9), Array(9).fill("closed 1006 "));
    await askUntil(async () => JSON.parse(await text(`${at()}/counts`)).open, (count) => count === 0);
  },
);

onNode("a request to upgrade to another protocol is answered as an ordinary request, with its body", async ({ at }) => {
  const offers = ["Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAAQAAP__"];
  for (const way of [...WAYS, "two"] as const) {
    const body = "x".repeat(30_000);
    const head = [...offers, "Content-Type: text/plain", `Content-Length: ${body.length}`];
    const next = `GET ${prefix(way)}/page HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
    const responses = await untilClosed(await rawHead(at(way), `POST ${prefix(way)}/echo`, head, body + next));
    assertStringIncludes(responses, `read ${body}`);
    assertMatch(responses, /a page for close$/);
  }
});

onNode("a body is not parsed as another request if Node has dropped its Content-Length", async ({ at }) => {
  for (const way of [...WAYS, "two"] as const) {
    const body = `GET ${prefix(way)}/page HTTP/1.1\r\nHost: x\r\n\r\n`;
    const many = Array.from({ length: 2000 }, () => "a:");
    const head = ["Connection: Upgrade", "Upgrade: h2c", ...many, `Content-Length: ${body.length}`];
    const response = await untilClosed(await rawHead(at(way), `POST ${prefix(way)}/echo`, head, body));
    assertMatch(response, /^HTTP\/1\.1 431 [^]*\r\n\r\n$/);
  }
});

onNode("a connection whose upgrade was ignored may ask again, and become a WebSocket", async ({ at }) => {
  const offer = ["Connection: Upgrade", "Upgrade: h2c"];
  for (const way of [...WAYS, "two"] as const) {
    const connection = await rawHead(at(way), `GET ${prefix(way)}/page`, offer);
    await readUntil(connection, "a page for Upgrade");
    await writeAll(connection, requestHead(`GET ${prefix(way)}/page`, offer));
    await readUntil(connection, "a page for Upgrade");
    await writeAll(connection, requestHead(`GET ${prefix(way)}/echo`, HANDSHAKE));
    await readUntil(connection, "open");
    connection.close();
  }
});

/** Sends requests in one write, and waits until the first one's handler holds it. */
async function pipelined({ at, events }: Servers, way: Way, ...requests: Uint8Array[]): Promise<Deno.TcpConn> {
  // earlier connections may still report their end
  const held = (seen: string[]) => seen.filter((event) => event === "held").length;
  const before = held(await events());
  const all = new Uint8Array(requests.flatMap((bytes) => [...bytes]));
  const connection = await opened({ port: Number(new URL(at(way)).port) }, all);
  await askUntil(events, (seen) => held(seen) > before);
  return connection;
}

onNode("a handshake pipelined behind unanswered requests waits for its turn", async (servers) => {
  for (const way of WAYS) {
    const heads = ["held", "large"].map((path) => requestHead(`GET ${prefix(way)}/${path}`, []));
    using connection = await pipelined(servers, way, ...heads, requestHead(`GET ${prefix(way)}/echo`, HANDSHAKE));
    await text(`${servers.at()}/release`);
    const seen = await readUntil(connection, "open");
    assert(seen.indexOf("the held answer") < seen.indexOf("HTTP/1.1 101"), seen);
    assert(seen.length > 64 * 64 * 1024, `${seen.length} bytes`);
  }
});

onNode("another upgrade pipelined behind an unanswered request waits for its turn", async (servers) => {
  for (const way of WAYS) {
    const offer = ["Connection: Upgrade", "Upgrade: h2c", "Content-Type: text/plain", "Content-Length: 4"];
    const body = new TextEncoder().encode("body");
    const heads = [requestHead(`GET ${prefix(way)}/held`, []), requestHead(`POST ${prefix(way)}/echo`, offer)];
    using connection = await pipelined(servers, way, ...heads, body);
    await text(`${servers.at()}/release`);
    const seen = await readUntil(connection, "read body");
    assertStringIncludes(seen, "the held answer");
  }
});

onNode("a client that leaves before its handshake's turn does no harm", async (servers) => {
  for (const way of WAYS) {
    for (const offer of [HANDSHAKE, ["Connection: Upgrade", "Upgrade: h2c"]]) {
      const heads = [requestHead(`GET ${prefix(way)}/held`, []), requestHead(`GET ${prefix(way)}/echo`, offer)];
      (await pipelined(servers, way, ...heads)).close();
    }
  }
  const counts = async () => JSON.parse(await text(`${servers.at()}/counts`));
  assertEquals(await askUntil(counts, ({ sockets, open }) => sockets + open === 0), { sockets: 0, open: 0 });
  assertEquals(await text(`${servers.at()}/release`), "6");
});

onNode(
  "other listeners of the server get upgrades without a socket route, and none is left unanswered",
  async ({ at }) => {
    for (const path of ["/echo", "/other"]) {
      for (const way of ["shared", "two"] as const) {
        const client = new SocketClient(at(way), path);
        assertEquals(await client.next(), path === "/echo" ? "open" : "other");
        await client.close();
      }
    }
    assertMatch(await untilClosed(await rawHead(at("shared"), "GET /theirs", HANDSHAKE)), /theirs$/);
    assertMatch(await untilClosed(await rawHead(at("two"), "GET /theirs", HANDSHAKE)), /^HTTP\/1\.1 404/);
  },
);

onNode("a server without an upgrade handler says what is missing", async ({ at }) => {
  const connection = await rawHead(at("deaf"), "GET /echo", [...HANDSHAKE, "Connection: close"]);
  const response = await untilClosed(connection);
  assertMatch(response, /^HTTP\/1\.1 501/);
  assertMatch(response, /toUpgradeHandler\(app\)/);
});

onNode("a client that answers no ping is dropped, and one that does is not", async ({ at, events }) => {
  // it connects first, so it would be dropped first
  const answering = new SocketClient(at(), "/pings");
  assertEquals(await answering.next(), "open");
  await untilClosed(await rawHead(at(), "GET /pings", HANDSHAKE));
  assertEquals(await askUntil(events, (seen) => seen.length > 0), ["gone 1006"]);
  await answering.send("still here");
  assertEquals(await answering.next(), "still here");
  await answering.close();
});

onNode("bytes changed after being sent arrive unchanged", async ({ at }) => {
  const client = new SocketClient(at(), "/reuses");
  await client.send("go");
  for (let i = 0; i < 40; i++) {
    const bytes = new Uint8Array(await client.next() as ArrayBuffer);
    assertEquals([bytes.length, bytes.at(0), bytes.at(-1)], [1_000_000, i, i]);
  }
  await client.close();
});

onNode("a slow reader shows in bufferedAmount, and drain is called when it has caught up", async ({ at, events }) => {
  const connection = await rawHead(at(), "GET /fills", HANDSHAKE, frame(OPCODE.text, "go"));
  await askUntil(events, (seen) => seen.includes("full"));
  assertEquals(await events(), ["full"]);
  let bytes = 0;
  const reader = connection.readable.getReader();
  const read = (async () => {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      bytes += value.length;
    }
  })();
  await askUntil(events, (seen) => seen.length === 2);
  assertEquals(await events(), ["full", "drained 0"]);
  assert(bytes > 8_000_000, `${bytes} bytes`);
  await reader.cancel();
  await read;
});

onNode("with a certificate, sockets are secure, beside HTTP/2 on the same port", async ({ at, cert }) => {
  const client = Deno.createHttpClient({ caCerts: [cert] });
  const origin = at("secure").replace("http", "https");
  const page = await fetch(`${origin}/page`, { client } as RequestInit);
  assertEquals(page.status, 200);
  await page.body?.cancel();
  // the DOM types lack this option
  const socket = new WebSocket(`${origin.replace("http", "ws")}/echo`, { client } as unknown as string[]);
  const messages: unknown[] = [];
  await new Promise((resolve) =>
    socket.onmessage = ({ data }) => {
      messages.push(data);
      if (messages.length === 1) socket.send("secret");
      else resolve(null);
    }
  );
  assertEquals(messages, ["open", "secret"]);
  const closed = new Promise((resolve) => socket.onclose = resolve);
  socket.close();
  await closed;
  client.close();
});
