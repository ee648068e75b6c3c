import { asciiUpperCase, checkType, describe, isThenable, refuseOption } from "@sluice/shared";
import { awaited } from "../limiter/awaited.ts";
import { LIMIT_NAMES } from "../limiter/limiter_option_names.ts";
import type { Awaitable } from "../policy/store.ts";
import type { Rule, RuleChoice, RuleRequest, RuleSet } from "./rule_set.ts";

/** The request data that rules need. */
export interface RuleRequests<Req> {
  /** The method, exactly as the client sent it. */
  methodOf(req: Req): string;
  /**
   * The complete path that the router matches, without the query, wherever it is mounted. All candidates, if it may be
   * one of several.
   */
  pathsOf(req: Req): readonly string[];
  /** Reads a header. */
  header(req: Req, name: string): string | undefined;
  /** The client's key for a rule. */
  clientOf(req: Req, rule: Rule): string;
}

/** A program's function that returns a request property. */
type Telling<Req> = (req: Req, ...rest: never[]) => Awaitable<string | number | null | undefined>;

/** The program's functions for requests. */
export interface Told<Req> {
  /** The client's tier. */
  readonly tier?: Telling<Req> | undefined;
  /** The values for `{ field: name }`. */
  readonly fields?: Readonly<Record<string, Telling<Req>>> | undefined;
}

/** Options that a document replaces. `name` stays, because it identifies limiters created inside requests. */
const SAID_BY_DOCUMENT = [
  ...Object.keys(LIMIT_NAMES).filter((name) => name !== "name"),
  ...["limit", "limits", "policies", "policy", "keyGenerator", "cost", "leases"],
];

/** Applies rules to requests, for one limiter. */
export class RuleAsker<Req> {
  readonly #caller: string;
  readonly #told: Told<Req>;
  readonly #requests: RuleRequests<Req>;
  #rules: RuleSet;

  /**
   * Creates an instance.
   *
   * @param caller Caller name for error messages
   * @param options The limiter's options
   * @param requests Reads requests
   * @param rules The rules
   * @throws {TypeError} If an option duplicates the document, or a field that rules need is missing or not a function
   */
  constructor(caller: string, options: Told<Req>, requests: RuleRequests<Req>, rules: RuleSet) {
    const { tier, fields = {} } = options;
    if (typeof fields !== "object" || fields === null) refuseOption(caller, "fields", "an object of functions", fields);
    for (const [name, field] of Object.entries(fields)) checkType(caller, `fields.${name}`, field, "function");
    const lost = SAID_BY_DOCUMENT.find((name) => (options as Record<string, unknown>)[name] !== undefined);
    if (lost !== undefined) {
      throw new TypeError(`${caller}: option ${lost} cannot be combined with rules; put it in the document`);
    }
    this.#caller = caller;
    this.#told = { tier, fields };
    this.#requests = requests;
    this.#rules = rules;
    this.check(rules);
  }

  /**
   * Checks that the program provides all fields that rules need.
   *
   * @throws {TypeError} If one is missing
   */
  check({ rules }: RuleSet): void {
    for (const rule of rules) {
      const missing = rule.fields.find((name) => !Object.hasOwn(this.#told.fields!, name));
      if (missing === undefined) continue;
      throw new TypeError(
        `${this.#caller}: policy "${rule.policy.name}" counts by field "${missing}", which option fields does not have; ` +
          `say fields: { ${JSON.stringify(missing)}: (req) => … }`,
      );
    }
  }

  /** Switches to other rules. */
  follow(rules: RuleSet): void {
    this.#rules = rules;
  }

  /**
   * Returns the keys and costs to request from the limiter.
   *
   * @param req The request
   * @param res Second argument for functions in the options
   * @returns `null` if no policy applies to it
   */
  choose(req: Req, res: unknown): Awaitable<RuleChoice | null> {
    const rules = this.#rules;
    const applying = rules.applying(asciiUpperCase(this.#requests.methodOf(req)), this.#requests.pathsOf(req));
    if (applying.length === 0) return null;
    const { tier, fields } = this.#told;
    const names = [...new Set(applying.flatMap(({ rule }) => rule.fields))];
    const asked = [tier, ...names.map((name) => fields![name])].map((told) => awaited(told?.(req, res as never)));
    const choose = (values: readonly unknown[]) => {
      const [ownTier, ...told] = values.map((value, i) => {
        return this.#textOf(value, i === 0 ? "tier" : `fields.${names[i - 1]}`);
      });
      return rules.choose(applying, this.#viewOf(req, (name) => told[names.indexOf(name)]), ownTier);
    };
    return asked.some(isThenable) ? Promise.all(asked).then(choose) : choose(asked);
  }

  #viewOf(req: Req, field: RuleRequest["field"]): RuleRequest {
    const requests = this.#requests;
    return {
      header: (name) => textOrNothing(requests.header(req, name)),
      field,
      clientOf: (rule) => requests.clientOf(req, rule),
    };
  }

  #textOf(value: unknown, option: string): string | undefined {
    if (value === undefined || value === null) return undefined;
    if (typeof value === "string") return value;
    if (typeof value === "number" && option !== "tier") return String(value);
    return refuseOption(this.#caller, option, "a function that returns a string, or nothing", describe(value));
  }
}

// Node returns a list for headers such as Set-Cookie, and inherited properties for names such as "constructor"
function textOrNothing(value: unknown): string | undefined {
  if (Array.isArray(value)) return value.join(", ");
  return typeof value === "string" ? value : undefined;
}
