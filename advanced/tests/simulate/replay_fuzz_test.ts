/** Whatever a limiter does on a logged store, replaying its log gives the same decisions. */
import { assert, assertEquals } from "@std/assert";
import {
  ALGORITHM_NAMES,
  type AlgorithmName,
  type CalendarWindow,
  type ConsumeOptions,
  type Decision,
  Limiter,
  type LimiterOptions,
  type LimitOptions,
  type LimitsOptions,
  LoggedMemoryStore,
  type OwnLimit,
  type PolicyChoice,
  type Take,
  type Verdict,
} from "@sluice/rate-limit";
import { VirtualClock } from "@sluice/rate-limit/testing";
import { readDecision } from "../../src/simulate/decision_log.ts";
import { Replay } from "../../src/simulate/replay.ts";
import { type Random, seededRandom } from "../../src/testing/seeded_random.ts";

/** Number of limiters tried, each with its own trace. */
const TRACES = Math.ceil(Number(Deno.env.get("SLUICE_FUZZ_OPERATIONS") ?? 3000) / 20);
const STEPS = 120;

/**
 * The result of a take: its policy name and key, its cost, how often it was requested, and how often it was refused.
 */
type Seen = readonly [policy: string, key: string, cost: number, times: number, refused: number];

/** A logged store that also records its decisions. */
class Watched extends LoggedMemoryStore {
  readonly seen: Seen[] = [];

  override decide(takes: readonly Take[], times = 1): readonly Verdict[] {
    const verdicts = super.decide(takes, times);
    takes.forEach(({ policy, key, cost }, i) => {
      const { denied, granted } = verdicts[i]!;
      if (cost > 0) this.seen.push([policy.name, key, cost, times, denied ? times - granted / cost : 0]);
    });
    return verdicts;
  }
}

const WINDOWS: readonly CalendarWindow[] = [
  { every: "minute" },
  { every: "hour", timeZone: "Australia/Lord_Howe" },
  { every: "day", timeZone: "Europe/Berlin" },
  { every: "month", timeZone: "America/New_York", startsOn: 31 },
];

class Trace {
  readonly pick: Random;
  readonly clock = new VirtualClock(Date.parse("2026-10-23T12:00:00Z"));
  readonly lines: string[] = [];
  readonly store = new Watched({ write: (line) => this.lines.push(line), clock: this.clock.read });
  readonly options: LimiterOptions;
  readonly limiter: Limiter;
  readonly #open: Decision[] = [];

  constructor(seed: number) {
    this.pick = seededRandom(seed);
    for (;;) {
      const options = this.#options();
      try {
        this.limiter = new Limiter(options);
        this.options = options;
        return;
      } catch (error) {
        // some options are incompatible
        assert(error instanceof TypeError || error instanceof RangeError, String(error));
      }
    }
  }

  #oneOf<T>(values: readonly T[]): T {
    return values[this.pick(values.length)]!;
  }

  #options(): LimiterOptions {
    const { store, clock } = this;
    return { ...this.#limits(), store, clock: clock.read, timers: clock.timers };
  }

  #limits(): LimitsOptions {
    const limits = Array.from({ length: 1 + this.pick(3) }, (_, i) => this.#limit(`limit ${i}`));
    const policies = { a: this.#choice(limits), b: this.#choice(limits) };
    return limits.length === 1 ? { ...limits[0], policies } : { limits, policies };
  }

  #limit(name: string): LimitOptions {
    const { pick } = this;
    const shape = this.#shape(this.#oneOf(ALGORITHM_NAMES));
    const consequence = pick(4);
    return {
      ...{ name, ...shape },
      ...(shape.algorithm !== "concurrency" && pick(2) === 0 ? { maxDebt: this.#oneOf([1, 5, 30]) } : {}),
      ...(consequence === 0 ? { onDenied: this.#oneOf(["charge", "extend"] as const) } : {}),
      ...(consequence === 1 ? { block: { after: 1 + pick(3), forMs: 1 + pick(5000) } } : {}),
      ...(pick(5) === 0 ? { shadow: true } : {}),
    };
  }

  #shape(algorithm: AlgorithmName): OwnLimit & { algorithm: AlgorithmName } {
    const { pick } = this;
    const max = this.#oneOf([0, 1, 3, 8, 20]);
    const windowMs = this.#oneOf([1, 50, 1000, 5000, 86_400_000]);
    const shape = { algorithm, max, windowMs };
    if (algorithm === "token-bucket" && pick(2) === 0) return { ...shape, burst: 1 + pick(20) };
    if (algorithm === "sliding-window" && pick(2) === 0) return { ...shape, buckets: 1 + pick(12) };
    if (algorithm !== "fixed-window") return shape;
    if (pick(2) === 0) return { algorithm, limit: max, window: this.#oneOf(WINDOWS) };
    return pick(2) === 0 ? { ...shape, align: "clock" } : shape;
  }

  #own(): OwnLimit {
    const what = this.pick(4);
    if (what === 0) return { limit: this.pick(12) };
    if (what === 1) return { windowMs: 1 + this.pick(5000) };
    return this.#shape(this.#oneOf(ALGORITHM_NAMES));
  }

  #choice(limits: readonly LimitOptions[]): Exclude<PolicyChoice, string> {
    if (limits.length === 1) return this.#own();
    return Object.fromEntries(limits.flatMap(({ name }) => this.pick(2) === 0 ? [[name!, this.#own()]] : []));
  }

  #checkOptions(): ConsumeOptions {
    const cost = this.#oneOf([1, 1, 1, 2, 0, this.pick(9)]);
    const { policies } = this.limiter;
    const what = this.pick(8);
    if (what === 0) return { cost, limit: this.pick(12) };
    if (what === 1) return { cost, limit: { [this.#oneOf(policies).name]: this.pick(12) } };
    if (what < 4) return { cost, policy: this.#oneOf(["a", "b"]) };
    if (what === 4) return { cost, policy: this.#choice(policies as unknown as LimitOptions[]) };
    return { cost };
  }

  #keys(): string | Record<string, string> {
    const key = () => `key ${this.pick(3)}`;
    if (this.pick(4) > 0) return key();
    return Object.fromEntries(this.limiter.policies.map(({ name }) => [name, key()]));
  }

  async run(): Promise<void> {
    for (let step = 0; step < STEPS; step++) {
      const { pick, clock, limiter } = this;
      clock.advance(this.#oneOf([0, pick(3), pick(40), pick(1200), pick(20) === 0 ? pick(100_000_000) : 0]));
      await settled();
      const i = pick(this.#open.length + 6);
      const decision = this.#open[i];
      if (decision !== undefined) await this.#follow(decision, i);
      else if (pick(12) === 0) await this.#beside();
      else {
        try {
          const checked = await limiter.consume(this.#keys(), this.#checkOptions());
          if (checked.allowed) this.#open.push(checked);
          if (this.#open.length > 8) this.#open.shift();
        } catch (error) {
          assert(error instanceof TypeError || error instanceof RangeError, String(error));
        }
      }
    }
    await this.limiter.close();
    await settled();
  }

  /** Settles, releases or abandons an admission. */
  async #follow(decision: Decision, i: number): Promise<void> {
    const { pick, limiter } = this;
    const what = pick(5);
    if (what > 0) this.#open.splice(i, 1);
    if (what === 1) await limiter.refund(decision);
    else if (what === 2) await limiter.release(decision);
    else if (decision.policies.some(({ maxDebt }) => maxDebt !== undefined)) {
      try {
        if (what === 0) await decision.charge(pick(6));
        else await decision.settle(pick(25));
      } catch (error) {
        assert(error instanceof RangeError, String(error));
      }
    }
  }

  /** Rare operations. */
  async #beside(): Promise<void> {
    const { pick, limiter } = this;
    const what = pick(7);
    if (what === 0) await limiter.reset(pick(3) === 0 ? undefined : `key ${pick(3)}`);
    else if (what === 1) { for await (const _ of limiter.keys(this.#oneOf(limiter.policies).name)); }
    else if (what === 2) await limiter.peek(this.#keys());
    else if (what === 3) {
      try {
        limiter.replace(this.#limits());
      } catch (error) {
        assert(error instanceof TypeError || error instanceof RangeError, String(error));
      }
    } else {
      const wait = { timeoutMs: 1 + pick(4000), cost: 1 + pick(2) };
      for (let n = pick(4); n >= 0; n--) {
        limiter.waitFor(`key ${pick(2)}`, wait).then((decision) => this.#open.push(decision), () => {});
      }
    }
  }
}

async function settled(): Promise<void> {
  for (let i = 0; i < 20; i++) await Promise.resolve();
}

Deno.test("whatever a limiter with policies of their own, tiers and debts does, its log gives the same decisions", async () => {
  let [decisions, refusals, lines] = [0, 0, 0];
  for (let seed = 1; seed <= TRACES; seed++) {
    const trace = new Trace(seed);
    await trace.run();
    const again: Seen[] = [];
    let different = 0;
    const replay = new Replay([], {
      decided({ policy, key, cost, times, refused, isAsLogged }) {
        again.push([policy.name, key, cost, times, refused]);
        if (isAsLogged !== true) different++;
      },
    });
    for (const line of trace.lines) replay.feed(readDecision(line));
    const { seen } = trace.store;
    const { policies, limits } = trace.options;
    const first = seen.findIndex((one, i) => JSON.stringify(one) !== JSON.stringify(again[i]));
    const about = `seed ${seed}, decision ${first}: ${JSON.stringify(seen[first])}\n${
      JSON.stringify({ ...trace.options, store: 0, timers: 0, clock: 0, policies, limits })
    }`;
    assertEquals(again, seen, about);
    assertEquals(different, 0, about);
    decisions += seen.length;
    refusals += seen.filter(([, , , , refused]) => refused > 0).length;
    lines += trace.lines.length;
  }
  assert(decisions > 60 * TRACES && refusals > decisions / 10, `${decisions} decisions, ${refusals} refused`);
  assert(lines > decisions / 3, `${lines} lines`);
});
