/**
 * Sends a server more requests than it can handle: `load.ts <port> <requests a second> <seconds>`. Runs under Node, and
 * prints JSON. It sends each request when it is due, however many are waiting. The request's client gives up after two
 * seconds.
 */
import http from "node:http";
import process from "node:process";
import type { Rush } from "./work.ts";

const [port, rate, seconds] = process.argv.slice(2).map(Number) as [number, number, number];
const PATIENCE_MS = 2000;
const LONGEST_RECOVERY_MS = 60_000;
const keptAlive = new http.Agent({ keepAlive: true, maxSockets: 2100 });

interface Answer {
  /** The status, `null` if the client gave up. */
  readonly status: number | null;
  readonly body: string;
  readonly ms: number;
}

function ask(path: string, patienceMs: number, agent: http.Agent | false): Promise<Answer> {
  return new Promise((resolve) => {
    const begun = performance.now();
    const end = (status: number | null, body = "") => resolve({ status, body, ms: performance.now() - begun });
    const request = http.get({ port, host: "127.0.0.1", path, agent }, (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (text) => body += text);
      response.on("end", () => end(response.statusCode ?? null, body));
    });
    const timer = setTimeout(() => request.destroy(), patienceMs);
    request.on("error", () => end(null)).on("close", () => {
      clearTimeout(timer);
      end(null);
    });
  });
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

async function rush(): Promise<Answer[]> {
  const begun = performance.now();
  const responses: Promise<Answer>[] = [];
  while (responses.length < rate * seconds) {
    while (responses.length < (performance.now() - begun) * rate / 1000) {
      responses.push(ask("/work", PATIENCE_MS, keptAlive));
    }
    await pause(1);
  }
  // pending requests are part of the server's queue, so recovery is measured from here
  return Promise.all(responses);
}

async function recovery(): Promise<number | null> {
  const begun = performance.now();
  while (performance.now() - begun < LONGEST_RECOVERY_MS) {
    const { status, ms } = await ask("/", LONGEST_RECOVERY_MS, false);
    if (status === 200 && ms < 50) return performance.now() - begun;
    await pause(20);
  }
  return null;
}

await ask("/", PATIENCE_MS, false);
const answering = rush();
await pause(seconds * 1000);
const recovered = await recovery();
const responses = await answering;
const served = responses.filter(({ status }) => status === 200).map(({ ms }) => ms).sort((a, b) => a - b);
const at = (part: number) => Math.round(served[Math.floor(served.length * part)] ?? 0);
const result: Rush = {
  served: served.length,
  refused: responses.filter(({ status }) => status === 503).length,
  gaveUp: responses.filter(({ status }) => status === null).length,
  runs: Number((await ask("/runs", LONGEST_RECOVERY_MS, false)).body),
  p50: at(0.5),
  p99: at(0.99),
  recovery: recovered === null ? null : Math.round(recovered),
};
console.log(JSON.stringify(result));
process.exit(0);
