/** A stored session, without the program's data. */
export interface KeptSession {
  /** Its id, which does not allow taking it over. */
  readonly id: string;
  /** The client's proof that the session is its own; empty for a sealed session. */
  readonly token: string;
  /** When it began, in ms since 1970. */
  readonly created: number;
  /** Whether it is not stored yet. */
  isNew: boolean;
}

/** A session found by its cookie. */
export interface FoundSession extends KeptSession {
  /** Its content: JSON. */
  readonly content: unknown;
  /** Whether to renew the cookie, because it was sealed with an old secret. */
  readonly isStale: boolean;
}

/** How a session is stored: in its cookie, or in a store. */
export interface SessionKeeper {
  /** Whether it can change after the response head has been sent, because its cookie stays the same. */
  readonly isApart: boolean;
  /**
   * Finds a session.
   *
   * @param value The cookie's value
   * @param name Its name
   * @returns The session, `null` if there is none
   */
  find(value: string, name: string): Promise<FoundSession | null>;
  /** Begins a session. */
  begin(): KeptSession;
  /**
   * Saves a session.
   *
   * @param session The session
   * @param content Its content, as JSON
   * @param ttlMs Its lifetime in ms
   * @param name Its cookie's name
   * @returns Its cookie's value, or `null` if the session has since been destroyed
   */
  keep(session: KeptSession, content: string, ttlMs: number, name: string): Promise<string | null>;
  /** Saves an unchanged session. */
  renew(session: KeptSession, content: string, ttlMs: number, name: string): Promise<string | null>;
  /** Deletes a session, unless it exists only in its cookie. */
  drop(session: KeptSession): Promise<void>;
}
