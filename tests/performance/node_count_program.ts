/**
 * Counts on Node's own server, and prints as JSON:
 *
 * - the objects made until a response is sent, for the requests in `counted_requests.ts` that have no body and get their
 *   response on the tick they arrive
 * - how often asynchronous handlers behind a body parser read the client's address and set a timer
 */
import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import process from "node:process";
import { counted, countMaking, type Counts } from "./counters.ts";

const CLASSES = [
  "Headers",
  "URL",
  "URLSearchParams",
  "Response",
  "Request",
  "ReadableStream",
  "AbortController",
] as const;
for (const name of CLASSES) countMaking(name);

const ASYNCHRONOUS = 20;

const { default: sluice } = await import("@sluice/sluice");
const { toNodeHandler } = await import("@sluice/sluice/node");
const { SCENARIOS } = await import("./counted_requests.ts");
const { countedApp } = await import("./counted_handlers.ts");

const handler = toNodeHandler(countedApp());
let last: Counts = {};
let isOut = false;
const server = createServer((req, res) => {
  last = counted(() => handler(req, res)).counts;
  isOut = res.writableEnded;
});
server.listen(0, "127.0.0.1", async () => {
  const { port } = server.address() as AddressInfo;
  const all: Record<string, Counts> = {};
  for (const { name, path, body } of SCENARIOS) {
    if (body !== undefined) continue;
    // one-time objects are made during the first request
    for (let i = 0; i < 2; i++) await ask(port, path);
    if (isOut) all[name] = last;
  }
  server.close();
  console.log(JSON.stringify({ made: all, asynchronous: await countAsynchronous() }));
  process.exit();
});

async function countAsynchronous(): Promise<Record<"addresses" | "timers", number>> {
  const app = sluice();
  app.use(sluice.json());
  app.all("/", async (req, res) => {
    await Promise.resolve();
    // cookies of sessions depend on it
    res.json(req.secure ? null : req.body ?? {});
    await Promise.resolve();
  });
  let addresses = 0;
  const server = createServer(toNodeHandler(app)).listen(0, "127.0.0.1");
  server.on("connection", (socket) =>
    Object.defineProperty(socket, "remoteAddress", {
      get() {
        addresses++;
        return "127.0.0.1";
      },
    }));
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await ask(port, "/", '{"first":true}');
  const set = countCalls("setTimeout");
  for (let i = 0; i < ASYNCHRONOUS; i++) await ask(port, "/", i % 2 === 0 ? '{"a":1}' : undefined);
  return { addresses, timers: set() };
}

function countCalls(name: "setTimeout"): () => number {
  const plain = globalThis[name];
  let count = 0;
  const counting = (...args: Parameters<typeof plain>) => {
    count++;
    return plain(...args);
  };
  Object.assign(globalThis, { [name]: counting });
  return () => count;
}

function ask(port: number, path: string, body?: string): Promise<void> {
  const headers = body === undefined ? {} : { "Content-Type": "application/json", "Content-Length": body.length };
  const method = body === undefined ? "GET" : "POST";
  return new Promise((resolve) => {
    request({ port, host: "127.0.0.1", path, method, headers }, (res) => void res.resume().on("end", () => resolve()))
      .end(body);
  });
}
