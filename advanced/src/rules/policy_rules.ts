import type { Policy } from "../policy/policy.ts";
import { pathText, readRules } from "./read_rules.ts";
import { RuleAsker, type RuleRequests, type Told } from "./rule_asker.ts";
import { RuleSet } from "./rule_set.ts";

/** A limiter that uses rules. */
export interface RulesUser {
  /**
   * Checks new rules, and returns a function that applies them.
   *
   * @throws {TypeError} If they are unsupported
   * @throws {RangeError} If a number is out of range
   */
  prepare(rules: RuleSet): () => void;
}

/**
 * Policies from a document: which limits apply to which requests, and what they count by. Pass it as the `rules` option
 * to `rateLimit`, `fetchLimit`, or another framework's limiter.
 *
 * The document is data, such as a JSON file, and can be replaced while the server runs. Policies that keep their name
 * and algorithm keep their counts, in memory and in every store. Try a new policy with `"shadow": true` first: it
 * counts and reports what it would have refused, and keeps those counts when it starts to refuse.
 *
 * @example Limits from a file, which is read again when it changes
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
  /** The document as a string, so that the caller's changes have no effect. */
  #text: string;
  #rules: RuleSet;
  /**
   * Identifies limiters created inside requests as the same. Like their counts, it survives a new document.
   *
   * @internal
   */
  readonly identity: string;
  /** Limiters that still exist: some live for only one request. */
  readonly #users = new Set<WeakRef<RulesUser>>();
  /** Entry count at which collected entries are removed. */
  #most = 16;

  /**
   * Reads a document.
   *
   * @param document A parsed {@linkcode PolicyDocument}
   * @throws {TypeError} If it is invalid; the message contains the path, such as `policies[0].limit`
   */
  constructor(document: unknown) {
    this.#rules = rulesOf("PolicyRules", document);
    this.identity = this.#text = JSON.stringify(document);
  }

  /** The policies, in document order. */
  get policies(): readonly Policy[] {
    return this.#rules.rules.map(({ policy }) => policy);
  }

  /**
   * Replaces the document in all limiters that use these rules. If it is invalid, or a limiter does not support it,
   * nothing changes.
   *
   * @param document A parsed {@linkcode PolicyDocument}
   * @throws {TypeError} If it is invalid, or a limiter's store or options do not support it
   * @throws {RangeError} If a number is out of range for a limiter's store
   *
   * @example Double the limit for all clients
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
   * Registers a limiter for these rules, and for every later document.
   *
   * @returns An object that applies the rules to its requests
   * @throws {TypeError} If its options cannot be combined with rules
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
   * The rules in the current document.
   *
   * @internal
   */
  get rules(): RuleSet {
    return this.#rules;
  }

  /** The current document. */
  toJSON(): unknown {
    return JSON.parse(this.#text);
  }
}

function rulesOf(caller: string, document: unknown): RuleSet {
  if (typeof document === "string") {
    throw new TypeError(`${caller} expects a parsed document, not its text; use JSON.parse(text)`);
  }
  return new RuleSet(readRules(document, (path, message) => {
    throw new TypeError(`${caller}: ${pathText(path)}${message}`);
  }));
}
