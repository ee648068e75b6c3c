/**
 * Where sessions are stored: a program may write its own.
 *
 * A store keeps a string for each id until it expires. It never sees what a client sends: an id is the SHA-256 of the
 * cookie's value, so reading a store does not allow taking over its sessions.
 *
 * @example A store in a database
 * ```ts ignore
 * const store: SessionStore = {
 *   async get(id) {
 *     const [row] = await sql`SELECT content FROM sessions WHERE id = ${id} AND expires > now()`;
 *     return row?.content;
 *   },
 *   async set(id, content, { ttlMs, isNew }) {
 *     const expires = new Date(Date.now() + ttlMs);
 *     const done = isNew
 *       ? await sql`INSERT INTO sessions (id, content, expires) VALUES (${id}, ${content}, ${expires})`
 *       : await sql`UPDATE sessions SET content = ${content}, expires = ${expires} WHERE id = ${id} AND expires > now()`;
 *     return done.count === 1;
 *   },
 *   async destroy(id) {
 *     await sql`DELETE FROM sessions WHERE id = ${id}`;
 *   },
 *   async touch(id, ttlMs) {
 *     const expires = new Date(Date.now() + ttlMs);
 *     return (await sql`UPDATE sessions SET expires = ${expires} WHERE id = ${id} AND expires > now()`).count === 1;
 *   },
 * };
 * ```
 */
export interface SessionStore {
  /**
   * Reads a session.
   *
   * @param id 43 characters: letters, digits, `-` and `_`
   * @returns The content last set; `undefined` or `null` if there is none, or it has expired
   */
  get(id: string): Promise<string | null | undefined>;
  /**
   * Writes a session.
   *
   * @param id Its id
   * @param content Its content: JSON
   * @param options Its lifetime, and whether it is new
   * @returns Whether it was written
   */
  set(id: string, content: string, options: SetSessionOptions): Promise<boolean>;
  /**
   * Deletes a session, if it exists.
   *
   * @param id Its id
   */
  destroy(id: string): Promise<void>;
  /**
   * Prolongs a session, unless it no longer exists.
   *
   * @param id Its id
   * @param ttlMs Time until it expires, in ms
   * @returns Whether it existed
   */
  touch(id: string, ttlMs: number): Promise<boolean>;
}

/**
 * How to write a session.
 *
 * @example What a custom store receives
 * ```ts
 * import type { SetSessionOptions } from "@sluice/middleware/session";
 *
 * const rows = new Map<string, { data: string; until: number }>();
 * function set(id: string, data: string, { ttlMs }: SetSessionOptions): void {
 *   rows.set(id, { data, until: Date.now() + ttlMs });
 * }
 * set("7", "{}", { ttlMs: 60_000, isNew: true });
 * ```
 */
export interface SetSessionOptions {
  /** Time until it expires, in ms. */
  readonly ttlMs: number;
  /**
   * Whether it is new. Existing sessions may only be replaced, in one step: if another request has since destroyed the
   * session, writing it would bring it back.
   */
  readonly isNew: boolean;
}
