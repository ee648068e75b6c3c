import { checkNames, checkType, type OptionNames, refuseOption } from "@sluice/limiting/core";
import type { SessionStore, SetSessionOptions } from "../session/session_store.ts";
import type { Question } from "./session_object.ts";

/** A stub of a Durable Object, as far as the store uses it. */
export interface DurableObjectStubLike {
  /** Sends the object a request. */
  fetch(url: string, init: { method: string; body: string }): Promise<DurableObjectResponse>;
}

/** A Durable Object's response, as far as the store reads it. */
export interface DurableObjectResponse {
  /** Whether the status is one of success. */
  readonly ok: boolean;
  /** The status. */
  readonly status: number;
  /** The body. */
  text(): Promise<string>;
}

/** A namespace of Durable Objects: what a Worker's binding is. */
export interface DurableObjectNamespaceLike<Id = unknown> {
  /** The id that belongs to a name. */
  idFromName(name: string): Id;
  /** A stub of the object with an id. */
  get(id: Id): DurableObjectStubLike;
}

/** Options of a {@linkcode DurableObjectSessionStore}. */
export interface DurableObjectSessionStoreOptions<Id = unknown> {
  /** The binding of a namespace whose class is `SessionObject`. */
  namespace: DurableObjectNamespaceLike<Id>;
  /** What the objects' names begin with; nothing by default. */
  prefix?: string;
}

const NAMES: OptionNames<DurableObjectSessionStoreOptions> = { namespace: true, prefix: true };

/**
 * Sessions in Cloudflare's Durable Objects: an object for each, which is the same for the whole world at any moment.
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
   * @throws {TypeError} If `namespace` is none, or an option is unknown
   */
  constructor(options: DurableObjectSessionStoreOptions<Id>) {
    checkNames("DurableObjectSessionStore", options, NAMES);
    const { namespace, prefix = "" } = options;
    if (typeof namespace?.idFromName !== "function" || typeof namespace.get !== "function") {
      const wanted = "the binding of a namespace whose class is SessionObject, as env has it";
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

  /** Keeps a session for longer; see {@linkcode SessionStore}. */
  async touch(id: string, ttlMs: number): Promise<boolean> {
    return await this.#ask(id, { verb: "touch", ttlMs }) as boolean;
  }

  async #ask(id: string, question: Question): Promise<unknown> {
    const stub = this.#namespace.get(this.#namespace.idFromName(this.#prefix + id));
    // the host has no meaning, but a URL needs one
    const response = await stub.fetch("https://session.invalid/", { method: "POST", body: JSON.stringify(question) });
    const text = await response.text();
    if (response.ok) return JSON.parse(text);
    throw new Error(
      `DurableObjectSessionStore: the object replied to ${question.verb} with ${response.status}: ${text}`,
    );
  }
}
