/** A session as it is kept, without what the program put into it. */
export interface KeptSession {
  /** Its id, which tells nobody how to take it over. */
  readonly id: string;
  /** What a client shows that it is its own; empty for a sealed one. */
  readonly token: string;
  /** When it began, in ms since 1970. */
  readonly created: number;
  /** Whether it is kept nowhere yet. */
  isNew: boolean;
}

/** A session that was found by its cookie. */
export interface FoundSession extends KeptSession {
  /** What is in it: JSON. */
  readonly content: unknown;
  /** Whether the cookie should be made anew, because the secret of this one is an old one. */
  readonly isStale: boolean;
}

/** How a session is kept: in its cookie, or in a store. */
export interface SessionKeeper {
  /** Whether it can be changed after the head of the response has been sent, because its cookie stays the same. */
  readonly isApart: boolean;
  /**
   * Finds a session.
   *
   * @param value Value of the cookie
   * @param name Its name
   * @returns The session, `null` if there is none
   */
  find(value: string, name: string): Promise<FoundSession | null>;
  /** Begins a session. */
  begin(): KeptSession;
  /**
   * Keeps a session.
   *
   * @param session The session
   * @param content What is in it, as JSON
   * @param ttlMs For how long, in ms
   * @param name Name of its cookie
   * @returns Value of its cookie, `null` if it was destroyed meanwhile
   */
  keep(session: KeptSession, content: string, ttlMs: number, name: string): Promise<string | null>;
  /** The same for a session in which nothing has changed. */
  renew(session: KeptSession, content: string, ttlMs: number, name: string): Promise<string | null>;
  /** Deletes a session, unless it is nowhere but in its cookie. */
  drop(session: KeptSession): Promise<void>;
}
