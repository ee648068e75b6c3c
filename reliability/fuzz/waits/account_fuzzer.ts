/** What a store counts: the units that requests got and have not refunded, and no others. */
import { setImmediate as everythingElse } from "node:timers/promises";
import { type Decision, Limiter, type MemoryStore, type Policy, type Verdict } from "../../../advanced/mod.ts";
import { VirtualClock } from "../../../advanced/testing.ts";
import { oneOf, type Pick } from "../../../tests/support/random.ts";
import type { Fuzzer, Wrong } from "../fuzzer.ts";
import { passRecovery, passTime } from "./pass_time.ts";
import { type MadeLimiter, randomLimiter, simplerLimiters } from "./random_limiter.ts";
import { makeMemoryStore, type MakeStore, runSteps } from "./run_steps.ts";
import { SlowStore } from "./slow_store.ts";

/** A request for units, by one of the processes. */
interface Asked {
  readonly process: number;
  readonly key: string;
  readonly cost: number;
}

/** Limiters to begin with, one per process, and what happens to them. */
export type AccountStep =
  | MadeLimiter
  | { readonly does: "pass"; readonly ms: number }
  | { readonly does: "slow"; readonly process: number; readonly aheadMs: number; readonly backMs: number }
  | { readonly does: "fail"; readonly process: number; readonly fails: boolean }
  | { readonly does: "abort"; readonly index: number }
  | { readonly does: "refund"; readonly index: number }
  | { readonly does: "settle"; readonly index: number; readonly cost: number }
  | { readonly does: "limit"; readonly limit: number }
  | { readonly does: "consume" } & Asked
  | { readonly does: "wait"; readonly timeoutMs: number | undefined } & Asked;

// nothing expires during a round
const WINDOWS = [1_000_000_000];
const DELAYS_MS = [0, 0, 5, 60, 99, 150, 300, 1300];
const KEYS = ["a", "b"];
const PROCESSES = 2;
const STEPS = 40;

/** Fuzzes what a store counts for processes that share it. */
export class AccountFuzzer implements Fuzzer<AccountStep> {
  readonly name = "what the store counts";
  readonly #make: MakeStore;

  /** @param make Makes the store; a memory store by default */
  constructor(make: MakeStore = makeMemoryStore) {
    this.#make = make;
  }

  round(pick: Pick): readonly AccountStep[] {
    const made = randomLimiter(pick, WINDOWS);
    const limits = made.options.limits.map((limit) => {
      const canOwe = limit.algorithm !== "concurrency" && made.options.leases === undefined;
      const settles = canOwe && pick(3) === 0 ? { maxDebt: pick(10) } : {};
      return { ...limit, block: undefined, ...settles };
    });
    const steps = Array.from({ length: STEPS }, () => randomStep(pick));
    return [{ ...made, isRemote: true, options: { ...made.options, limits } }, ...steps];
  }

  async check(steps: readonly AccountStep[]): Promise<Wrong | undefined> {
    return await runSteps<AccountStep>(steps, (made) => new Subject(made, this.#make));
  }

  *simpler(step: AccountStep): Generator<AccountStep> {
    if (step.does === "make") yield* simplerLimiters(step);
    if (step.does === "pass" && step.ms > 1) yield { ...step, ms: Math.floor(step.ms / 2) };
    if ("cost" in step && step.cost > 1) yield { ...step, cost: 1 };
    if ("index" in step && step.index > 0) yield { ...step, index: 0 };
    if ("process" in step && step.process > 0) yield { ...step, process: 0 };
    if (step.does === "wait" && step.timeoutMs !== undefined) yield { ...step, timeoutMs: undefined };
    if (step.does === "slow") {
      if (step.aheadMs > 0) yield { ...step, aheadMs: 0 };
      if (step.backMs > 0) yield { ...step, backMs: 0 };
    }
  }

  print(steps: readonly AccountStep[]): string {
    return steps.map(printed).join("\n");
  }
}

function randomStep(pick: Pick): AccountStep {
  const process = pick(PROCESSES);
  const asked = { process, key: oneOf(pick, KEYS), cost: oneOf(pick, [1, 1, 1, 2, 0, 3]) };
  const choice = pick(24);
  if (choice < 4) return { does: "pass", ms: oneOf(pick, [1, pick(50), pick(400), pick(1200)]) };
  if (choice < 10) return { does: "consume", ...asked };
  if (choice < 14) return { does: "wait", ...asked, timeoutMs: pick(3) === 0 ? pick(400) : undefined };
  if (choice < 18) return { does: "refund", index: pick(6) };
  if (choice < 19) return { does: "settle", index: pick(6), cost: pick(8) };
  if (choice < 20) return { does: "limit", limit: 1 + pick(10) };
  if (choice < 22) return { does: "abort", index: pick(4) };
  if (choice < 23 && pick(3) === 0) return { does: "fail", process, fails: pick(3) === 0 };
  return { does: "slow", process, aheadMs: oneOf(pick, DELAYS_MS), backMs: oneOf(pick, DELAYS_MS) };
}

/** An admitted request, and by whom. */
interface Granted {
  readonly process: number;
  readonly decision: Decision;
}

/** Units on one key under one policy: as few and as many as may be counted. */
interface Range {
  least: number;
  most: number;
}

class Subject {
  readonly #clock = new VirtualClock();
  readonly #memory: MemoryStore;
  readonly #stores: readonly SlowStore[];
  readonly #limiters: readonly Limiter[];
  readonly #options: MadeLimiter["options"];
  readonly #granted: Granted[] = [];
  readonly #aborts: AbortController[] = [];
  /** By policy and key. */
  readonly #accounts = new Map<string, Range>();
  #works: Promise<unknown>[] = [];
  #hasFailed = false;
  #isClosed = false;

  constructor({ options }: MadeLimiter, make: MakeStore) {
    const { read: clock, timers } = this.#clock;
    this.#options = options;
    this.#memory = make(this.#clock);
    this.#stores = Array.from({ length: PROCESSES }, () => new SlowStore(this.#memory, this.#clock));
    this.#limiters = this.#stores.map((store) => new Limiter({ ...options, clock, timers, store }));
    for (const limiter of this.#limiters) limiter.on("storeFailure", () => {}).on("forgiven", () => {});
  }

  async run(step: AccountStep): Promise<Wrong | undefined> {
    if (step.does === "pass") await passTime(this.#clock, step.ms);
    else if (step.does === "slow") {
      Object.assign(this.#stores[step.process]!, { aheadMs: step.aheadMs, backMs: step.backMs });
    } else if (step.does === "fail") {
      this.#stores[step.process]!.fails = step.fails;
      this.#hasFailed ||= step.fails;
    } else if (step.does === "abort") this.#aborts.splice(step.index, 1)[0]?.abort();
    else if (step.does === "limit") this.#replace(step.limit);
    else if (step.does === "consume" || step.does === "wait") this.#works.push(this.#ask(step));
    else if (step.does === "refund" || step.does === "settle") {
      const [granted] = this.#granted.splice(step.index, 1);
      if (granted !== undefined) {
        this.#works.push(step.does === "refund" ? this.#refund(granted) : this.#settle(granted, step.cost));
      }
    }
    await everythingElse();
    return undefined;
  }

  async recover(): Promise<Wrong | undefined> {
    for (const store of this.#stores) Object.assign(store, { fails: false, aheadMs: 0, backMs: 0 });
    for (const abort of this.#aborts) abort.abort();
    await passRecovery(this.#clock);
    await this.#close();
    await Promise.all(this.#works);
    return this.#difference();
  }

  async close(): Promise<void> {
    await this.#close();
  }

  async #close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const closed = Promise.all(this.#limiters.map((limiter) => limiter.close()));
    await passRecovery(this.#clock);
    await closed;
  }

  // limiters with leases have fixed limits
  #replace(limit: number): void {
    if (this.#options.leases !== undefined) return;
    const limits = this.#options.limits.map((one) => ({ ...one, limit, burst: undefined }));
    for (const limiter of this.#limiters) limiter.replace({ limits });
  }

  async #ask(step: Extract<AccountStep, { readonly does: "consume" | "wait" }>): Promise<void> {
    const { process, key, cost } = step;
    const limiter = this.#limiters[process]!;
    let decision: Decision;
    if (step.does === "consume") decision = await limiter.consume(key, cost);
    else {
      const abort = new AbortController();
      this.#aborts.push(abort);
      try {
        decision = await limiter.waitFor(key, { cost, signal: abort.signal, timeoutMs: step.timeoutMs });
      } catch {
        return;
      }
    }
    if (!decision.allowed) return;
    this.#granted.push({ process, decision });
    const isStores = decision.decidedBy === "store";
    // a late store may also have granted what a fallback did
    this.#count(decision, ({ granted }) => [isStores ? granted : 0, granted]);
  }

  async #refund({ process, decision }: Granted): Promise<void> {
    const isGiven = await this.#limiters[process]!.refund(decision);
    const isStores = decision.decidedBy === "store";
    // a refund that failed may have arrived; one of a bucket leaves the part that has been refilled
    const isSure = !isStores || isGiven && decision.takes.length === 1;
    this.#count(decision, ({ granted }, { algorithm }) => {
      const rest = algorithm === "token-bucket" && granted > 0 ? 1 : 0;
      return [isStores ? -granted : 0, isSure ? rest - granted : 0];
    });
  }

  async #settle({ process, decision }: Granted, cost: number): Promise<void> {
    if (!decision.policies.some(({ maxDebt }) => maxDebt !== undefined)) return;
    const before = decision.verdicts;
    const { storeFailures } = this.#limiters[process]!.counters;
    await decision.settle(cost);
    const isSure = storeFailures === this.#limiters[process]!.counters.storeFailures && decision.decidedBy === "store";
    for (const [i, { granted }] of decision.verdicts.entries()) {
      const { policy, key } = decision.takes[i]!;
      if (policy.maxDebt === undefined) continue;
      const change = granted - before[i]!.granted;
      const rest = policy.algorithm === "token-bucket" ? 1 : 0;
      if (isSure) this.#add(policy, key, change, change + rest);
      else this.#add(policy, key, -before[i]!.granted, cost);
    }
  }

  #count(decision: Decision, change: (verdict: Verdict, policy: Policy) => readonly [number, number]): void {
    for (const [i, { policy, key }] of decision.takes.entries()) {
      this.#add(policy, key, ...change(decision.verdicts[i]!, policy));
    }
  }

  #add({ name }: Policy, key: string, least: number, most: number): void {
    const id = `${name} ${key}`;
    const range = this.#accounts.get(id) ?? { least: 0, most: 0 };
    this.#accounts.set(id, { least: range.least + least, most: range.most + most });
  }

  #difference(): Wrong | undefined {
    const { policies } = this.#limiters[0]!;
    for (const policy of policies) {
      for (const key of policy.limit > 0 ? KEYS : []) {
        const { least, most } = this.#accounts.get(`${policy.name} ${key}`) ?? { least: 0, most: 0 };
        const used = this.#used(policy, key);
        const detail = `${policy.name}, key ${key}: ${used} units are counted, from ${least} to ${most} were admitted`;
        if (used < least) return { kind: "admitted units are not counted", detail };
        // what a failing store does not take back stays counted, and so does what is refunded while the breaker is open
        if (used > most && !this.#hasFailed && this.#limiters.every(({ counters }) => counters.breakerOpened === 0)) {
          return { kind: "units are counted that no request got", detail };
        }
      }
    }
    return undefined;
  }

  #used(policy: Policy, key: string): number {
    const most = 100_000;
    const wide = policy.algorithm === "token-bucket" ? { ...policy, burst: most } : { ...policy, limit: most };
    return most - this.#memory.decide([{ policy: wide, key, cost: 0 }])[0]!.remaining;
  }
}

function printed(step: AccountStep): string {
  if (step.does === "make") {
    const options = `{ ...${JSON.stringify(step.options)}, store: slow[i], clock, timers }`;
    return `const limiters = [0, 1].map((i) => new Limiter(${options}));`;
  }
  if (step.does === "pass") return `await pass(${step.ms});`;
  if (step.does === "slow") {
    return `Object.assign(slow[${step.process}], { aheadMs: ${step.aheadMs}, backMs: ${step.backMs} });`;
  }
  if (step.does === "fail") return `slow[${step.process}].fails = ${step.fails};`;
  if (step.does === "abort") return `aborts.splice(${step.index}, 1)[0].abort();`;
  if (step.does === "limit") return `for (const one of limiters) one.replace({ …, limit: ${step.limit} });`;
  if (step.does === "refund") return `void limiters[i].refund(granted.splice(${step.index}, 1)[0]);`;
  if (step.does === "settle") return `void granted.splice(${step.index}, 1)[0].settle(${step.cost});`;
  const { process, key, cost } = step;
  if (step.does === "consume") return `void limiters[${process}].consume("${key}", { cost: ${cost} });`;
  return `void limiters[${process}].waitFor("${key}", { cost: ${cost}, timeoutMs: ${step.timeoutMs}, signal });`;
}
