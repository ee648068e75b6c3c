/** Clients that send bodies as slowly as they can, to block other clients' bodies. */
import { Child, commandOf, type RuntimeName, RUNTIMES } from "../support/children.ts";
import type { Row } from "./row.ts";
import { writeAll } from "../../tests/support/raw_client.ts";
import { head, zeros } from "./slow_client.ts";

const ATTACKERS = 1000;
/** Maximum size that `req.arrayBuffer()` reads. */
const LIMIT = 10 * 1024 * 1024;
/** Body sizes that the attackers declare, in bytes. */
const SIZES: Readonly<Record<string, readonly number[]>> = {
  "1 B": [1],
  "1 KiB": [1024],
  "64 KiB": [64 * 1024],
  "10 MiB": [LIMIT],
  "mixed": [1, 1024, 64 * 1024, LIMIT],
};

/** Number of honest uploads, at 1 Mbit/s. */
const UPLOADS = 8;
const UPLOAD_BYTES = 8_000_000;
const BYTES_PER_SECOND = 125_000;
const PIECES_PER_SECOND = 10;
/** Interval between honest 2 KiB POSTs, in ms. */
const POST_EVERY_MS = 50;

/** Fractions of honest requests that must succeed. */
const WANTED = { posts: 0.99, uploads: 0.95 };

/** Attacks a server on each runtime with slow clients; yields a row for each kind. */
export async function* slowBodies(): AsyncGenerator<Row> {
  for (const runtime of RUNTIMES) {
    for (const size of Object.keys(SIZES)) {
      for (const when of ["from the first byte", "at the last"] as const) yield await attack(runtime, size, when);
    }
  }
}

async function attack(runtime: RuntimeName, size: string, when: "from the first byte" | "at the last"): Promise<Row> {
  await using server = Child.start(await commandOf(runtime, "reliability/chaos/slow_bodies_program.ts"));
  const port = Number(await server.line());
  const program = await commandOf("Deno", "reliability/chaos/slow_clients_program.ts");
  await using attackers = Child.start([
    ...program,
    JSON.stringify({ port, count: ATTACKERS, sizes: SIZES[size], atOnce: when === "at the last" }),
  ]);
  await attackers.line();
  const uploads = Array.from({ length: UPLOADS }, () => uploaded(port));
  const uploading = new AbortController();
  const end = Promise.all(uploads).then(() => uploading.abort());
  const posts: Promise<boolean>[] = [];
  while (!uploading.signal.aborted) {
    posts.push(posted(port, posts.length % 2 === 0 ? "/parsed" : "/json"));
    await new Promise((resolve) => setTimeout(resolve, POST_EVERY_MS));
  }
  await end;
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

async function statusOf(connection: Deno.TcpConn): Promise<number> {
  const buffer = new Uint8Array(1024);
  const length = await connection.read(buffer);
  return Number(new TextDecoder().decode(buffer.subarray(0, length ?? 0)).slice("HTTP/1.1 ".length, 12));
}

async function posted(port: number, path: string): Promise<boolean> {
  try {
    using connection = await Deno.connect({ hostname: "127.0.0.1", port });
    const body = new TextEncoder().encode(JSON.stringify({ a: "x".repeat(2040) }));
    await writeAll(connection, new Uint8Array([...head(path, body.length), ...body]));
    return await statusOf(connection) === 200;
  } catch {
    return false;
  }
}

async function uploaded(port: number): Promise<boolean> {
  try {
    using connection = await Deno.connect({ hostname: "127.0.0.1", port });
    const start = performance.now();
    await writeAll(connection, head("/bytes", UPLOAD_BYTES));
    const piece = BYTES_PER_SECOND / PIECES_PER_SECOND;
    for (let sent = 0; sent < UPLOAD_BYTES; sent += piece) {
      await zeros(connection, Math.min(piece, UPLOAD_BYTES - sent));
      const dueMs = start + 1000 * (sent + piece) / BYTES_PER_SECOND - performance.now();
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, dueMs)));
    }
    return await statusOf(connection) === 200;
  } catch {
    return false;
  }
}
