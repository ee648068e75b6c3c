/**
 * Where sessions are kept: a program may write its own.
 *
 * A store keeps a text for each id until its time is over. It never sees what a client sends: an id is the SHA-256 of
 * the cookie's value, so that whoever reads a store cannot take over its sessions.
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
   * @returns What was set last, `undefined` or `null` if there is nothing, or its time is over
   */
  get(id: string): Promise<string | null | undefined>;
  /**
   * Writes a session.
   *
   * @param id Its id
   * @param content What is kept: JSON
   * @param options How long, and whether it is a new one
   * @returns Whether it was written
   */
  set(id: string, content: string, options: SetSessionOptions): Promise<boolean>;
  /**
   * Deletes a session, if it is there.
   *
   * @param id Its id
   */
  destroy(id: string): Promise<void>;
  /**
   * Keeps a session for longer, unless it is gone.
   *
   * @param id Its id
   * @param ttlMs ms from now on after which it is gone
   * @returns Whether it was there
   */
  touch(id: string, ttlMs: number): Promise<boolean>;
}

/**
 * How a session is written.
 *
 * @example What a store of one's own is told
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
  /** ms after which it is gone. */
  readonly ttlMs: number;
  /**
   * Whether it is a new one. Others must only be replaced, in one step: if another request has destroyed the session
   * meanwhile, writing it would bring it back.
   */
  readonly isNew: boolean;
}
