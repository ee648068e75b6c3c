/** `delay` with `from`, compared with a model of nginx. */
import { assert, assertEquals } from "@std/assert";
import { seededRandom } from "../../src/testing/seeded_random.ts";
import { ENTRIES } from "./entries.ts";
import { nginxDepartures, type NginxLimit } from "./nginx_model.ts";
import { play, type Scene } from "./run_trace.ts";
import type { TracedRequest } from "./traces.ts";

const SEEDS = Array.from({ length: 12 }, (_, i) => i + 1);

function arrivalsOf(seed: number): number[] {
  const pick = seededRandom(seed);
  let at = 0;
  return Array.from({ length: 60 }, () => at += pick(3) > 0 ? 0 : pick(5) === 0 ? pick(3000) : pick(120));
}

function sceneOf({ rate, burst, delay }: NginxLimit, arrivals: readonly number[]): Scene {
  const trace = arrivals.map((at, i): TracedRequest => {
    return { id: `${i}`, at, ip: "192.0.2.1", headers: { "x-id": `${i}` }, hold: 1, fails: false };
  });
  return {
    trace,
    inTurn: true,
    options: () => ({
      ...{ algorithm: "token-bucket", limit: rate, windowMs: 1000, burst: burst + 1 },
      delay: { from: delay + 1, maxMs: 60_000 },
    }),
  };
}

const middleware = ENTRIES.filter(({ name }) => ["fetchLimit", "Sluice", "Express"].includes(name));

for (const seed of SEEDS) {
  Deno.test(`requests are let in, delayed and refused as by nginx: trace ${seed}`, async () => {
    const pick = seededRandom(seed * 1000);
    const burst = pick(25);
    // rates for which nginx's thousandths and whole ms are exact, so that results can be compared to the ms
    const limit = { rate: [1, 2, 5, 8, 10, 20, 40, 100][pick(8)]!, burst, delay: pick(burst + 1) };
    const arrivals = arrivalsOf(seed);
    const expected = nginxDepartures(limit, arrivals);
    for (const subject of middleware) {
      for (const store of ["memory", "async"] as const) {
        const { left } = await play(subject, sceneOf(limit, arrivals), { store, functions: "sync" }, null);
        assertEquals(Object.keys(left).length, arrivals.length);
        for (const [i, at] of expected.entries()) {
          const told = left[`${i}`]!;
          const where = `${subject.name}, ${store} store, ${JSON.stringify(limit)}, request ${i} at ${
            arrivals[i]
          }: ${told}`;
          if (at === null) assertEquals(told, `refused at ${arrivals[i]}`, where);
          else {
            const [, ms] = told.match(/^passed at (\d+)$/) ?? [];
            // nginx rounds down, and the limiter is never early
            assert(ms !== undefined && Number(ms) - at >= 0 && Number(ms) - at <= 1, `${where}, nginx at ${at}`);
          }
        }
      }
    }
  });
}
