import type { LimiterKeys } from "../limiter/demand.ts";
import type { LimitOptions, LimitsOptions, OwnLimit } from "../limiter/limiter_options.ts";
import type { Policy } from "../policy/policy.ts";
import { spellingsOf } from "./path_of.ts";

/** What rules look at of a request. */
export interface RuleRequest {
  /** Reads a header. */
  header(name: string): string | undefined;
  /** Reads a field that the program fills in. */
  field(name: string): string | undefined;
  /** What the client is counted by for a rule, if it is known. */
  clientOf(rule: Rule): string | undefined;
}

/** A policy, and whom it concerns. */
export interface Rule {
  /** The policy, complete and checked. */
  readonly policy: Policy;
  /** The same as options of a limiter. */
  readonly limit: LimitOptions;
  /** Bits of an IPv6 address that identify a client, if the document says so. */
  readonly ipv6Subnet: number | undefined;
  /** Whether it only counts and reports. */
  readonly shadow: boolean;
  /** Units that a request costs. */
  readonly cost: number;
  /** What tiers have of their own; `null` for what does not concern them. */
  readonly tiers: ReadonlyMap<string, OwnLimit | null>;
  /** Fields that the key needs. */
  readonly fields: readonly string[];
  /** By which spellings of its path it concerns a request with a method, in capitals; none if it does not. */
  concerned(method: string, spellings: readonly string[]): readonly string[];
  /** The key of a request that it concerns by these spellings, `undefined` if it lacks a part. */
  keyOf(request: RuleRequest, spellings: readonly string[]): string | undefined;
}

/** A policy that concerns a request, and by which spellings of its path. */
export interface ApplyingRule {
  /** The policy. */
  readonly rule: Rule;
  /** The spellings: what its key has of the path is read from the first of them that has it. */
  readonly spellings: readonly string[];
}

/** What a limiter is asked about a request. */
export interface RuleChoice {
  /** A key for each policy that concerns it, `null` for the others. */
  readonly keys: Exclude<LimiterKeys, string>;
  /** What it costs each of them. */
  readonly cost: Readonly<Record<string, number>> | undefined;
  /** Name of the tier, if any policy has something of its own for it. */
  readonly policy: string | undefined;
}

/** The rules of a document. */
export class RuleSet {
  /** The rules, in the document's order. */
  readonly rules: readonly Rule[];
  /** All of them as the limits of one limiter, with the tiers as policies that keys have. */
  readonly limits: LimitsOptions;
  /** Names of the tiers for which a policy has something of its own. */
  readonly #tiers: ReadonlySet<string>;
  readonly #noKeys: Readonly<Record<string, string | null>>;
  readonly #costs: Readonly<Record<string, number>> | undefined;

  /**
   * Creates an instance.
   *
   * @param rules The rules
   */
  constructor(rules: readonly Rule[]) {
    this.rules = rules;
    const policies = tiersOf(rules);
    this.limits = { limits: rules.map(({ limit }) => limit), policies };
    this.#noKeys = Object.fromEntries(rules.map(({ policy }) => [policy.name, null]));
    this.#tiers = new Set(Object.keys(policies));
    this.#costs = rules.every(({ cost }) => cost === 1)
      ? undefined
      : Object.fromEntries(rules.map(({ policy, cost }) => [policy.name, cost]));
  }

  /**
   * The rules that concern requests with a method and a path.
   *
   * @param method The method, in capitals
   * @param paths The path, without query; all of them if it is not known by which of several the router goes
   */
  applying(method: string, paths: readonly string[]): readonly ApplyingRule[] {
    const spellings = paths.length === 1 ? spellingsOf(paths[0]!) : [...new Set(paths.flatMap(spellingsOf))];
    const applying: ApplyingRule[] = [];
    for (const rule of this.rules) {
      const concerned = rule.concerned(method, spellings);
      if (concerned.length > 0) applying.push({ rule, spellings: concerned });
    }
    return applying;
  }

  /**
   * What the limiter is asked about a request.
   *
   * @param applying The rules that concern it
   * @param request The request
   * @param tier Its tier, if it has one
   * @returns `null` if no rule has a key for it
   */
  choose(applying: readonly ApplyingRule[], request: RuleRequest, tier: string | undefined): RuleChoice | null {
    const keys = { ...this.#noKeys };
    let isConcerned = false;
    for (const { rule, spellings } of applying) {
      if (tier !== undefined && rule.tiers.get(tier) === null) continue;
      const key = rule.keyOf(request, spellings);
      if (key === undefined) continue;
      keys[rule.policy.name] = key;
      isConcerned = true;
    }
    if (!isConcerned) return null;
    return { keys, cost: this.#costs, policy: tier !== undefined && this.#tiers.has(tier) ? tier : undefined };
  }
}

/** What tiers have of their own, as a limiter with these limits takes it. */
function tiersOf(rules: readonly Rule[]): NonNullable<LimitsOptions["policies"]> {
  const byTier = new Map<string, Record<string, OwnLimit>>();
  for (const { policy, tiers } of rules) {
    for (const [tier, own] of tiers) {
      if (own === null) continue;
      byTier.set(tier, { ...byTier.get(tier), [policy.name]: own });
    }
  }
  // a limiter with one limit takes what is its own without the name
  const isOne = rules.length === 1;
  return Object.fromEntries(Array.from(byTier, ([tier, own]) => [tier, isOne ? Object.values(own)[0]! : own]));
}
