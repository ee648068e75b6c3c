/**
 * How a new limit grows: immediately without contention, and no further than an overloaded server model allows.
 */
import { assert } from "@std/assert";
import { adaptiveConcurrency, type Priority } from "@sluice/rate-limit";
import { fixed } from "./model_runs.ts";
import { Model, type ModelOptions, type Phase } from "./server_model.ts";

const SEEDS = Deno.env.has("SLUICE_FUZZ_OPERATIONS") ? [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] : [1, 2];
const LATENCIES = [1, 10, 100, 1000, 3000, 30_000];
const KINDS = ["constant", "exponential", "bimodal"] as const;

interface Run {
  /** Fraction of refused requests. */
  readonly refused: number;
  /** When the limit reached 500, in ms. */
  readonly at500: number;
  readonly throughput: number;
  readonly p99: number;
  readonly limit: number;
}

/** Runs phases and returns the last one's result. */
function run(phases: readonly Phase[], seed: number, options: ModelOptions, priority?: Priority): Run {
  const model = new Model(seed, options);
  const limit = adaptiveConcurrency({ clock: () => model.now });
  let at500 = Infinity;
  const begin = () => {
    const end = limit.begin(priority);
    if (at500 === Infinity && limit.figures.limit >= 500) at500 = model.now;
    return end;
  };
  const limitNow = () => limit.figures.limit;
  model.run(phases.slice(0, -1), begin, limitNow);
  const before = limit.figures;
  const [outcome] = model.run(phases.slice(-1), begin, limitNow);
  const { admitted, refused: { normal, low } } = limit.figures;
  const refused = normal + low - before.refused.normal - before.refused.low;
  return {
    refused: refused / (refused + admitted - before.admitted),
    at500,
    throughput: outcome!.throughput / outcome!.capacity,
    p99: outcome!.p99,
    limit: limit.figures.limit,
  };
}

/** A server with capacity for everything at once. */
function roomy(meanMs: number, inProgress: number, forMs = Math.max(20_000, 3 * meanMs)): Phase {
  return { name: "", servers: Infinity, meanMs, perSecond: inProgress / meanMs * 1000, forMs };
}

for (const service of KINDS) {
  Deno.test(`at most 1 % is refused where nothing is short, with ${service} times from 1 ms to 30 s`, () => {
    for (const meanMs of LATENCIES) {
      for (const inProgress of meanMs === 1 ? [10] : meanMs === 10 ? [10, 100] : [10, 100, 250, 500]) {
        // a faster rise looks like a flood, which takes the limit half a second
        if (inProgress / meanMs * 1000 > 10_000) continue;
        const at = (part: number) => roomy(meanMs, inProgress * part);
        const situations: Record<string, Phase[]> = {
          "sudden load": [at(1)],
          "a ramp": [...[0.2, 0.4, 0.6, 0.8].map(at).map((phase) => ({ ...phase, forMs: phase.forMs / 4 })), at(1)],
          "idle, then a burst": [at(Math.min(1, 3 / inProgress)), at(1)],
        };
        for (const [name, phases] of Object.entries(situations)) {
          for (const seed of inProgress / meanMs > 2 ? [1] : SEEDS) {
            const { refused } = run(phases, seed, { service });
            const about = `${name}, ${meanMs} ms, ${inProgress} in progress, seed ${seed}`;
            assert(refused <= 0.01, `${about}: ${(100 * refused).toFixed(2)} % refused`);
          }
        }
      }
    }
  });

  Deno.test(`the limit grows from 20 to 500 in under 2 s, with ${service} times from 1 ms to 30 s`, () => {
    for (const meanMs of LATENCIES) {
      // long requests cannot have ended by then
      const phase = { ...roomy(meanMs, 600, 2000), perSecond: 600 / Math.min(meanMs, 1000) * 1000 };
      for (const seed of meanMs < 100 ? [1] : SEEDS) {
        const { at500 } = run([{ ...phase, forMs: meanMs < 100 ? 500 : 2000 }], seed, { service });
        assert(at500 < 2000, `${meanMs} ms, seed ${seed}: ${at500} ms`);
      }
    }
  });

  Deno.test(`a server that is overloaded from the start ends the growth, with ${service} times`, () => {
    for (const servers of [10, 20, 100, 500]) {
      for (const overload of servers === 500 ? [1.3] : [1.3, 5]) {
        const phase = { name: "", servers, meanMs: 25, perSecond: servers / 25 * 1000 * overload, forMs: 10_000 };
        const best = [1, 1.5, 2].map((part) => fixed([phase], servers * part, 4242, { service })[0]!)
          .filter(({ throughput, capacity }) => throughput >= 0.9 * capacity)
          .reduce((least, { p99 }) => Math.min(least, p99), Infinity);
        for (const seed of servers > 20 ? [1] : SEEDS) {
          const { throughput, p99 } = run([phase, phase], seed, { service });
          const about = `${servers} servers, ${overload} times as much, seed ${seed}`;
          assert(throughput >= 0.9, `${about}: ${throughput} of the capacity`);
          // with few servers, the queue is as long as the square root of the limit
          assert(
            p99 <= (servers === 10 ? 3 : 2) * best,
            `${about}: p99 is ${p99} ms, and ${best} ms with a fixed limit`,
          );
        }
      }
    }
  });
}

Deno.test("after an overload, the limit grows by multiples again where requests do not wait", () => {
  for (const seed of SEEDS) {
    const overloaded = { name: "", servers: 10, meanMs: 100, perSecond: 1000, forMs: 20_000 };
    const { limit } = run([overloaded, { ...overloaded, servers: Infinity, forMs: 60_000 }], seed, {});
    assert(limit >= 80, `seed ${seed}: ${limit}`);
  }
});

Deno.test("the limit grows for requests of low priority, too, which it refuses at half of it", () => {
  for (const seed of SEEDS) {
    const { refused } = run([roomy(1000, 200)], seed, {}, "low");
    assert(refused <= 0.01, `seed ${seed}: ${refused}`);
  }
});

Deno.test("a limit that may grow no further stays there until requests show that they wait", () => {
  for (const seed of SEEDS) {
    const model = new Model(seed, { service: "constant" });
    const limit = adaptiveConcurrency({ max: 100, clock: () => model.now });
    model.run([{ ...roomy(3000, 150), forMs: 30_000 }], () => limit.begin(), () => limit.figures.limit);
    assert(limit.figures.limit >= 95, `seed ${seed}: ${limit.figures.limit}`);
  }
});
