/**
 * Sends requests to a server at a constant rate: `load.ts <port> <path> <connections> <rate> <seconds>`. Runs on Bun,
 * whose sockets cost little. Prints JSON.
 *
 * Every request has a time at which it is due, whether or not the server has kept up, and its latency is measured from
 * then. A load generator that waits for an answer before it sends the next request (wrk, autocannon) sends fewer
 * requests while the server is paused, and misses most of the time users would have waited.
 */
import { setImmediate } from "node:timers";
import { type Counts, Latencies } from "./latencies.ts";

interface Socket {
  data: { due: number; received: number };
  write(data: Uint8Array): number;
  end(): void;
}

interface BunGlobal {
  argv: string[];
  connect(options: object): Promise<Socket>;
}

const { Bun } = globalThis as unknown as { Bun: BunGlobal };
const [port, path, ...numbers] = Bun.argv.slice(2);
const [connections, rate, seconds] = numbers.map(Number) as [number, number, number];
const request = new TextEncoder().encode(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
const WARM_UP_MS = 300;

const total = Math.floor(rate * (seconds + WARM_UP_MS / 1000));
const ignored = Math.floor(rate * WARM_UP_MS / 1000);
const latencies = new Latencies();
const lags = new Latencies();
const free: Socket[] = [];
const waiting: number[] = [];
let nextWaiting = 0;
let answerBytes = 0;
let sent = 0;
let answered = 0;

function ask(socket: Socket, due: number): void {
  socket.data.due = due;
  socket.data.received = 0;
  if (socket.write(request) !== request.byteLength) throw new Error("the system takes no more bytes");
}

function took(socket: Socket): void {
  if (answered++ >= ignored) latencies.add(performance.now() - socket.data.due);
  if (nextWaiting < waiting.length) ask(socket, waiting[nextWaiting++]!);
  else free.push(socket);
}

function received(socket: Socket, data: Uint8Array): void {
  if (answerBytes === 0) answerBytes = lengthOf(new TextDecoder().decode(data));
  socket.data.received += data.byteLength;
  if (socket.data.received === answerBytes) took(socket);
}

// every answer has the length of the first
function lengthOf(answer: string): number {
  const [head, body] = answer.split("\r\n\r\n") as [string, string];
  if (!answer.startsWith("HTTP/1.1 200")) throw new Error(`unexpected answer: ${answer}`);
  if (Number(/content-length: (\d+)/i.exec(head)?.[1]) !== body.length) {
    throw new Error("the first answer is incomplete");
  }
  return answer.length;
}

const opened = await Promise.all(Array.from({ length: connections }, () =>
  Bun.connect({
    hostname: "127.0.0.1",
    port: Number(port),
    data: { due: 0, received: 0 },
    socket: {
      open(socket: Socket) {
        socket.data = { due: 0, received: 0 };
      },
      data: received,
      error: (_socket: Socket, error: Error) => Promise.reject(error),
    },
  })));
// one answer on every connection before measuring
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
