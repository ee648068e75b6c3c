/**
 * Every limiter option with the same requests on every path: seven frameworks and web requests, synchronous and
 * asynchronous stores, functions that return values or promises. Results must be the same.
 */
import { assert, assertEquals } from "@std/assert";
import type { OptionNames } from "@sluice/shared";
import type { FetchLimitOptions, RateLimitOptions } from "@sluice/rate-limit";
import { COMMON_NAMES } from "../../src/http/request_option_names.ts";
import { seededRandom } from "../../src/testing/seeded_random.ts";
import type { Subject } from "../frameworks/subjects.ts";
import { type Case, CASES, randomCase } from "./cases.ts";
import { ENTRIES } from "./entries.ts";
import { type Observed, play, type Scene, type Variant } from "./run_trace.ts";
import { traceOf } from "./traces.ts";

/** Options that the harness sets in every case. */
const ALWAYS = ["clock", "timers"];

const NAMES: OptionNames<RateLimitOptions & Pick<FetchLimitOptions, "clientAddress">> = {
  ...COMMON_NAMES,
  handler: true,
  requestPropertyName: true,
  clientAddress: true,
};

const VARIANTS: readonly Variant[] = [
  { store: "memory", functions: "sync" },
  { store: "memory", functions: "async" },
  { store: "async", functions: "sync" },
  { store: "async", functions: "async" },
];

/** Number of random cases in a test run, and the first one's seed. */
const RANDOM = Number(Deno.env.get("SLUICE_DIFFERENTIAL_CASES") ?? 16);
const SEED = Number(Deno.env.get("SLUICE_DIFFERENTIAL_SEED") ?? 1);

let played = 0;
let requests = 0;

async function agrees(name: string, one: Case, seed: number): Promise<void> {
  const entries = ENTRIES.filter((subject) => one.suits?.(subject) ?? true);
  const scene: Scene = { ...one, trace: traceOf(seed, one) };
  // memory never fails
  const variants = one.outage === undefined ? VARIANTS : VARIANTS.filter(({ store }) => store === "async");
  let reference: Observed | null = null;
  for (const subject of entries) {
    for (const variant of variants) {
      try {
        const observed = await play(subject, scene, variant, reference);
        reference ??= observed;
      } catch (error) {
        const where = `${name}, seed ${seed}: ${subject.name}, ${variant.store} store, ${variant.functions} functions`;
        throw new Error(`${where}: ${(error as Error).message}`, { cause: error });
      }
      played++;
      requests += scene.trace.length;
    }
  }
}

Deno.test("every option is in a case of the harness", () => {
  const making = { header: () => "", respond: () => () => {}, clock: () => 0 };
  const given = Object.values(CASES).flatMap((one) => {
    const { limits = [], ...options } = one.options(making) as RateLimitOptions;
    return [options, ...limits].flatMap((all) => Object.keys(all)).concat(limits.length > 0 ? ["limits"] : []);
  });
  assertEquals(Object.keys(NAMES).filter((name) => !given.includes(name) && !ALWAYS.includes(name)), []);
});

for (const [name, one] of Object.entries(CASES)) {
  Deno.test(`all entries and paths agree: ${name}`, async () => {
    for (const seed of [1, 2]) await agrees(name, one, seed);
  });
}

/** The error an entry throws for incompatible options, `null` if they are compatible. */
async function refusalOf({ header, respond, serve }: Subject, one: Case): Promise<string | null> {
  try {
    const served = await serve([one.options({ header, respond, clock: () => 0 })]);
    await served.close();
    return null;
  } catch (error) {
    return (error as Error).message.replace(/^\w+: /, "");
  }
}

Deno.test(`all entries and paths agree: ${RANDOM} combinations by chance`, async () => {
  let agreed = 0;
  for (let seed = SEED; seed < SEED + RANDOM; seed++) {
    const one = randomCase(seededRandom(seed));
    const [first, ...others] = await Promise.all(ENTRIES.map((subject) => refusalOf(subject, one)));
    for (const other of others) assertEquals(other, first);
    if (first !== null) continue;
    await agrees(`combination ${seed}`, one, seed);
    agreed++;
  }
  assert(agreed > RANDOM / 4);
  console.log(`${agreed} combinations, ${played} runs, ${requests} requests`);
});
