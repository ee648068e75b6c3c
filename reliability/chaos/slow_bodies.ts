/** Clients that send bodies as slowly as they can, to keep those of others out. */
import { Child, commandOf, type RuntimeName, RUNTIMES } from "../support/children.ts";
import type { Row } from "./row.ts";

const ATTACKERS = 1000;
/** Bytes of the bodies they announce; above that, `req.arrayBuffer()` would refuse them. */
const LIMIT = 10 * 1024 * 1024;
const SIZES: Readonly<Record<string, readonly number[]>> = {
  "1 B": [1],
  "1 KiB": [1024],
  "64 KiB": [64 * 1024],
  "10 MiB": [LIMIT],
  "mixed": [1, 1024, 64 * 1024, LIMIT],
};

/** ms after which an attacker comes back that was cut. */
const RETURN_MS = 1000;
/** ms between two bytes of an attacker. */
const TRICKLE_MS = 5000;
/** Bytes that are left for later by those who trickle only at the last. */
const LAST = 100;

/** Honest uploads at 1 Mbit/s. */
const UPLOADS = 8;
const UPLOAD_BYTES = 8_000_000;
const BYTES_PER_SECOND = 125_000;
const PIECES_PER_SECOND = 10;
/** ms between two honest POSTs of 2 KiB. */
const POST_EVERY_MS = 50;

/** Shares of honest requests that must succeed. */
const WANTED = { posts: 0.99, uploads: 0.95 };

const encoder = new TextEncoder();
const ZEROS = new Uint8Array(64 * 1024);

/** Lets slow clients attack a server on each runtime; yields a row for each kind of them. */
export async function* slowBodies(): AsyncGenerator<Row> {
  for (const runtime of RUNTIMES) {
    for (const size of Object.keys(SIZES)) {
      for (const when of ["from the first byte", "at the last"] as const) yield await attack(runtime, size, when);
    }
  }
}

async function attack(runtime: RuntimeName, size: string, when: "from the first byte" | "at the last"): Promise<Row> {
  await using child = Child.start(await commandOf(runtime, "reliability/chaos/slow_bodies_program.ts"));
  const port = Number(await child.line());
  const over = new AbortController();
  const sizes = SIZES[size]!;
  const attackers = Array.from({ length: ATTACKERS }, async (_, i) => {
    const bytes = sizes[i % sizes.length]!;
    while (!over.signal.aborted) {
      await trickle(port, bytes, when === "at the last" ? Math.max(0, bytes - LAST) : 0, over.signal);
      await passed(RETURN_MS, over.signal);
    }
  });
  const posts: Promise<boolean>[] = [];
  const uploads: Promise<boolean>[] = [];
  // the attack comes first
  await passed(1000);
  for (let i = 0; i < UPLOADS; i++) uploads.push(uploaded(port));
  const uploading = Promise.all(uploads).then(() => over.abort());
  while (!over.signal.aborted) {
    posts.push(posted(port, posts.length % 2 === 0 ? "/parsed" : "/json"));
    await passed(POST_EVERY_MS, over.signal);
  }
  await Promise.all([uploading, ...attackers]);
  const [postShare, uploadShare] = [await shareOf(posts), await shareOf(uploads)];
  const broken = postShare < WANTED.posts || uploadShare < WANTED.uploads ? "honest bodies are kept out" : undefined;
  const sent = posts.length + uploads.length;
  return {
    fault: `${ATTACKERS} clients with bodies of ${size} that trickle ${when}, on ${runtime}`,
    sent,
    lost: Math.round(sent - posts.length * postShare - uploads.length * uploadShare),
    remark: `${percent(postShare)} of the POSTs of 2 KiB, ${percent(uploadShare)} of the uploads of 8 MB at 1 Mbit/s`,
    ...(broken === undefined ? {} : { broken }),
  };
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

async function shareOf(all: readonly Promise<boolean>[]): Promise<number> {
  const done = await Promise.all(all);
  return done.filter(Boolean).length / done.length;
}

function passed(ms: number, until?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (until?.aborted) return resolve();
    const timer = setTimeout(resolve, ms);
    until?.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    }, { once: true });
  });
}

function head(path: string, length: number): Uint8Array {
  const lines = [
    `POST ${path} HTTP/1.1`,
    "Host: localhost",
    "Content-Type: application/json",
    `Content-Length: ${length}`,
  ];
  return encoder.encode(`${lines.join("\r\n")}\r\nConnection: close\r\n\r\n`);
}

async function write(connection: Deno.TcpConn, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
}

async function zeros(connection: Deno.TcpConn, count: number): Promise<void> {
  for (let left = count; left > 0; left -= ZEROS.length) {
    await write(connection, ZEROS.subarray(0, Math.min(left, ZEROS.length)));
  }
}

/** Sends a body a byte at a time after its first bytes, until the server cuts it off. */
async function trickle(port: number, bytes: number, atOnce: number, over: AbortSignal): Promise<void> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port }).catch(() => undefined);
  if (connection === undefined) return;
  const cut = new AbortController();
  // whatever the server says, it is the end
  const reading = connection.read(new Uint8Array(1024)).catch(() => null).then(() => cut.abort());
  const ended = AbortSignal.any([over, cut.signal]);
  try {
    await write(connection, head(bytes > 1024 * 1024 ? "/bytes" : "/json", bytes));
    await zeros(connection, atOnce);
    // the last byte never comes
    for (let sent = atOnce; !ended.aborted; sent++) {
      await passed(TRICKLE_MS, ended);
      if (sent < bytes - 1 && !ended.aborted) await zeros(connection, 1);
    }
  } catch {
    // it was cut
  } finally {
    connection.close();
    await reading;
  }
}

async function statusOf(connection: Deno.TcpConn): Promise<number> {
  const buffer = new Uint8Array(1024);
  const length = await connection.read(buffer);
  return Number(new TextDecoder().decode(buffer.subarray(0, length ?? 0)).slice("HTTP/1.1 ".length, 12));
}

async function posted(port: number, path: string): Promise<boolean> {
  try {
    using connection = await Deno.connect({ hostname: "127.0.0.1", port });
    const body = encoder.encode(JSON.stringify({ a: "x".repeat(2040) }));
    await write(connection, new Uint8Array([...head(path, body.length), ...body]));
    return await statusOf(connection) === 200;
  } catch {
    return false;
  }
}

async function uploaded(port: number): Promise<boolean> {
  try {
    using connection = await Deno.connect({ hostname: "127.0.0.1", port });
    const start = performance.now();
    await write(connection, head("/bytes", UPLOAD_BYTES));
    const piece = BYTES_PER_SECOND / PIECES_PER_SECOND;
    for (let sent = 0; sent < UPLOAD_BYTES; sent += piece) {
      await zeros(connection, Math.min(piece, UPLOAD_BYTES - sent));
      await passed(Math.max(0, start + 1000 * (sent + piece) / BYTES_PER_SECOND - performance.now()));
    }
    return await statusOf(connection) === 200;
  } catch {
    return false;
  }
}
