/** Callers that wait for units: none waits while there are units for it, however late they came back to the store. */
import { setImmediate as everythingElse } from "node:timers/promises";
import { type Decision, Limiter, type MemoryStore, type Policy } from "../../../advanced/mod.ts";
import { VirtualClock } from "../../../advanced/testing.ts";
import { oneOf, type Pick } from "../../../tests/support/random.ts";
import type { Fuzzer, Wrong } from "../fuzzer.ts";
import { passRecovery, passTime } from "./pass_time.ts";
import { type MadeLimiter, randomLimiter, simplerLimiters } from "./random_limiter.ts";
import { makeMemoryStore, type MakeStore, runSteps } from "./run_steps.ts";
import { SlowStore } from "./slow_store.ts";

/** A limiter to begin with, and what happens to it. */
export type WaitingStep =
  | MadeLimiter
  | { readonly does: "pass"; readonly ms: number }
  | { readonly does: "slow"; readonly aheadMs: number; readonly backMs: number }
  | { readonly does: "fail" | "heal" }
  | { readonly does: "refund"; readonly index: number }
  | { readonly does: "abort"; readonly index: number }
  | { readonly does: "reset"; readonly key: string }
  | { readonly does: "consume" | "wait"; readonly key: string; readonly cost: number };

// mostly long, so that only units that are given back can end a wait
const WINDOWS = [1000, 60_000, 3_600_000, 3_600_000];
const DELAYS_MS = [0, 0, 5, 60, 150, 300];
const KEYS = ["a", "b"];
const STEPS = 30;

/** Fuzzes waiting callers. */
export class WaitingFuzzer implements Fuzzer<WaitingStep> {
  readonly name = "callers that wait for units";
  readonly #make: MakeStore;

  /** @param make Makes the store; a memory store by default */
  constructor(make: MakeStore = makeMemoryStore) {
    this.#make = make;
  }

  round(pick: Pick): readonly WaitingStep[] {
    const made = randomLimiter(pick, WINDOWS);
    // a blocked key refuses although it has units
    const limits = made.options.limits.map((limit) => ({ ...limit, block: undefined }));
    const steps = Array.from({ length: STEPS }, () => randomStep(pick));
    return [{ ...made, options: { ...made.options, limits } }, ...steps];
  }

  async check(steps: readonly WaitingStep[]): Promise<Wrong | undefined> {
    return await runSteps<WaitingStep>(steps, (made) => new Subject(made, this.#make));
  }

  *simpler(step: WaitingStep): Generator<WaitingStep> {
    if (step.does === "make") yield* simplerLimiters(step);
    if (step.does === "pass" && step.ms > 1) yield { ...step, ms: Math.floor(step.ms / 2) };
    if ("cost" in step && step.cost > 1) yield { ...step, cost: 1 };
    if ("index" in step && step.index > 0) yield { ...step, index: 0 };
    if (step.does === "slow") {
      if (step.aheadMs > 0) yield { ...step, aheadMs: 0 };
      if (step.backMs > 0) yield { ...step, backMs: 0 };
    }
  }

  print(steps: readonly WaitingStep[]): string {
    return steps.map(printed).join("\n");
  }
}

function randomStep(pick: Pick): WaitingStep {
  const key = oneOf(pick, KEYS);
  const cost = 1 + (pick(5) === 0 ? 1 : 0);
  const choice = pick(22);
  if (choice < 4) return { does: "pass", ms: oneOf(pick, [1, pick(50), pick(400), pick(1200), pick(5000)]) };
  if (choice < 9) return { does: "consume", key, cost };
  if (choice < 13) return { does: "wait", key, cost };
  if (choice < 17) return { does: "refund", index: pick(4) };
  if (choice < 19) return { does: "slow", aheadMs: oneOf(pick, DELAYS_MS), backMs: oneOf(pick, DELAYS_MS) };
  if (choice < 20) return { does: pick(3) === 0 ? "fail" : "heal" };
  return pick(3) === 0 ? { does: "reset", key } : { does: "abort", index: pick(3) };
}

/** A caller in `waitFor`. */
interface Waiter {
  readonly key: string;
  readonly cost: number;
  /** Decisions without the store when it began: a refusal by one of them lasts as long as it says. */
  readonly local: number;
}

/** A limiter, and its callers. */
class Subject {
  readonly #clock = new VirtualClock();
  readonly #memory: MemoryStore;
  readonly #store: SlowStore | null;
  readonly #limiter: Limiter;
  /** The policies that can refuse. */
  readonly #enforced: readonly Policy[];
  readonly #granted: Decision[] = [];
  readonly #waiters = new Set<Waiter>();
  readonly #aborts: AbortController[] = [];
  /** Whether every call so far has been replied to at once. */
  #isPrompt = true;

  constructor({ isRemote, options }: MadeLimiter, make: MakeStore) {
    const { read: clock, timers } = this.#clock;
    this.#memory = make(this.#clock);
    this.#store = isRemote ? new SlowStore(this.#memory, this.#clock) : null;
    this.#limiter = new Limiter({ ...options, clock, timers, store: this.#store ?? this.#memory });
    this.#limiter.on("storeFailure", () => {});
    this.#enforced = this.#limiter.policies.filter((_, i) => options.limits[i]!.shadow !== true);
  }

  async run(step: WaitingStep): Promise<Wrong | undefined> {
    if (step.does === "pass") await passTime(this.#clock, step.ms);
    else if (step.does === "slow" || step.does === "fail" || step.does === "heal") this.#change(step);
    else if (step.does === "refund") {
      const [decision] = this.#granted.splice(step.index, 1);
      if (decision !== undefined) void this.#limiter.refund(decision);
    } else if (step.does === "abort") this.#aborts.splice(step.index, 1)[0]?.abort();
    // fails while the store does
    else if (step.does === "reset") Promise.resolve(this.#limiter.reset(step.key)).catch(() => {});
    else if (step.does === "consume") void this.#consume(step.key, step.cost);
    else if (step.does === "wait") void this.#wait(step.key, step.cost);
    await everythingElse();
    return this.#isPrompt ? this.#needlessWait() : undefined;
  }

  /** Whether someone still waits once the store has replied promptly for a while. */
  async recover(): Promise<Wrong | undefined> {
    if (this.#store !== null) Object.assign(this.#store, { fails: false, aheadMs: 0, backMs: 0 });
    if (!this.#isPrompt) await passRecovery(this.#clock);
    return this.#needlessWait();
  }

  async close(): Promise<void> {
    const closed = this.#limiter.close();
    await passRecovery(this.#clock);
    await closed;
  }

  #change(step: Extract<WaitingStep, { readonly does: "slow" | "fail" | "heal" }>): void {
    if (this.#store === null) return;
    if (step.does === "slow") Object.assign(this.#store, { aheadMs: step.aheadMs, backMs: step.backMs });
    else this.#store.fails = step.does === "fail";
    this.#isPrompt &&= !this.#store.fails && this.#store.aheadMs + this.#store.backMs === 0;
  }

  async #consume(key: string, cost: number): Promise<void> {
    const decision = await this.#limiter.consume(key, cost);
    if (decision.allowed) this.#granted.push(decision);
  }

  async #wait(key: string, cost: number): Promise<void> {
    const waiter = { key, cost, local: this.#limiter.counters.decidedLocally };
    this.#waiters.add(waiter);
    const abort = new AbortController();
    this.#aborts.push(abort);
    try {
      this.#granted.push(await this.#limiter.waitFor(key, { cost, signal: abort.signal }));
    } catch {
      // it can never be served, has been aborted, or the limiter has been closed
    } finally {
      this.#waiters.delete(waiter);
    }
  }

  // a caller that wants less waits behind one that wants more, so there must be units for all of them
  #needlessWait(): Wrong | undefined {
    for (const key of KEYS) {
      const waiters = [...this.#waiters].filter((waiter) => waiter.key === key);
      if (waiters.length === 0 || waiters.some(({ local }) => local < this.#limiter.counters.decidedLocally)) continue;
      const most = Math.max(...waiters.map(({ cost }) => cost));
      const left = Math.min(...this.#enforced.map((policy) => this.#left(policy, key)));
      if (left < most) continue;
      const detail = `${waiters.length} wait for up to ${most}, and ${left} are left`;
      return { kind: `a caller waits although there are units${this.#isPrompt ? "" : " after late replies"}`, detail };
    }
    return undefined;
  }

  #left(policy: Policy, key: string): number {
    return this.#memory.decide([{ policy, key, cost: 0 }])[0]!.remaining;
  }
}

function printed(step: WaitingStep): string {
  if (step.does === "make") {
    const store = step.isRemote ? "slow" : "memory";
    return `const limiter = new Limiter({ ...${JSON.stringify(step.options)}, store: ${store}, clock, timers });`;
  }
  if (step.does === "pass") return `await pass(${step.ms});`;
  if (step.does === "slow") return `Object.assign(slow, { aheadMs: ${step.aheadMs}, backMs: ${step.backMs} });`;
  if (step.does === "refund") return `void limiter.refund(granted.splice(${step.index}, 1)[0]);`;
  if (step.does === "abort") return `aborts.splice(${step.index}, 1)[0].abort();`;
  if (step.does === "reset") return `void limiter.reset("${step.key}");`;
  if (!("cost" in step)) return `slow.fails = ${step.does === "fail"};`;
  const method = step.does === "wait" ? "waitFor" : "consume";
  return `void limiter.${method}("${step.key}", { cost: ${step.cost} });`;
}
