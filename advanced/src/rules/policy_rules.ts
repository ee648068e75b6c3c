import type { Policy } from "../policy/policy.ts";
import { pathText, readRules } from "./read_rules.ts";
import { RuleAsker, type RuleRequests, type Told } from "./rule_asker.ts";
import { RuleSet } from "./rule_set.ts";

/** A limiter that decides by rules. */
export interface RulesUser {
  /**
   * Checks other rules, and returns what begins to decide by them.
   *
   * @throws {TypeError} If it can't
   * @throws {RangeError} If a number is out of range for it
   */
  prepare(rules: RuleSet): () => void;
}

/**
 * Policies from a document: for which requests which limits hold, and by what they are counted. Given to `rateLimit`,
 * `fetchLimit`, or the limiter of another framework as option `rules`.
 *
 * The document is data, such as a JSON file, and can be replaced while requests are served. Policies that keep their name
 * and algorithm keep their counts, in memory and in every store. A new policy is tried with `"shadow": true` first: it
 * counts and tells what it would have refused, and when it begins to refuse, its counts are there.
 *
 * @example Limits from a file, which is read again when it has changed
 * ```ts ignore
 * import { readFile, watch } from "node:fs/promises";
 * import { rateLimit } from "@sluice/rate-limit";
 * import { PolicyRules } from "@sluice/rate-limit/rules";
 *
 * const read = async () => JSON.parse(await readFile("config/limits.json", "utf8"));
 * const rules = new PolicyRules(await read());
 * app.use(rateLimit({ rules, tier: (req) => req.user?.plan, fields: { account: (req) => req.user?.id } }));
 *
 * // the folder, since editors put another file where it was
 * for await (const _ of watch("config")) {
 *   await read().then((document) => rules.replace(document)).catch(console.error); // a mistake changes nothing
 * }
 * ```
 */
export class PolicyRules {
  /** The document, as text: whoever changes the object that was given changes nothing here. */
  #text: string;
  #rules: RuleSet;
  /**
   * By which limiters that are made inside requests know that they are the same: it stays when the document is replaced, as
   * their counts do.
   *
   * @internal
   */
  readonly identity: string;
  /** Limiters that somebody still has: some are made for one request only. */
  readonly #users = new Set<WeakRef<RulesUser>>();
  /** How many there may be until those that are gone are looked for. */
  #most = 16;

  /**
   * Reads a document.
   *
   * @param document What a {@linkcode PolicyDocument} says, parsed already
   * @throws {TypeError} If something in it is wrong; the message names it by its path, such as `policies[0].limit`
   */
  constructor(document: unknown) {
    this.#rules = rulesOf("PolicyRules", document);
    this.identity = this.#text = JSON.stringify(document);
  }

  /** The policies, in the document's order. */
  get policies(): readonly Policy[] {
    return this.#rules.rules.map(({ policy }) => policy);
  }

  /**
   * Decides by another document from now on, in all limiters that have these rules. If anything in it is wrong, or one of
   * them can't do what it says, nothing changes.
   *
   * @param document What a {@linkcode PolicyDocument} says, parsed already
   * @throws {TypeError} If something in it is wrong, or a limiter's store or options can't do it
   * @throws {RangeError} If a number is out of range for a limiter's store
   *
   * @example Twice as much for everybody
   * ```ts
   * import { fetchLimit } from "@sluice/rate-limit";
   * import { PolicyRules } from "@sluice/rate-limit/rules";
   *
   * const rules = new PolicyRules({ policies: [{ name: "api", limit: 1, window: "1h" }] });
   * const handler = fetchLimit({ rules, clientAddress: () => "192.0.2.1" })(() => new Response());
   * const status = async () => (await handler(new Request("http://localhost/"))).status;
   * console.log(await status(), await status()); // 200 429
   * rules.replace({ policies: [{ name: "api", limit: 2, window: "1h" }] });
   * console.log(await status(), await status()); // 200 429
   * ```
   */
  replace(document: unknown): void {
    const rules = rulesOf("rules.replace", document);
    const text = JSON.stringify(document);
    const begin = this.#present().map((user) => user.prepare(rules));
    this.#rules = rules;
    this.#text = text;
    for (const beginOne of begin) beginOne();
  }

  #present(): RulesUser[] {
    const present: RulesUser[] = [];
    for (const ref of this.#users) {
      const user = ref.deref();
      if (user === undefined) this.#users.delete(ref);
      else present.push(user);
    }
    this.#most = 2 * present.length + 16;
    return present;
  }

  /**
   * Tells a limiter the rules, and of every other document from then on.
   *
   * @returns What finds out for it what they say of a request
   * @throws {TypeError} If its options don't go together with rules
   *
   * @internal
   */
  askerFor<Req>(user: RulesUser, caller: string, options: Told<Req>, requests: RuleRequests<Req>): RuleAsker<Req> {
    const asker = new RuleAsker(caller, options, requests, this.#rules);
    if (this.#users.size >= this.#most) this.#present();
    this.#users.add(new WeakRef(user));
    return asker;
  }

  /**
   * The rules of the present document.
   *
   * @internal
   */
  get rules(): RuleSet {
    return this.#rules;
  }

  /** The present document. */
  toJSON(): unknown {
    return JSON.parse(this.#text);
  }
}

function rulesOf(caller: string, document: unknown): RuleSet {
  if (typeof document === "string") {
    throw new TypeError(`${caller} takes a document that has been parsed, not its text; say JSON.parse(text)`);
  }
  return new RuleSet(readRules(document, (path, message) => {
    throw new TypeError(`${caller}: ${pathText(path)}${message}`);
  }));
}
