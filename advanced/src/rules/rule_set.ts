import type { LimiterKeys } from "../limiter/demand.ts";
import type { LimitOptions, LimitsOptions, OwnLimit } from "../limiter/limiter_options.ts";
import type { Policy } from "../policy/policy.ts";
import { spellingsOf } from "./path_of.ts";

/** Request parts that rules read. */
export interface RuleRequest {
  /** Reads a header. */
  header(name: string): string | undefined;
  /** Reads a field that the program fills in. */
  field(name: string): string | undefined;
  /** The client's key for a rule, if known. */
  clientOf(rule: Rule): string | undefined;
}

/** A policy, and the requests it covers. */
export interface Rule {
  /** The policy, complete and checked. */
  readonly policy: Policy;
  /** The policy as limiter options. */
  readonly limit: LimitOptions;
  /** Bits of an IPv6 address that identify a client, if the document sets them. */
  readonly ipv6Subnet: number | undefined;
  /** Whether it only counts and reports. */
  readonly shadow: boolean;
  /** Units that a request costs. */
  readonly cost: number;
  /** Settings for individual tiers; `null` if the rule skips a tier. */
  readonly tiers: ReadonlyMap<string, OwnLimit | null>;
  /** Fields that the key needs. */
  readonly fields: readonly string[];
  /** The matching spellings of a request path; empty if the rule does not apply. The method is in upper case. */
  concerned(method: string, spellings: readonly string[]): readonly string[];
  /** The key for a request with these matching spellings; `undefined` if it lacks a part. */
  keyOf(request: RuleRequest, spellings: readonly string[]): string | undefined;
}

/** A policy that applies to a request, and the matching spellings. */
export interface ApplyingRule {
  readonly rule: Rule;
  /** The spellings. A path segment in its key is read from the first that has it. */
  readonly spellings: readonly string[];
}

/** The keys and costs to request from a limiter. */
export interface RuleChoice {
  /** A key for each policy that applies, `null` for the other policies. */
  readonly keys: Exclude<LimiterKeys, string>;
  /** The cost of each policy that applies. */
  readonly cost: Readonly<Record<string, number>> | undefined;
  /** The tier's name, if any policy has settings for it. */
  readonly policy: string | undefined;
}

/** The rules in a document. */
export class RuleSet {
  /** The rules, in document order. */
  readonly rules: readonly Rule[];
  /** All rules as one limiter's limits, and the tiers as policies for individual keys. */
  readonly limits: LimitsOptions;
  /** Tiers for which a policy has settings. */
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
   * Returns the rules that apply to requests with a method and a path.
   *
   * @param method The method, in upper case
   * @param paths The path, without query; all candidates if it is unknown which of several the router uses
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
   * Returns the keys and costs to request from the limiter.
   *
   * @param applying The rules that apply to it
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

/** The tiers' settings, in the form of a limiter option. */
function tiersOf(rules: readonly Rule[]): NonNullable<LimitsOptions["policies"]> {
  const byTier = new Map<string, Record<string, OwnLimit>>();
  for (const { policy, tiers } of rules) {
    for (const [tier, own] of tiers) {
      if (own === null) continue;
      byTier.set(tier, { ...byTier.get(tier), [policy.name]: own });
    }
  }
  // a limiter with one limit accepts the settings without its name
  const isOne = rules.length === 1;
  return Object.fromEntries(Array.from(byTier, ([tier, own]) => [tier, isOne ? Object.values(own)[0]! : own]));
}
