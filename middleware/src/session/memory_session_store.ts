import { checkInteger, checkNames, checkType, type OptionNames } from "@sluice/shared";
import type { SessionStore, SetSessionOptions } from "./session_store.ts";

/**
 * Options of a {@linkcode MemorySessionStore}.
 *
 * @example At most 1000 sessions
 * ```ts
 * import { MemorySessionStore, session } from "@sluice/middleware/session";
 *
 * const sessions = session({ store: new MemorySessionStore({ maxSessions: 1000 }) });
 * ```
 */
export interface MemorySessionStoreOptions {
  /** Maximum number of sessions, 100 000 by default. Beyond that, the session written longest ago is dropped. */
  maxSessions?: number;
  /** Current time in ms; for tests. */
  clock?: () => number;
}

const NAMES: OptionNames<MemorySessionStoreOptions> = { maxSessions: true, clock: true };

const MAX_SESSIONS = 100_000;
/** A map's maximum size. */
const MOST_SESSIONS = 2 ** 24;

/**
 * Sessions in one process's memory, without timers. They end with the process, and no other process sees them: for
 * tests, development and single-process programs.
 *
 * @example Sessions in memory
 * ```ts
 * import sluice from "@sluice/sluice";
 * import { MemorySessionStore, session } from "@sluice/middleware/session";
 *
 * const app = sluice();
 * app.use(session({ store: new MemorySessionStore() }));
 * ```
 */
export class MemorySessionStore implements SessionStore {
  readonly #maxSessions: number;
  readonly #clock: () => number;
  /** Ordered by last write. */
  readonly #sessions = new Map<string, { content: string; expires: number }>();

  /**
   * Creates an instance.
   *
   * @param options How many sessions it holds
   * @throws {TypeError} If an option is unknown or of the wrong type
   * @throws {RangeError} If `maxSessions` is out of bounds
   */
  constructor(options: MemorySessionStoreOptions = {}) {
    checkNames("MemorySessionStore", options, NAMES);
    const { maxSessions = MAX_SESSIONS, clock = () => Date.now() } = options;
    checkInteger("MemorySessionStore", "maxSessions", maxSessions, 1, MOST_SESSIONS);
    checkType("MemorySessionStore", "clock", clock, "function");
    this.#maxSessions = maxSessions;
    this.#clock = clock;
  }

  /** Number of sessions it holds, including expired ones not yet removed. */
  get size(): number {
    return this.#sessions.size;
  }

  /** Reads a session; see {@linkcode SessionStore}. */
  get(id: string): Promise<string | undefined> {
    return Promise.resolve(this.#find(id)?.content);
  }

  /** Writes a session; see {@linkcode SessionStore}. */
  set(id: string, content: string, { ttlMs, isNew }: SetSessionOptions): Promise<boolean> {
    if (!isNew && this.#find(id) === undefined) return Promise.resolve(false);
    this.#write(id, content, ttlMs);
    this.#sweep();
    return Promise.resolve(true);
  }

  /** Deletes a session; see {@linkcode SessionStore}. */
  destroy(id: string): Promise<void> {
    this.#sessions.delete(id);
    return Promise.resolve();
  }

  /** Prolongs a session; see {@linkcode SessionStore}. */
  touch(id: string, ttlMs: number): Promise<boolean> {
    const session = this.#find(id);
    if (session !== undefined) this.#write(id, session.content, ttlMs);
    return Promise.resolve(session !== undefined);
  }

  #find(id: string): { content: string } | undefined {
    const session = this.#sessions.get(id);
    if (session === undefined || session.expires > this.#clock()) return session;
    this.#sessions.delete(id);
    return undefined;
  }

  #write(id: string, content: string, ttlMs: number): void {
    this.#sessions.delete(id);
    this.#sessions.set(id, { content, expires: this.#clock() + ttlMs });
  }

  // most sessions have the same lifetime, so the first ones expire first
  #sweep(): void {
    const now = this.#clock();
    for (const [id, { expires }] of this.#sessions) {
      if (expires > now && this.#sessions.size <= this.#maxSessions) return;
      this.#sessions.delete(id);
    }
  }
}
