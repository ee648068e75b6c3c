import { Limiter } from "../limiter/limiter.ts";
import { clientKey } from "@sluice/limiting";
import { type Rule, type RuleRequest, RuleSet } from "../rules/rule_set.ts";
import { hasDebts, holdsSlots, type Policy } from "../policy/policy.ts";
import type { Decision } from "../limiter/decision.ts";
import type { Take, Verdict } from "../policy/store.ts";
import type { LoggedLine, LoggedTake } from "../stores/logged_memory_store.ts";
import { MemoryStore } from "../stores/memory_store.ts";
import { isLoggedLine, type LoggedRequest, type LogRecord } from "./log_record.ts";

/** The outcome of one request, or of several equal requests. */
export interface Outcome {
  /** The policy that decided. */
  readonly policy: Policy;
  readonly key: string;
  /** Time in ms. */
  readonly ms: number;
  /** Units that each request costs. */
  readonly cost: number;
  /** Number of requests. */
  readonly times: number;
  /** Number that the policy refused. */
  readonly refused: number;
  /** Whether it matches the log, `null` if the log has no outcome. */
  readonly isAsLogged: boolean | null;
}

/** Receives the outcomes of requests, and requests without a key. */
export interface Audience {
  /** A policy has decided. */
  decided(outcome: Outcome): void;
  /** A policy covers a request without a key. */
  keyless?(policy: Policy): void;
}

/** Replaces the limit of one policy. */
export interface OtherLimit {
  /** The policy name. */
  readonly name: string;
  readonly limit: number;
}

/**
 * Replays a log's records through a limiter, with its store and its algorithms, and a clock that follows the records.
 * Records must be in chronological order.
 */
export class Replay {
  readonly #audience: Audience;
  readonly #other: OtherLimit | null;
  /** The rules to try, and their limiter; `null` if there are none. */
  readonly #tried: { readonly rules: RuleSet; readonly limiter: Limiter } | null;
  /** For a limiter's log, in which the takes are known. */
  #store: MemoryStore;
  #hasBegun = false;
  readonly #policies = new Map<string, Policy>();
  readonly #told: ReadonlySet<string>;
  readonly #tiers = new Map<string, Policy>();
  /** Leases by their logged numbers, which differ in each run. */
  readonly #leases = new Map<number, { stamp: number; end: number }>();
  #now = 0;
  readonly #clock = (): number => this.#now;

  /**
   * Creates an instance.
   *
   * @param rules The rules to try; policies in the log itself are added
   * @param audience Receives the outcomes of the requests
   * @param other A different limit for one of the policies
   */
  constructor(rules: readonly Rule[], audience: Audience, other: OtherLimit | null = null) {
    this.#audience = audience;
    this.#other = other;
    this.#store = new MemoryStore({ clock: this.#clock });
    this.#tried = rules.length === 0 ? null : this.#tryOut(rules.map((rule) => {
      return rule.policy.name === other?.name ? { ...rule, limit: { ...rule.limit, limit: other.limit } } : rule;
    }));
    this.#told = new Set(rules.map(({ policy }) => policy.name));
    for (const { policy } of rules) this.#policies.set(policy.name, this.#withOther(policy));
  }

  #tryOut(tried: readonly Rule[]) {
    const rules = new RuleSet(tried);
    return { rules, limiter: new Limiter({ ...rules.limits, clock: this.#clock }, "simulate") };
  }

  #withOther(policy: Policy): Policy {
    return this.#other?.name === policy.name ? { ...policy, limit: this.#other.limit } : policy;
  }

  /** Decisions that shared a counter because the memory for keys was full, as in the limiter itself. */
  get overflows(): number {
    return this.#store.overflows + (this.#tried?.limiter.overflows ?? 0);
  }

  /** Replays one record. */
  feed(record: LogRecord): void {
    // time never goes back
    this.#now = Math.max(this.#now, record.ms);
    if (isLoggedLine(record)) this.#repeat(record);
    else this.#ask(record);
  }

  // like a limiter with these rules: all of a request's policies are decided atomically
  #ask(request: LoggedRequest): void {
    if (this.#tried === null) return;
    const { rules, limiter } = this.#tried;
    const applying = rules.applying(request.method, [request.path]);
    const choice = rules.choose(applying, viewOf(request), request.tier);
    const keys = choice?.keys ?? {};
    for (const { rule: { policy, tiers } } of applying) {
      const isFree = request.tier !== undefined && tiers.get(request.tier) === null;
      if (!isFree && typeof keys[policy.name] !== "string") this.#audience.keyless?.(policy);
    }
    if (choice === null) return;
    // in memory, decisions are synchronous
    const { takes, verdicts } = limiter.consume(keys, { cost: choice.cost, policy: choice.policy }) as Decision;
    takes.forEach(({ policy, cost }, i) => {
      const refused = verdicts[i]!.denied ? 1 : 0;
      const key = keys[policy.name]!;
      this.#audience.decided({ policy, key, ms: this.#now, cost, times: 1, refused, isAsLogged: null });
    });
  }

  #repeat(line: LoggedLine): void {
    if ("takes" in line) return this.#decide(line.takes, line.times ?? 1);
    if ("policy" in line) {
      if (!this.#hasBegun && line.maxKeys !== undefined) {
        this.#store = new MemoryStore({ clock: this.#clock, maxKeys: line.maxKeys });
      }
      this.#hasBegun = true;
      // the user's policies take precedence
      if (this.#told.has(line.policy.name)) return;
      this.#policies.set(line.policy.name, this.#withOther(line.policy));
      this.#tiers.clear();
    } else if ("give" in line) {
      const policy = this.#policyOf(line.give);
      if (policy === undefined) return;
      // requests that waited together hold one lease, and each releases a part
      const stamp = holdsSlots(policy) ? this.#leases.get(line.stamp)?.stamp : line.stamp;
      if (stamp !== undefined) this.#store.give({ policy, key: line.give.key, cost: line.units }, stamp, line.units);
    } else if ("settle" in line) {
      const policy = this.#policyOf(line.settle);
      // the user's policy may have no debts
      if (policy === undefined || !hasDebts(policy)) return;
      this.#store.settle({ policy, key: line.settle.key, cost: 0 }, line.stamp, line.change);
    } else this.#store.reset(line.reset);
  }

  #decide(logged: readonly LoggedTake[], times: number): void {
    const takes: Take[] = [];
    const known: LoggedTake[] = [];
    for (const take of logged) {
      const policy = this.#policyOf(take);
      if (policy === undefined) continue;
      known.push(take);
      takes.push({ policy, key: take.key, cost: take.cost, shadow: take.shadow });
    }
    if (takes.length === 0) return;
    const verdicts = this.#store.decide(takes, times);
    takes.forEach((take, i) => this.#note(take, known[i]!, verdicts[i]!, times));
  }

  #note({ policy, key, cost }: Take, logged: LoggedTake, { denied, granted, stamp }: Verdict, times: number): void {
    if (logged.stamp !== undefined && granted > 0) this.#lease(logged.stamp, stamp, policy.windowMs);
    // a peek
    if (cost === 0) return;
    const refused = !denied ? 0 : times === 1 ? 1 : times - granted / cost;
    const isAsLogged = denied === (logged.verdict === "refused");
    this.#audience.decided({ policy, key, ms: this.#now, cost, times, refused, isAsLogged });
  }

  #lease(logged: number, stamp: number, windowMs: number): void {
    this.#leases.set(logged, { stamp, end: this.#now + windowMs });
    for (const [oldest, { end }] of this.#leases) {
      if (end > this.#now) break;
      this.#leases.delete(oldest);
    }
  }

  // a customer's tier keeps its limit, whatever limit the policy has
  #policyOf({ policy: name, limit }: Pick<LoggedTake, "policy" | "limit">): Policy | undefined {
    const policy = this.#policies.get(name);
    if (policy === undefined || limit === undefined) return policy;
    const id = `${limit}/${name}`;
    let tier = this.#tiers.get(id);
    if (tier === undefined) this.#tiers.set(id, tier = { ...policy, limit });
    return tier;
  }
}

function viewOf({ address, field }: LoggedRequest): RuleRequest {
  return {
    header: field,
    field,
    clientOf: ({ ipv6Subnet }) => address === "" ? undefined : clientKey({ ip: address }, { ipv6Subnet }),
  };
}
