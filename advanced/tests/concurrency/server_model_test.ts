/** The limiter finds the capacity of a modelled server. The test prints the figures that the documentation gives. */
import { assert, assertEquals } from "@std/assert";
import { adaptive, fixed, phasesOf } from "./model_runs.ts";
import { Model, type Phase } from "./server_model.ts";

const SEED = Number(Deno.env.get("SLUICE_MODEL_SEED") ?? 2026);

/** A service with a cache, one with a database, and one with many workers. */
const SERVERS = [8, 32, 128] as const;

const known = new Map<string, { p99: number; limit: number }>();

/** The fixed limit with the lowest latency among those that use at least 90 % of the server. */
function bestFixed(phase: Phase): { p99: number; limit: number } {
  const what = `${phase.servers} ${phase.meanMs} ${phase.perSecond}`;
  const best = known.get(what) ?? searchFixed(phase);
  known.set(what, best);
  return best;
}

function searchFixed(phase: Phase): { p99: number; limit: number } {
  const candidates = [0.75, 1, 1.25, 1.5].map((part) => Math.round(phase.servers * part))
    .map((most) => fixed([{ ...phase, forMs: 6000 }], most, SEED)[0]!)
    .filter(({ throughput, capacity }) => throughput >= 0.9 * capacity);
  return candidates.reduce((one, other) => other.p99 < one.p99 ? other : one);
}

for (const servers of SERVERS) {
  Deno.test(`the limit finds what ${servers} servers can do, whatever happens to them`, () => {
    const phases = phasesOf(servers);
    const rows = adaptive(phases, SEED).slice(1).map((outcome, i) => ({ ...outcome, best: bestFixed(phases[i + 1]!) }));
    console.log(`${servers} servers | capacity | throughput | p99 | best fixed p99 (limit) | mean limit`);
    for (const { name, capacity, throughput, p99, limit, best } of rows) {
      const figures = [capacity, throughput.toFixed(0), p99.toFixed(1), `${best.p99.toFixed(1)} (${best.limit})`];
      console.log([name, ...figures, limit.toFixed(1)].join(" | "));
    }
    for (const { name, capacity, throughput, p99, best } of rows) {
      assert(throughput >= 0.9 * capacity && throughput <= 1.1 * capacity, `${name}: ${throughput} of ${capacity}`);
      assert(p99 <= 2 * best.p99, `${name}: p99 is ${p99}, and ${best.p99} with a fixed limit`);
    }
  });
}

Deno.test("without a limit, the same server keeps nobody's time: the model can fail", () => {
  const [, steady] = fixed(phasesOf(32).slice(0, 2), Infinity, SEED);
  assert(steady!.p99 > 2000, `${steady!.p99}`);
  const [, starved] = fixed(phasesOf(32).slice(0, 2), 8, SEED);
  assert(starved!.throughput < 0.5 * starved!.capacity, `${starved!.throughput}`);
});

Deno.test("the model has the latency that Erlang's formula gives", () => {
  // M/M/2 at 80 %: a request waits in 71.1 % of cases, and takes 20 ms / (1 - 0.8²) on average
  const phase = { name: "", forMs: 4_000_000, servers: 2, meanMs: 20, perSecond: 80 };
  const model = new Model(SEED);
  let sum = 0;
  let count = 0;
  model.run([phase], () => {
    const began = model.now;
    return () => {
      sum += model.now - began;
      count++;
    };
  }, () => Infinity);
  const expected = 20 / (1 - 0.8 ** 2);
  assert(Math.abs(sum / count - expected) < 0.05 * expected, `${sum / count} instead of ${expected}`);
});

Deno.test("a server with little to do keeps its limit", () => {
  const phase: Phase = { name: "idle", forMs: 60_000, servers: 32, meanMs: 20, perSecond: 100 };
  const [outcome] = adaptive([phase], SEED);
  assertEquals(outcome!.limit, 20);
});
