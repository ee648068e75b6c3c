import { ALARM_DELAY_MS } from "@sluice/shared";

/** The part of a Durable Object's storage used here. */
export interface DurableObjectStorageLike {
  /** Reads a value. */
  get(name: string): Promise<unknown>;
  /** Writes a value. */
  put(name: string, value: unknown): Promise<void>;
  /** Sets the alarm, in ms since 1970. */
  setAlarm(time: number): Promise<void>;
  /** Deletes the alarm. */
  deleteAlarm(): Promise<void>;
  /** Deletes everything. */
  deleteAll(): Promise<void>;
}

/** The part of a Durable Object's state used here. */
export interface DurableObjectStateLike {
  /** Storage that outlives the object's memory. */
  readonly storage: DurableObjectStorageLike;
}

/** A store's request to an object. */
export type Question =
  | { readonly verb: "get" }
  | { readonly verb: "set"; readonly content: string; readonly ttlMs: number; readonly isNew: boolean }
  | { readonly verb: "destroy" }
  | { readonly verb: "touch"; readonly ttlMs: number };

/** A stored session. */
interface Written {
  readonly content: string;
  readonly expires: number;
}

const NAME = "session";

/**
 * The Durable Object behind a `DurableObjectSessionStore`: a Worker exports this class, and its namespace is bound to
 * it. Each object is one session, which deletes itself when it expires.
 *
 * @example What a Worker exports
 * ```ts ignore
 * import sluice from "@sluice/sluice";
 * export { SessionObject } from "@sluice/middleware/session/durable-object";
 *
 * export default sluice(); // and in its configuration: the binding SESSIONS of the class SessionObject
 * ```
 */
export class SessionObject {
  readonly #storage: DurableObjectStorageLike;
  readonly #clock: () => number;

  /**
   * Creates an instance.
   *
   * @param state The state that the runtime passes
   * @param _env Bindings, not used
   * @param clock Current time in ms; for tests
   */
  constructor(state: DurableObjectStateLike, _env?: unknown, clock?: () => number) {
    this.#storage = state.storage;
    this.#clock = clock ?? (() => Date.now());
  }

  /** Responds to the store. No other request runs while it waits for the storage. */
  async fetch(request: Request): Promise<Response> {
    return Response.json(await this.#reply(await request.json()));
  }

  async #reply(question: Question): Promise<unknown> {
    const now = this.#clock();
    const written = await this.#storage.get(NAME) as Written | undefined;
    const live = written !== undefined && written.expires > now ? written : undefined;
    switch (question.verb) {
      case "get":
        return live?.content ?? null;
      case "set":
        return (question.isNew || live !== undefined) && await this.#write(question.content, now + question.ttlMs);
      case "touch":
        return live !== undefined && await this.#write(live.content, now + question.ttlMs);
      case "destroy":
        return await this.#delete();
    }
  }

  /** Deletes the session once it has expired; called by the runtime when the alarm is due. */
  async alarm(): Promise<void> {
    const written = await this.#storage.get(NAME) as Written | undefined;
    if (written === undefined || written.expires <= this.#clock()) await this.#delete();
    else await this.#storage.setAlarm(written.expires + ALARM_DELAY_MS);
  }

  async #write(content: string, expires: number): Promise<true> {
    const written: Written = { content, expires };
    await Promise.all([this.#storage.put(NAME, written), this.#storage.setAlarm(expires + ALARM_DELAY_MS)]);
    return true;
  }

  // including the storage itself, which is billed even if empty
  async #delete(): Promise<true> {
    await Promise.all([this.#storage.deleteAlarm(), this.#storage.deleteAll()]);
    return true;
  }
}
