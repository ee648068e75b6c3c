/** Clients on Node that vanish, do not read, or send unwanted data, and thousands of idle clients. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { frame, OPCODE } from "../contracts/frame.ts";
import { HANDSHAKE, rawHead, readUntil, untilClosed, writeAll } from "../support/raw_client.ts";
import { SocketClient } from "../contracts/socket_client.ts";
import { skipNode, startNodeWithFiles } from "../support/node_program.ts";
import { askUntil, standingStill, text } from "../support/node_servers.ts";

const MIB = 1024 * 1024;
/** Idle connections of each kind. */
const IDLE = 2000;

interface State {
  readonly uploads: number;
  readonly failed: number;
  readonly streams: number;
  readonly cancelled: number;
  readonly closed: number;
  readonly given: number;
  readonly waiting: number;
  readonly connections: number;
  readonly sockets: number;
  /** Number of requests read late that are still in memory. */
  readonly requests: number;
  readonly heapMib: number;
  readonly rssMib: number;
  readonly peakMib: number;
}

interface Server {
  readonly origin: string;
  readonly port: number;
  /** A server that gives requests two seconds to arrive. */
  readonly hurried: string;
  state(): Promise<State>;
}

function onNode(name: string, test: (server: Server) => Promise<void>): void {
  Deno.test(`on Node, ${name}`, { ignore: skipNode }, async () => {
    await using program = await startNodeWithFiles(2 * IDLE + 1000, "tests/fixtures/node/faults.ts");
    const { loaded, hurried, watching } = JSON.parse(program.line) as Record<string, number>;
    const at = (port: number | undefined) => `http://127.0.0.1:${port}`;
    const state = async () => JSON.parse(await text(`${at(watching)}/state`)) as State;
    await state();
    await test({ origin: at(loaded), port: loaded!, hurried: at(hurried), state });
  });
}

onNode(
  "a request whose body is read late, with a listener for the end of its answer, is released",
  async (server) => {
    const asked = 30;
    for (let i = 0; i < asked; i++) {
      assertEquals(await text(`${server.origin}/later`, { method: "POST", body: "late" }), "read");
    }
    const { given, requests } = await askUntil(server.state, ({ requests }) => requests < asked / 2);
    assertEquals(given, asked * "late".length);
    assert(requests < asked / 2, `${requests} requests are kept`);
  },
);

onNode("clients that vanish in mid-upload, mid-stream and mid-frame leave nothing behind", async (server) => {
  const { origin, state } = server;
  const upload = ["Transfer-Encoding: chunked"];
  for (let i = 0; i < 50; i++) {
    const uploading = await rawHead(origin, "POST /read", upload, "5\r\nhello\r\n");
    const streaming = await rawHead(origin, "GET /download/200", []);
    const framing = await rawHead(
      origin,
      "GET /echo",
      HANDSHAKE,
      frame(OPCODE.text, "a beginning", { length: 70_000 }),
    );
    await Promise.all([readUntil(streaming, "200 OK"), readUntil(framing, "101 Switching")]);
    await askUntil(state, ({ uploads }) => uploads === i + 1);
    for (const connection of [uploading, streaming, framing]) connection.close();
  }
  const { uploads, failed, streams, cancelled, closed } = await askUntil(
    state,
    ({ connections, failed, cancelled, closed }) => connections + 150 - failed - cancelled - closed === 0,
  );
  assertEquals([uploads, failed, streams, cancelled, closed], [50, 50, 50, 50, 50]);
  assertEquals(await text(origin), "served");
});

onNode("pipelined requests that wait for others are told that their client has left", async (server) => {
  const { origin, state } = server;
  const head = "GET /waiting HTTP/1.1\r\nHost: x\r\n\r\n";
  const connection = await rawHead(origin, "GET /waiting", [], head + head);
  await askUntil(state, ({ waiting }) => waiting === 3);
  connection.close();
  await askUntil(state, ({ waiting }) => waiting === 0);
});

onNode(
  "an unread upload of 1 GiB is answered, takes no memory, and its connection stays usable",
  async (server) => {
    const { origin, state } = server;
    const before = await state();
    const connection = await rawHead(origin, "POST /ignored", [`Content-Length: ${1024 * MIB}`]);
    assertMatch(await readUntil(connection, "not read"), /^HTTP\/1\.1 200 OK/);
    const piece = new Uint8Array(MIB);
    for (let i = 0; i < 1024; i++) {
      for (let at = 0; at < MIB;) at += await connection.write(piece.subarray(at));
    }
    await connection.write(new TextEncoder().encode("GET / HTTP/1.1\r\nHost: x\r\n\r\n"));
    assertMatch(await readUntil(connection, "served"), /^HTTP\/1\.1 200 OK/);
    connection.close();
    const { peakMib } = await state();
    assert(peakMib - before.peakMib < 100, `${peakMib - before.peakMib} MiB more`);
  },
);

onNode(
  "an upload to a handler that does nothing is not buffered, and is dropped when its client leaves",
  async (server) => {
    const { hurried, state } = server;
    const before = await state();
    const connection = await rawHead(hurried, "POST /undecided", [`Content-Length: ${1024 * MIB}`]);
    let sent = 0;
    const sending = (async () => {
      const piece = new Uint8Array(MIB);
      for (;;) sent += await connection.write(piece);
    })().catch(() => {});
    await askUntil(state, ({ uploads }) => uploads === 1);
    await standingStill(async () => (await state(), sent));
    assert(sent < 50 * MIB, `${sent} bytes were taken`);
    connection.close();
    await sending;
    const { peakMib } = await askUntil(state, ({ connections }) => connections === 0);
    assert(peakMib - before.peakMib < 100, `${peakMib - before.peakMib} MiB more`);
  },
);

onNode("a download of 200 MiB is not buffered in memory while its reader is slow", async (server) => {
  const { origin, state } = server;
  const before = await state();
  const connection = await rawHead(origin, "GET /download/200", ["Connection: close"]);
  const given = await standingStill(async () => (await state()).given);
  assert(given < 50 * MIB, `${given} bytes were taken from the source`);
  let length = 0;
  for await (const piece of connection.readable) length += piece.length;
  assert(length > 200 * MIB, `${length} bytes arrived`);
  const { peakMib } = await state();
  assert(peakMib - before.peakMib < 100, `${peakMib - before.peakMib} MiB more`);
});

onNode("a WebSocket client that sends a million pings and reads nothing takes no memory", async (server) => {
  const { origin, state } = server;
  const connection = await rawHead(origin, "GET /echo", HANDSHAKE);
  await readUntil(connection, "open");
  const before = await state();
  const ping = frame(OPCODE.ping, "anybody there");
  const many = new Uint8Array(ping.length * 10_000);
  for (let at = 0; at < many.length; at += ping.length) many.set(ping, at);
  for (let i = 0; i < 100; i++) await writeAll(connection, many);
  await writeAll(connection, frame(OPCODE.ping, "the latest"));
  // the latest request gets its response as soon as there is room
  await readUntil(connection, "the latest");
  connection.close();
  const { peakMib } = await state();
  assert(peakMib - before.peakMib < 100, `${peakMib - before.peakMib} MiB more`);
});

onNode(
  `${IDLE} idle WebSockets and as many idle connections block no other client, and leave nothing behind`,
  async (server) => {
    const { origin, port, state } = server;
    // warm up before memory is measured
    const warm = new SocketClient(origin, "/echo");
    await warm.next();
    await warm.close();
    const nobody = ({ connections, sockets }: State) => connections + sockets === 0;
    const before = await askUntil(state, nobody);
    const clients = await startNodeWithFiles(
      2 * IDLE + 1000,
      "tests/fixtures/node/idle_clients.ts",
      String(port),
      String(IDLE),
    );
    try {
      assertEquals(clients.line, "open");
      const during = await state();
      assertEquals([during.connections, during.sockets], [2 * IDLE, IDLE]);
      // fetch would keep its connection open
      const asking = await rawHead(origin, "GET /", ["Connection: close"]);
      assertMatch(await untilClosed(asking), /served$/);
      const another = new SocketClient(origin, "/echo");
      assertEquals(await another.next(), "open");
      await another.send("still quick");
      assertEquals(await another.next(), "still quick");
      await another.close();
    } finally {
      await clients.stop();
    }
    const after = await askUntil(state, nobody);
    assertEquals(after.closed, IDLE + 2);
    assert(after.heapMib - before.heapMib < 20, `${after.heapMib - before.heapMib} MiB are kept`);
    assert(after.peakMib - before.peakMib < 400, `${after.peakMib - before.peakMib} MiB were taken`);
    assertEquals(await text(origin), "served");
  },
);
