/** The limiter with service times and arrivals that differ from its design model. */
import { assert } from "@std/assert";
import { adaptive, fixed, phasesOf } from "./model_runs.ts";
import { ARRIVALS, type ModelOptions, type Phase, SERVICES } from "./server_model.ts";

const isLong = Deno.env.has("SLUICE_FUZZ_OPERATIONS");
/** Server counts, each with its number of seeds. */
const SIZES: ReadonlyMap<number, number> = new Map(isLong ? [[8, 10], [32, 10], [128, 3]] : [[32, 1]]);
/** With many servers, many requests end before the first long one. Only a mix with few long requests shows that. */
const MANY: ReadonlyMap<number, number> = new Map([[128, 1]]);
/** Seed for the fixed limits; no adaptive run uses it. */
const SEED_OF_FIXED = 4242;
/** Fixed limits, as fractions of the servers. A long queue is best for bursts. */
const PARTS = isLong ? [0.75, 1, 1.25, 1.5, 2, 3, 4] : [1, 1.5, 3];
const NAMES = isLong
  ? ["steady", "latency doubles", "back again", "capacity halves", "load spikes tenfold"]
  : ["latency doubles", "capacity halves", "load spikes tenfold"];

/** The highest throughput at a fixed limit, and the lowest p99 among limits with at least 90 % of it. */
function bestFixed(phase: Phase, options: ModelOptions): { throughput: number; p99: number } {
  const forMs = isLong && phase.forMs > 6000 ? 20_000 : 5000;
  const all = PARTS.map((part) => {
    const most = Math.max(1, Math.round(phase.servers * part));
    return fixed([{ ...phase, forMs: 2000 }, { ...phase, forMs }], most, SEED_OF_FIXED, options)[1]!;
  });
  const throughput = Math.max(...all.map((one) => one.throughput));
  const p99 = Math.min(...all.flatMap((one) => one.throughput >= 0.9 * throughput ? [one.p99] : []));
  return { throughput, p99 };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

// the other test covers exponential service times
const services = (Object.keys(SERVICES) as (keyof typeof SERVICES)[]).filter((one) => isLong || one !== "exponential");

for (const service of services) {
  for (const arrivals of ARRIVALS) {
    Deno.test(`the limit finds what servers can do whose requests take ${service} times, and come ${arrivals}`, () => {
      const options: ModelOptions = { service, arrivals };
      const sizes = !isLong && service === "bimodal" && arrivals === "poisson" ? MANY : SIZES;
      for (const [servers, seeds] of sizes) {
        const phases = phasesOf(servers);
        const runs = Array.from({ length: seeds }, (_, i) => adaptive(phases, i + 1, options).slice(1));
        const rows = phases.slice(1).flatMap((phase, i) => {
          if (!NAMES.includes(phase.name)) return [];
          const best = bestFixed(phase, options);
          const outcomes = runs.map((run) => run[i]!);
          return [{
            name: phase.name,
            capacity: outcomes.map((one) => one.throughput / one.capacity),
            found: outcomes.map((one) => one.throughput / best.throughput),
            p99: outcomes.map((one) => one.p99 / best.p99),
          }];
        });
        for (const { name, capacity, found, p99 } of rows) {
          const percent = (value: number) => `${(value * 100).toFixed(0)} %`;
          console.log(
            [
              ...[servers, service, arrivals, name, `${percent(mean(capacity))} of the capacity`],
              `${percent(mean(found))} of the most of a fixed limit (least ${percent(Math.min(...found))})`,
              `p99 ${mean(p99).toFixed(2)} times its least (most ${Math.max(...p99).toFixed(2)})`,
            ].join(" | "),
          );
        }
        for (const { name, found, p99 } of rows) {
          const [least, most] = boundsOf(options, servers, name);
          const about = `${servers} servers, ${name}`;
          assert(mean(found) >= least, `${about}: ${mean(found)} of what a fixed limit processes`);
          assert(mean(p99) <= most, `${about}: p99 is ${mean(p99)} times that of the best fixed limit`);
        }
      }
    });
  }
}

/** Guaranteed bounds: 90 % of the throughput and twice the p99, with the documented exceptions. */
function boundsOf(
  { service, arrivals }: ModelOptions,
  servers: number,
  name: string,
): readonly [throughput: number, p99: number] {
  // the limit prevents queues that last from one burst to the next
  if (arrivals === "bursty") return [servers === 128 ? 0.3 : 0.55, 1.5];
  // when all requests take equally long, the start determines p99
  if (service === "constant" && name === "capacity halves") return [0.9, 2.7];
  // when few requests take very long, it takes a while to find out that all of them do
  return [service === "lognormal" ? 0.8 : 0.9, 2];
}
