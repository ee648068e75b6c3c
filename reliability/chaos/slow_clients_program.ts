/**
 * Clients that send bodies a byte at a time, and come back when cut off. The argument sets how many, how large, and
 * whether all but the last bytes are sent at once. Prints a line when all have connected.
 */
import { writeAll } from "../../tests/support/raw_client.ts";
import { head, zeros } from "./slow_client.ts";

/** Delay before a client that was cut off reconnects, in ms. */
const RETURN_MS = 1000;
/** Interval between two bytes, in ms. */
const TRICKLE_MS = 5000;
/** Bytes held back. */
const LAST = 100;
/** Bytes per ms on the line they share: 1 Gbit/s. */
const LINE = 125_000;
const PIECE_BYTES = 64 * 1024;

const { port, count, sizes, atOnce } = JSON.parse(Deno.args[0]!) as {
  port: number;
  count: number;
  sizes: number[];
  atOnce: boolean;
};

function passed(ms: number, cut?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    cut?.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    }, { once: true });
  });
}

/** Settles when the line is free. */
let line: Promise<void> = Promise.resolve();

// one after the other at line speed: in parallel, each would be as slow as an honest upload
function burst(connection: Deno.TcpConn, bytes: number, cut: AbortSignal): Promise<void> {
  const turn = line.then(() => sendAtLineSpeed(connection, bytes, cut));
  // a server that does not read must not hold up the others
  line = Promise.race([turn.catch(() => {}), line.then(() => passed(bytes / LINE, cut))]);
  return turn;
}

async function sendAtLineSpeed(connection: Deno.TcpConn, bytes: number, cut: AbortSignal): Promise<void> {
  const start = performance.now();
  for (let sent = 0; sent < bytes && !cut.aborted; sent += PIECE_BYTES) {
    await zeros(connection, Math.min(bytes - sent, PIECE_BYTES));
    await passed(start + (sent + PIECE_BYTES) / LINE - performance.now(), cut);
  }
}

async function trickle(connection: Deno.TcpConn, bytes: number): Promise<void> {
  const cut = new AbortController();
  // any response ends the upload
  const reading = connection.read(new Uint8Array(1024)).catch(() => null).then(() => cut.abort());
  const first = atOnce ? Math.max(0, bytes - LAST) : 0;
  try {
    await writeAll(connection, head(bytes > 1024 * 1024 ? "/bytes" : "/json", bytes));
    await burst(connection, first, cut.signal);
    // the last byte is never sent
    for (let sent = first; !cut.signal.aborted; sent++) {
      await passed(TRICKLE_MS, cut.signal);
      if (sent < bytes - 1 && !cut.signal.aborted) await zeros(connection, 1);
    }
  } catch {
    // the connection was cut off
  } finally {
    connection.close();
    await reading;
  }
}

async function attack(bytes: number, first: Deno.TcpConn): Promise<never> {
  for (let connection: Deno.TcpConn | undefined = first;;) {
    if (connection !== undefined) await trickle(connection, bytes);
    await passed(RETURN_MS);
    // a busy server may refuse it
    connection = await Deno.connect({ hostname: "127.0.0.1", port }).catch(() => undefined);
  }
}

const connections: Deno.TcpConn[] = [];
for (let i = 0; i < count; i++) connections.push(await Deno.connect({ hostname: "127.0.0.1", port }));
connections.forEach((connection, i) => void attack(sizes[i % sizes.length]!, connection));
console.log("attacking");
