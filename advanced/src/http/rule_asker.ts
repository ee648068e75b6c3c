import { describe, isThenable, refuseOption } from "@sluice/limiting/core";
import { pathOf } from "../rules/path_of.ts";
import type { Rule, RuleChoice, RuleSet } from "../rules/rule_set.ts";
import type { Awaitable } from "../policy/store.ts";
import type { RateLimitOptions } from "./http_options.ts";
import type { RequestReader } from "./request_reader.ts";
import type { ResponseOf } from "./request_like.ts";

/** What the program tells of a request: its tier, and the fields that rules need. */
type Told = readonly (string | undefined)[];

/** Finds out what the rules of a document say of a request. */
export class RuleAsker<Req> {
  readonly #caller: string;
  readonly #options: RateLimitOptions<Req>;
  readonly #reader: RequestReader<Req>;
  readonly #clientOf: (req: Req, rule: Rule) => string;
  #rules: RuleSet;

  /**
   * Creates an instance.
   *
   * @param caller Name of the caller for error messages
   * @param options The options, with rules
   * @param reader Reads requests
   * @param clientOf What the client of a request is counted by
   * @throws {TypeError} If a rule needs a field that the options don't have
   */
  constructor(
    caller: string,
    options: RateLimitOptions<Req>,
    reader: RequestReader<Req>,
    clientOf: (req: Req, rule: Rule) => string,
  ) {
    this.#caller = caller;
    this.#options = options;
    this.#reader = reader;
    this.#clientOf = clientOf;
    this.#rules = options.rules!.rules;
    this.check(this.#rules);
  }

  /**
   * Checks that the options have all fields that rules need.
   *
   * @throws {TypeError} If one is missing
   */
  check({ rules }: RuleSet): void {
    const { fields = {} } = this.#options;
    for (const rule of rules) {
      const missing = rule.fields.find((name) => !Object.hasOwn(fields, name));
      if (missing === undefined) continue;
      throw new TypeError(
        `${this.#caller}: policy "${rule.policy.name}" counts by field "${missing}", which option fields does not have; ` +
          `say fields: { ${missing}: (req) => … }`,
      );
    }
  }

  /** Goes by other rules from now on. */
  follow(rules: RuleSet): void {
    this.#rules = rules;
  }

  /**
   * What the limiter is to be asked about a request.
   *
   * @param req The request
   * @param res Second argument for functions in the options
   * @returns `null` if no policy concerns it
   */
  choose(req: Req, res: ResponseOf<Req> | undefined): Awaitable<RuleChoice | null> {
    const rules = this.#rules;
    const path = pathOf(this.#reader.urlOf(req));
    const applying = rules.applying(this.#reader.methodOf(req).toUpperCase(), path);
    if (applying.length === 0) return null;
    const { tier, fields } = this.#options;
    const names = [...new Set(applying.flatMap((rule) => rule.fields))];
    const asked = [tier?.(req, res!), ...names.map((name) => fields![name]!(req, res!))];
    const choose = (values: readonly unknown[]) => {
      const [ownTier, ...told] = values.map((value, i) =>
        this.#textOf(value, i === 0 ? "tier" : `fields.${names[i - 1]}`)
      );
      return rules.choose(applying, this.#viewOf(req, path, names, told), ownTier);
    };
    return asked.some(isThenable) ? Promise.all(asked).then(choose) : choose(asked);
  }

  #viewOf(req: Req, path: string, names: readonly string[], told: Told) {
    return {
      path,
      header: (name: string) => this.#reader.header(req, name),
      field: (name: string) => told[names.indexOf(name)],
      clientOf: (rule: Rule) => this.#clientOf(req, rule),
    };
  }

  #textOf(value: unknown, option: string): string | undefined {
    if (value === undefined || value === null) return undefined;
    if (typeof value === "string") return value;
    if (typeof value === "number" && option !== "tier") return String(value);
    return refuseOption(this.#caller, option, "a function that returns a text, or nothing", describe(value));
  }
}
