/**
 * What a limiter says about a key: a peek says what a request would get, a refusal says when it ends, and a cached
 * refusal says the same as the store.
 */
import { type Decision, Limiter } from "../../../advanced/mod.ts";
import { refusesFreely } from "../../../advanced/src/policy/policy.ts";
import { VirtualClock } from "../../../advanced/testing.ts";
import { AsyncStore } from "../../../advanced/tests/support/async_store.ts";
import { oneOf, type Pick } from "../../../tests/support/random.ts";
import type { Fuzzer, Wrong } from "../fuzzer.ts";
import { type MadeLimiter, randomLimiter, simplerLimiters } from "./random_limiter.ts";
import { makeMemoryStore, type MakeStore, runSteps } from "./run_steps.ts";

/** A limiter to begin with, and what happens to it. */
export type RefusalStep =
  | MadeLimiter
  | { readonly does: "pass"; readonly ms: number }
  | { readonly does: "fail"; readonly fails: boolean }
  | { readonly does: "refund"; readonly index: number }
  | { readonly does: "limit"; readonly limit: number }
  | { readonly does: "reset"; readonly key: string }
  | { readonly does: "peek" } & Asked
  | { readonly does: "consume" | "retry"; readonly cost: number } & Asked;

/** A key, and perhaps a limit for this call, as for a customer's tier. */
interface Asked {
  readonly key: string;
  readonly limit?: number;
}

const WINDOWS = [1, 7, 10, 100, 997, 1000, 2500, 60_000];
const KEYS = ["a", "b"];
const STEPS = 40;
/** Longer waits are not tested, because a refusal may never end. */
const LONGEST_WAIT_MS = 1_000_000_000;

/** Fuzzes what limiters say. */
export class RefusalFuzzer implements Fuzzer<RefusalStep> {
  readonly name = "what the limiter says about keys";
  readonly #make: MakeStore;

  /** @param make Makes the store; a memory store by default */
  constructor(make: MakeStore = makeMemoryStore) {
    this.#make = make;
  }

  round(pick: Pick): readonly RefusalStep[] {
    return [randomLimiter(pick, WINDOWS), ...Array.from({ length: STEPS }, () => randomStep(pick))];
  }

  async check(steps: readonly RefusalStep[]): Promise<Wrong | undefined> {
    return await runSteps<RefusalStep>(steps, (made) => new Subject(made, this.#make));
  }

  *simpler(step: RefusalStep): Generator<RefusalStep> {
    if (step.does === "make") yield* simplerLimiters(step);
    if (step.does === "pass" && step.ms > 1) yield { ...step, ms: Math.floor(step.ms / 2) };
    if ("cost" in step && step.cost > 1) yield { ...step, cost: 1 };
    if (step.does === "retry") yield { ...step, does: "consume" };
    if (step.does !== "limit" && "limit" in step) {
      const { limit: _, ...others } = step;
      yield others;
    }
  }

  print(steps: readonly RefusalStep[]): string {
    return steps.map(printed).join("\n");
  }
}

function randomStep(pick: Pick): RefusalStep {
  const key = oneOf(pick, KEYS);
  const cost = oneOf(pick, [1, 1, 1, 2, 3, pick(10)]);
  const choice = pick(20);
  if (choice < 5) return { does: "pass", ms: oneOf(pick, [1, 1, pick(10), pick(100), pick(1200), pick(70_000)]) };
  const asked = pick(8) === 0 ? { key, limit: 1 + pick(20) } : { key };
  if (choice < 11) return { does: "consume", ...asked, cost };
  if (choice < 14) return { does: "peek", ...asked };
  if (choice < 17) return { does: "retry", ...asked, cost: Math.max(1, cost) };
  if (choice < 18) return { does: "refund", index: pick(8) };
  if (choice < 19 && pick(3) === 0) return { does: "limit", limit: 1 + pick(20) };
  return pick(3) === 0 ? { does: "reset", key } : { does: "fail", fails: pick(2) === 0 };
}

/** A limiter, and one that always calls its store, to compare with. */
class Subject {
  readonly #clock = new VirtualClock();
  readonly #store: AsyncStore | null;
  readonly #limiter: Limiter;
  /** `null` once they may differ: in an outage. */
  #plain: Limiter | null = null;
  #hasFailed = false;
  readonly #isExact: boolean;
  readonly #isShared: boolean;
  readonly #leases: boolean;
  readonly #limits: MadeLimiter["options"]["limits"];
  /** What was granted, by both limiters. */
  readonly #open: (readonly Decision[])[] = [];

  constructor({ isRemote, options }: MadeLimiter, make: MakeStore) {
    const memory = make(this.#clock);
    const common = { clock: this.#clock.read, timers: this.#clock.timers };
    this.#store = isRemote ? new AsyncStore(memory) : null;
    this.#limiter = new Limiter({ ...options, ...common, store: this.#store ?? memory });
    this.#limiter.on("storeFailure", () => {});
    this.#isExact = this.#limiter.policies.every(refusesFreely);
    this.#isShared = (options.processes ?? 1) > 1;
    this.#leases = options.leases !== undefined;
    this.#limits = options.limits;
    // units reserved for one cost are not available to another
    if (isRemote && !this.#leases) {
      this.#plain = new Limiter({ limits: options.limits, ...common, store: make(this.#clock) });
    }
  }

  async run(step: RefusalStep): Promise<Wrong | undefined> {
    if (step.does === "pass") this.#clock.advance(step.ms);
    else if (step.does === "fail") this.#fail(step.fails);
    else if (step.does === "peek") return await this.#peek(step);
    else if (step.does === "consume") return (await this.#consume(step, step.cost)).wrong;
    else if (step.does === "retry") return await this.#retry(step, step.cost);
    else if (step.does === "refund") await this.#refund(step.index);
    else if (step.does === "limit") this.#replace(step.limit);
    else if (step.does === "reset" && !this.#store?.failure) {
      for (const limiter of this.#limiters) await limiter.reset(step.key);
    }
    return undefined;
  }

  async close(): Promise<void> {
    for (const limiter of this.#limiters) await limiter.close();
  }

  get #limiters(): Limiter[] {
    return this.#plain === null ? [this.#limiter] : [this.#limiter, this.#plain];
  }

  #fail(fails: boolean): void {
    if (this.#store === null) return;
    this.#store.failure = fails ? new Error("planted") : null;
    this.#hasFailed ||= fails;
    if (fails) this.#plain = null;
  }

  // a limiter with leases has fixed limits, and not every store forgets a bucket that was full at its former rate
  #replace(limit: number): void {
    if (this.#leases || this.#limits.some(({ algorithm }) => algorithm === "token-bucket")) return;
    const limits = this.#limits.map((one) => ({ ...one, limit }));
    for (const limiter of this.#limiters) limiter.replace({ limits });
  }

  async #refund(index: number): Promise<void> {
    const [decision, plain] = this.#open.splice(index, 1)[0] ?? [];
    if (decision !== undefined) await this.#limiter.refund(decision);
    if (plain !== undefined) await this.#plain?.refund(plain);
  }

  async #consume(
    { key, limit }: Asked,
    cost: number,
  ): Promise<{ readonly decision: Decision; readonly wrong?: Wrong }> {
    const decision = await this.#limiter.consume(key, { cost, limit });
    const plain = await this.#plain?.consume(key, { cost, limit });
    if (decision.allowed && cost > 0) this.#open.push(plain === undefined ? [decision] : [decision, plain]);
    if (plain === undefined) return { decision };
    const [ours, theirs] = [refusalOf(decision), refusalOf(plain)];
    if (ours === theirs) return { decision };
    const detail = `${ours} with merged calls and cached refusals, ${theirs} without`;
    return { decision, wrong: { kind: "a decision differs from the store's own", detail } };
  }

  async #peek(asked: Asked): Promise<Wrong | undefined> {
    const peeked = await this.#limiter.peek(asked.key, { limit: asked.limit });
    const { decision, wrong } = await this.#consume(asked, 1);
    if (wrong !== undefined) return wrong;
    // a peek counts no refusal, so it does not foresee that the next one blocks the key
    if (decision.verdicts.some(({ blocked }, i) => blocked && !peeked.verdicts[i]!.blocked)) return undefined;
    const [told, got] = [refusalOf(peeked), refusalOf(decision)];
    if (told !== got) return { kind: "a peek says something else than consume", detail: `${told}, then ${got}` };
    // a lease or a cached refusal says what was left when it was made; who admits everything counts nothing
    const isCounted = decision.allowed ? !this.#leases && decision.decidedBy !== "open" : this.#store === null;
    for (const [i, { granted, remaining }] of isCounted ? decision.verdicts.entries() : []) {
      const before = peeked.verdicts[i]!.remaining;
      if (before - granted === remaining) continue;
      return { kind: "a peek says another remaining than consume", detail: `${before} - ${granted} = ${remaining}` };
    }
    return undefined;
  }

  async #retry(asked: Asked, cost: number): Promise<Wrong | undefined> {
    const { decision: { allowed, retryAfterMs, decidedBy }, wrong } = await this.#consume(asked, cost);
    if (wrong !== undefined || allowed || retryAfterMs > LONGEST_WAIT_MS) return wrong;
    if (retryAfterMs <= 0) return { kind: "a refusal without a wait", detail: `${retryAfterMs} ms` };
    // since the store could not be called, a cached refusal may not know of later grants
    if (decidedBy === "store" && this.#hasFailed) return undefined;
    // a guess: nobody counts, or the process alone can never grant it
    if (decidedBy === "closed" || decidedBy === "local" && this.#isShared) return undefined;
    if (this.#isExact) {
      this.#clock.advance(retryAfterMs - 1);
      const early = await this.#consume(asked, cost);
      if (early.wrong !== undefined) return early.wrong;
      const detail = `refused for ${retryAfterMs} ms; a ms before, ${refusalOf(early.decision)}`;
      if (early.decision.decidedBy !== decidedBy) return undefined;
      if (early.decision.retryAfterMs !== 1) return { kind: "a refusal ends too early or too late", detail };
      this.#clock.advance(1);
    } else this.#clock.advance(retryAfterMs);
    const again = await this.#consume(asked, cost);
    if (again.wrong !== undefined || again.decision.decidedBy !== decidedBy || again.decision.allowed) {
      return again.wrong;
    }
    const detail = `refused for ${retryAfterMs} ms; then ${refusalOf(again.decision)}`;
    return { kind: "a refusal does not end", detail };
  }
}

/** What a decision says, except for numbers that a cached refusal need not know. */
function refusalOf({ allowed, decidedBy, retryAfterMs, verdicts, policies }: Decision): string {
  const refusing = policies.filter((_, i) => verdicts[i]!.denied).map(({ name }) => name);
  const wait = allowed ? "" : `, ${retryAfterMs} ms`;
  return `${allowed ? "allowed" : "refused"} by ${decidedBy}, refusing: ${refusing.join() || "none"}${wait}`;
}

function printed(step: RefusalStep): string {
  if (step.does === "make") {
    const store = step.isRemote ? "new AsyncStore(new MemoryStore({ clock }))" : "new MemoryStore({ clock })";
    return `const limiter = new Limiter({ ...${JSON.stringify(step.options)}, store: ${store}, clock, timers });`;
  }
  if (step.does === "pass") return `clock.advance(${step.ms});`;
  if (step.does === "fail") return `store.failure = ${step.fails ? "new Error()" : "null"};`;
  if (step.does === "limit") {
    return `limiter.replace({ limits: limits.map((one) => ({ ...one, limit: ${step.limit} })) });`;
  }
  if (step.does === "refund") return `await limiter.refund(granted.splice(${step.index}, 1)[0]);`;
  const key = JSON.stringify(step.key);
  if (step.does === "reset") return `await limiter.reset(${key});`;
  const limit = step.limit === undefined ? "" : `limit: ${step.limit}`;
  const peek = step.does === "peek" ? `await limiter.peek(${key}, { ${limit} }); ` : "";
  const cost = step.does === "peek" ? 1 : step.cost;
  const again = step.does === "retry" ? " // and again at retryAfterMs" : "";
  return `${peek}await limiter.consume(${key}, { cost: ${cost}, ${limit} });${again}`;
}
