import {
  askDurableObject,
  checkNames,
  checkType,
  type DurableObjectNamespaceLike,
  type OptionNames,
} from "@sluice/shared";
import { ALGORITHM_NAMES, type Policy } from "../policy/policy.ts";
import { assertDistinct } from "./assert_distinct.ts";
import { assertMethods } from "./assert_methods.ts";
import { checkLog } from "./check_log.ts";
import { decideByKey } from "./decide_by_key.ts";
import type { Question } from "./rate_limit_object.ts";
import type { Capabilities, Selector, Store, Take, Verdict } from "../policy/store.ts";

/**
 * Options for a {@linkcode DurableObjectStore}.
 *
 * @example Prefix object names
 * ```ts ignore
 * const store = new DurableObjectStore({ namespace: env.RATE_LIMIT, prefix: "login:" });
 * ```
 */
export interface DurableObjectStoreOptions<Id = unknown> {
  /** A namespace binding whose class is {@linkcode RateLimitObject}. */
  namespace: DurableObjectNamespaceLike<Id>;
  /** Prefix for object names, for several limiters in one namespace; empty by default. */
  prefix?: string;
}

const NAMES: OptionNames<DurableObjectStoreOptions> = { namespace: true, prefix: true };

/**
 * A store on Cloudflare's Durable Objects, with one object per key. Supports all algorithms, and uses the objects'
 * clocks.
 *
 * Takes on one key are decided atomically. Several keys are decided concurrently, and grants are refunded if another
 * key refused. Objects cannot be listed, so there is no `inspect`, and `reset` needs a key.
 *
 * @example In a Worker
 * ```ts ignore
 * export { RateLimitObject } from "@sluice/rate-limit";
 *
 * const store = new DurableObjectStore({ namespace: env.RATE_LIMIT });
 * ```
 */
export class DurableObjectStore<Id = unknown> implements Store {
  /** The store's capabilities. */
  readonly capabilities: Capabilities = {
    algorithms: new Set(ALGORITHM_NAMES),
    atomicBatch: "same-key",
    exactDeny: true,
    scope: "global",
    clock: "store",
  };
  readonly #namespace: DurableObjectNamespaceLike<Id>;
  readonly #prefix: string;

  /**
   * Creates an instance.
   *
   * @param options Namespace and prefix
   * @throws {TypeError} If `namespace` is not a namespace, or an option is unknown
   */
  constructor(options: DurableObjectStoreOptions<Id>) {
    checkNames("DurableObjectStore", options ?? {}, NAMES);
    const { namespace, prefix = "" } = options ?? {};
    checkType("DurableObjectStore", "prefix", prefix, "string");
    assertMethods(
      "DurableObjectStore: option namespace",
      namespace,
      ["idFromName", "get"],
      "pass a binding from env, of a namespace whose class is RateLimitObject",
    );
    this.#namespace = namespace;
    this.#prefix = prefix;
  }

  /**
   * Checks that a policy's state fits into an object's storage; see {@linkcode Store}.
   *
   * @throws {RangeError} If a `"sliding-log"` has a limit above 4000
   */
  checkPolicy(policy: Policy): void {
    checkLog(policy, "DurableObjectStore");
  }

  /** Decides a batch; see {@linkcode Store}. Rejects with an `Error` if an object replies unexpectedly. */
  async decide(takes: readonly Take[], times = 1): Promise<readonly Verdict[]> {
    assertDistinct(takes);
    return await decideByKey(
      takes,
      times,
      async (part, wanted) =>
        await this.#ask(part[0]!.key, { verb: "decide", takes: part, times: wanted }) as Verdict[],
      (take, stamp, amount) => this.give(take, stamp, amount),
    );
  }

  /** Refunds units; see {@linkcode Store}. */
  async give(take: Take, stamp: number, amount: number): Promise<boolean> {
    return await this.#ask(take.key, { verb: "give", take, stamp, amount }) as boolean;
  }

  /** Corrects a grant to its actual cost; see {@linkcode Store}. */
  async settle(take: Take, stamp: number, change: number): Promise<Verdict> {
    return await this.#ask(take.key, { verb: "settle", take, stamp, change }) as Verdict;
  }

  /**
   * Forgets a key; see {@linkcode Store}.
   *
   * @throws {TypeError} Without a key
   */
  async reset({ policy, key }: Selector): Promise<number> {
    if (key !== undefined) return await this.#ask(key, { verb: "reset", policy }) as number;
    throw new TypeError(`store.reset: Durable Objects can't be listed; name a key of policy "${policy}"`);
  }

  async #ask(key: string, question: Question): Promise<unknown> {
    const text = await askDurableObject(`store.${question.verb}`, this.#namespace, this.#prefix + key, question);
    return JSON.parse(text, (name, value) => name === "retryAfterMs" || name === "nextMs" ? value ?? Infinity : value);
  }
}
