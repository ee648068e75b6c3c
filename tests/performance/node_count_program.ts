/**
 * Counts the objects made until a response is sent, on Node's own server, and prints them as JSON. Covers the requests
 * in `counted_requests.ts` that have no body and get their response on the tick they arrive.
 */
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
  console.log(JSON.stringify(all));
  process.exit();
});

function ask(port: number, path: string): Promise<void> {
  return new Promise((resolve) => {
    request({ port, host: "127.0.0.1", path }, (res) => void res.resume().on("end", () => resolve())).end();
  });
}
