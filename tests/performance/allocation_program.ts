/**
 * Counts the bytes that each request in `counted_requests.ts` allocates, and prints them as JSON. It runs without the
 * optimizing compilers, which eventually eliminate allocations. The young generation is so large that nothing is
 * collected while counting. Thus the figures are the same in every run.
 */
const { requestOf, SCENARIOS } = await import("./counted_requests.ts");
const { COUNTED } = await import("./counted_handlers.ts");

const REQUESTS = 500;
const ORIGIN = "http://localhost:8000";

function gc(): void {
  (globalThis as unknown as { gc(): void }).gc();
}

function used(): number {
  return Deno.memoryUsage().heapUsed;
}

type Handler = (typeof COUNTED)[keyof typeof COUNTED];

async function bytesFor(handler: Handler, scenario: (typeof SCENARIOS)[number]): Promise<number> {
  let fewest = Infinity;
  for (let batch = 0; batch < 6; batch++) {
    const requests = Array.from({ length: REQUESTS }, () => requestOf(scenario, ORIGIN));
    gc();
    const before = used();
    for (let i = 0; i < REQUESTS; i++) {
      const response = handler(requests[i]!);
      if (response instanceof Promise) await response;
    }
    fewest = Math.min(fewest, used() - before);
  }
  return Math.round(fewest / REQUESTS);
}

const all: Record<string, Record<string, number>> = {};
for (const [name, handler] of Object.entries(COUNTED)) {
  const bytes: Record<string, number> = all[name] = {};
  for (const scenario of SCENARIOS) bytes[scenario.name] = await bytesFor(handler, scenario);
}
console.log(JSON.stringify(all));
