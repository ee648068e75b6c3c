/**
 * Counts the cost of each request in `counted_requests.ts`, and prints it as JSON. In process, it counts default
 * settings (`defaults`), `etag` and `json charset` false (`lean`), and a hand-written handler (`raw`); served by Deno,
 * it counts the first two.
 */
import { counted, countedUntil, countingInfo, type Counts, install } from "./counters.ts";

install();
const { requestOf, SCENARIOS } = await import("./counted_requests.ts");
const { COUNTED } = await import("./counted_handlers.ts");

/** Requests before the counted one. */
const WARM_UP = 600;

/** A scenario's cost. */
export interface Cost {
  /** Whether the response was returned synchronously. */
  readonly atOnce: boolean;
  /** Number of objects made and accessed. */
  readonly counts: Counts;
}

const all: Record<string, Record<string, Cost>> = {};
for (const [name, handler] of Object.entries(COUNTED)) {
  const costs: Record<string, Cost> = all[name] = {};
  for (const scenario of SCENARIOS) {
    const ask = () => handler(requestOf(scenario, "http://localhost:8000"), countingInfo());
    // warm-up: one-time objects are made now, and repeated responses are cached
    for (let i = 0; i < WARM_UP; i++) await ask();
    const request = requestOf(scenario, "http://localhost:8000");
    const info = countingInfo();
    const { counts, result } = counted(() => handler(request, info));
    const atOnce = result instanceof Response;
    await result;
    const again = requestOf(scenario, "http://localhost:8000");
    costs[scenario.name] = {
      atOnce,
      counts: atOnce ? counts : (await countedUntil(() => handler(again, info) as Promise<Response>)).counts,
    };
  }
}
console.log(JSON.stringify({ inProcess: all, served: await served() }));

// counting synchronously covers the handler until it returns
async function served(): Promise<Record<string, Record<string, Cost>>> {
  const all: Record<string, Record<string, Cost>> = {};
  for (const name of ["lean", "defaults"] as const) {
    const handler = COUNTED[name];
    const costs: Record<string, Cost> = all[name] = {};
    let last: Cost;
    await using server = Deno.serve({ port: 0, onListen() {} }, (request, info) => {
      const { counts, result } = counted(() => handler(request, info));
      last = { atOnce: result instanceof Response, counts };
      return result;
    });
    for (const { name, method, path, body = "" } of SCENARIOS) {
      const type = body === "" ? "" : `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
      for (let i = 0; i < WARM_UP; i++) {
        await ask(server.addr, `${method} ${path} HTTP/1.1\r\nHost: x\r\n${type}\r\n${body}`);
      }
      costs[name] = last!;
    }
  }
  return all;
}

// head and body in one write, as small requests arrive
async function ask({ port }: { port: number }, request: string): Promise<void> {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port });
  await connection.write(new TextEncoder().encode(request));
  await connection.read(new Uint8Array(65_536));
}
