import {
  askDurableObject,
  checkNames,
  checkType,
  type DurableObjectNamespaceLike,
  type OptionNames,
  refuseOption,
} from "@sluice/shared";
import type { SessionStore, SetSessionOptions } from "../session/session_store.ts";
import type { Question } from "./session_object.ts";

/**
 * Options of a {@linkcode DurableObjectSessionStore}.
 *
 * @example Objects below a prefix
 * ```ts ignore
 * app.use(session({ store: new DurableObjectSessionStore({ namespace: env.SESSIONS, prefix: "shop:" }) }));
 * ```
 */
export interface DurableObjectSessionStoreOptions<Id = unknown> {
  /** The binding for a namespace with the class `SessionObject`. */
  namespace: DurableObjectNamespaceLike<Id>;
  /** Prefix of the objects' names; no prefix by default. */
  prefix?: string;
}

const NAMES: OptionNames<DurableObjectSessionStoreOptions> = { namespace: true, prefix: true };

/**
 * Sessions in Cloudflare Durable Objects: one object each, consistent worldwide at any moment.
 *
 * @example In a Worker
 * ```ts ignore
 * import { env } from "cloudflare:workers";
 * import { session } from "@sluice/middleware/session";
 * import { DurableObjectSessionStore, SessionObject } from "@sluice/middleware/session/durable-object";
 *
 * export { SessionObject };
 *
 * app.use(session({ store: new DurableObjectSessionStore({ namespace: env.SESSIONS }) }));
 * ```
 */
export class DurableObjectSessionStore<Id = unknown> implements SessionStore {
  readonly #namespace: DurableObjectNamespaceLike<Id>;
  readonly #prefix: string;

  /**
   * Creates an instance.
   *
   * @param options Namespace and prefix
   * @throws {TypeError} If `namespace` is not a namespace, or an option is unknown
   */
  constructor(options: DurableObjectSessionStoreOptions<Id>) {
    checkNames("DurableObjectSessionStore", options, NAMES);
    const { namespace, prefix = "" } = options;
    if (typeof namespace?.idFromName !== "function" || typeof namespace.get !== "function") {
      const wanted = "a binding from env, of a namespace whose class is SessionObject";
      refuseOption("DurableObjectSessionStore", "namespace", wanted, namespace);
    }
    checkType("DurableObjectSessionStore", "prefix", prefix, "string");
    this.#namespace = namespace;
    this.#prefix = prefix;
  }

  /** Reads a session; see {@linkcode SessionStore}. */
  async get(id: string): Promise<string | null> {
    return await this.#ask(id, { verb: "get" }) as string | null;
  }

  /** Writes a session; see {@linkcode SessionStore}. */
  async set(id: string, content: string, { ttlMs, isNew }: SetSessionOptions): Promise<boolean> {
    return await this.#ask(id, { verb: "set", content, ttlMs, isNew }) as boolean;
  }

  /** Deletes a session; see {@linkcode SessionStore}. */
  async destroy(id: string): Promise<void> {
    await this.#ask(id, { verb: "destroy" });
  }

  /** Prolongs a session; see {@linkcode SessionStore}. */
  async touch(id: string, ttlMs: number): Promise<boolean> {
    return await this.#ask(id, { verb: "touch", ttlMs }) as boolean;
  }

  async #ask(id: string, question: Question): Promise<unknown> {
    const caller = `DurableObjectSessionStore.${question.verb}`;
    return JSON.parse(await askDurableObject(caller, this.#namespace, this.#prefix + id, question));
  }
}
