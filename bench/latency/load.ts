/**
 * Sends requests to a server at a constant rate: `load.ts <port> <file> <connections> <rate> <seconds>`; the file has
 * the requests to send in turn (see `support/traffic.ts`). Runs on Bun, whose sockets cost little. Prints JSON.
 *
 * Every request has a due time, whether or not the server has kept up, and its latency is measured from then. A load
 * generator that waits for a response before it sends the next request (wrk, autocannon) sends fewer requests while the
 * server is paused, and misses most of the time users would have waited.
 */
import type { Buffer } from "node:buffer";
import { readFile } from "node:fs/promises";
import { setImmediate } from "node:timers";
import { type Counts, Latencies } from "./latencies.ts";

interface Data {
  /** When the request was due, in ms. */
  due: number;
  /** Bytes remaining in its response; `null` until the first bytes have arrived. */
  missing: number | null;
}

interface Socket {
  data: Data;
  write(data: Uint8Array): number;
  end(): void;
}

interface BunGlobal {
  argv: string[];
  connect(options: object): Promise<Socket>;
}

const { Bun } = globalThis as unknown as { Bun: BunGlobal };
const [port, file, ...numbers] = Bun.argv.slice(2);
const [connections, rate, seconds] = numbers.map(Number) as [number, number, number];
const requests = textsOf(await readFile(file!));
const WARM_UP_MS = 300;

const total = Math.floor(rate * (seconds + WARM_UP_MS / 1000));
const ignored = Math.floor(rate * WARM_UP_MS / 1000);
const latencies = new Latencies();
const lags = new Latencies();
const free: Socket[] = [];
const waiting: number[] = [];
let nextWaiting = 0;
let asked = 0;
let sent = 0;
let answered = 0;

function textsOf(bytes: Buffer): Buffer[] {
  const texts: Buffer[] = [];
  let at = bytes.indexOf("\n") + 1;
  while (at < bytes.byteLength) {
    const begin = bytes.indexOf("\n", at) + 1;
    const end = begin + Number(bytes.toString("latin1", at, begin));
    texts.push(bytes.subarray(begin, end));
    at = end;
  }
  return texts;
}

function ask(socket: Socket, due: number): void {
  const request = requests[asked++ % requests.length]!;
  socket.data.due = due;
  socket.data.missing = null;
  if (socket.write(request) !== request.byteLength) throw new Error("the system takes no more bytes");
}

function took(socket: Socket): void {
  if (answered++ >= ignored) latencies.add(performance.now() - socket.data.due);
  if (nextWaiting < waiting.length) ask(socket, waiting[nextWaiting++]!);
  else free.push(socket);
}

function received(socket: Socket, bytes: Buffer): void {
  socket.data.missing = (socket.data.missing ?? lengthOf(bytes)) - bytes.byteLength;
  if (socket.data.missing === 0) took(socket);
}

// a response's head and body; the head arrives in one piece
function lengthOf(bytes: Buffer): number {
  const end = bytes.indexOf("\r\n\r\n") + 4;
  const head = bytes.toString("latin1", 0, end);
  const length = /content-length: (\d+)/i.exec(head)?.[1];
  if (!head.startsWith("HTTP/1.1 200") || length === undefined) throw new Error(`unexpected answer: ${head}`);
  return end + Number(length);
}

const opened = await Promise.all(Array.from({ length: connections }, () =>
  Bun.connect({
    hostname: "127.0.0.1",
    port: Number(port),
    data: { due: 0, missing: null },
    socket: {
      open(socket: Socket) {
        socket.data = { due: 0, missing: null };
      },
      data: received,
      error: (_socket: Socket, error: Error) => Promise.reject(error),
    },
  })));
// one response on every connection before measuring
for (const socket of opened) {
  ask(socket, performance.now());
  answered--;
}
while (free.length < connections) await new Promise((done) => setImmediate(done));

const start = performance.now();
while (answered < total) {
  const now = performance.now();
  for (let due = start + sent * 1000 / rate; sent < total && due <= now; due = start + ++sent * 1000 / rate) {
    if (sent >= ignored) lags.add(now - due);
    const socket = free.pop();
    if (socket === undefined) waiting.push(due);
    else ask(socket, due);
  }
  if (now - start > (seconds + 10) * 1000) throw new Error(`${total - answered} of ${total} answers are missing`);
  await new Promise((done) => setImmediate(done));
}
const result: Counts = { steps: latencies.steps, lag: lags.at(0.99) };
console.log(JSON.stringify(result));
for (const socket of opened) socket.end();
