/**
 * Counts what a request costs in every scenario of the benchmark, and prints it as JSON: with the settings as they are
 * (`defaults`), with `etag` and `json charset` false (`lean`), and in a handler written by hand (`raw`).
 */
import { counted, countedUntil, countingInfo, type Counts, install } from "./counters.ts";

install();
const { requestOf, SCENARIOS } = await import("../../bench/scenarios.ts");
const { fetchHandler } = await import("../../bench/servers/handlers.ts");

/** What one scenario costs. */
export interface Cost {
  /** Whether the answer was there at once. */
  readonly atOnce: boolean;
  /** What was made and touched. */
  readonly counts: Counts;
}

const all: Record<string, Record<string, Cost>> = {};
for (const [name, contestant] of [["raw", "raw"], ["lean", "sluice-lean"], ["defaults", "sluice"]] as const) {
  const handler = await fetchHandler(contestant);
  const costs: Record<string, Cost> = all[name] = {};
  for (const scenario of SCENARIOS) {
    const ask = () => handler(requestOf(scenario, "http://localhost:8000"), countingInfo());
    // what is made once is made now
    for (let i = 0; i < 3; i++) await ask();
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
console.log(JSON.stringify(all));
