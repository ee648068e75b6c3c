/** Ways for a client to keep a server busy with one connection, each hand-written. */
import { HANDSHAKE, opened, readUntil, writeAll } from "../../tests/support/raw_client.ts";
import type { Figures } from "./figures.ts";

/** Where to connect. */
export interface Target extends Figures {
  readonly port: number;
  /** The certificate for the port with TLS. */
  readonly cert: string;
}

/** One kind of use. */
export interface Feature {
  readonly name: string;
  /** Its title in the table. */
  readonly title: string;
  /** Number of connections to measure. */
  readonly connections: number;
  /** Whether the runtime supports it; true by default. */
  isPossible?(figures: Figures): boolean;
  /** Opens one connection, and leaves it in the state named by the title. */
  connect(target: Target): Promise<Deno.Conn>;
}

const MIB = 1024 * 1024;

const FORM = "multipart/form-data; boundary=x";

/** HTTP/2 headers for `GET /waits`, from HPACK's static table and its literals. */
const WAITS = [
  0x82,
  0x87,
  0x04,
  6,
  ...new TextEncoder().encode("/waits"),
  0x01,
  9,
  ...new TextEncoder().encode("localhost"),
];

/** Streams that a client opens at once: more than any runtime accepts. */
const STREAMS = 500;

const PIPELINED = 1000;

export const FEATURES: readonly Feature[] = [
  waiting("idle", "idle after a response", get("/"), "hello"),
  {
    name: "head",
    title: "half of a head",
    connections: 100,
    connect: (target) => opened(target, get("/").slice(0, -2)),
  },
  body("json", "all but the last byte of 1 MiB for `req.json()`", 20, "/json", "application/json", MIB),
  body("form", "the same of 10 MiB for `req.formData()`", 5, "/form", FORM, 10 * MIB),
  body("upload", "the same for `upload()` to memory", 5, "/upload", FORM, 10 * MIB),
  stalled("send", "`res.send` of 2 MiB", "/sent"),
  stalled("file", "file of 2 MiB by `static`", "/files/2MiB.txt"),
  stalled("stream", "endless `res.write`", "/written"),
  ...["gzip", "deflate", "br", "zstd"].flatMap((coding) => [
    compressed(`${coding}-send`, `\`res.send\` of 2 MiB, compressed with ${coding}`, coding, "/compressed/sent"),
    compressed(`${coding}-stream`, `endless \`res.write\`, compressed with ${coding}`, coding, "/compressed/written"),
  ]),
  waiting("events", "event stream", get("/events"), "data: hello"),
  waiting("socket", "WebSocket without messages", get("/socket", HANDSHAKE), "\r\n\r\n"),
  {
    name: "queue",
    title: "WebSocket that does not read 15 MiB of messages",
    connections: 4,
    connect: (target) => opened(target, get("/queue", HANDSHAKE)),
  },
  {
    name: "http2",
    title: `HTTP/2: ${STREAMS} requests at once`,
    connections: 4,
    isPossible: ({ tlsPort }) => tlsPort !== null,
    connect: manyStreams,
  },
  {
    name: "pipeline",
    title: `${PIPELINED} pipelined requests`,
    connections: 4,
    connect: (target) => opened(target, get("/waits").repeat(PIPELINED)),
  },
];

function get(path: string, headers: readonly string[] = []): string {
  return [`GET ${path} HTTP/1.1`, "Host: localhost", ...headers, "", ""].join("\r\n");
}

/** Connections that have received a response, and keep waiting. */
function waiting(name: string, title: string, request: string, until: string): Feature {
  return {
    name,
    title,
    // each uses a few kilobytes, less than a runtime allocates from the system at once
    connections: 1000,
    async connect(target) {
      const connection = await opened(target, request);
      await readUntil(connection, until);
      return connection;
    },
  };
}

function body(name: string, title: string, connections: number, path: string, type: string, bytes: number): Feature {
  return {
    name,
    title,
    connections,
    async connect(target) {
      const head = [`POST ${path} HTTP/1.1`, "Host: localhost", `Content-Type: ${type}`, `Content-Length: ${bytes}`];
      const start = type === FORM ? '--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n' : '"';
      const connection = await opened(target, `${head.join("\r\n")}\r\n\r\n${start}`);
      await writeAll(connection, new Uint8Array(bytes - start.length - 1).fill(97));
      return connection;
    },
  };
}

function stalled(name: string, title: string, path: string, headers: readonly string[] = []): Feature {
  return { name, title, connections: 20, connect: (target) => opened(target, get(path, headers)) };
}

function compressed(name: string, title: string, coding: string, path: string): Feature {
  const feature = stalled(name, title, path, [`Accept-Encoding: ${coding}`]);
  return coding === "zstd" ? { ...feature, isPossible: ({ zstd }) => zstd } : feature;
}

async function manyStreams({ tlsPort, cert }: Target): Promise<Deno.Conn> {
  const options = { hostname: "localhost", port: tlsPort!, caCerts: [cert], alpnProtocols: ["h2"] };
  const connection = await Deno.connectTls(options);
  const preface = new TextEncoder().encode("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
  const requests = Array.from({ length: STREAMS }, (_, i) => frame(1, 5, 2 * i + 1, WAITS));
  await writeAll(connection, new Uint8Array([...preface, ...frame(4, 0, 0, []), ...requests.flat()]));
  return connection;
}

function frame(type: number, flags: number, stream: number, payload: readonly number[]): number[] {
  return [0, payload.length >> 8, payload.length & 255, type, flags, 0, 0, stream >> 8, stream & 255, ...payload];
}
