/** Called when something is done, as by Express's sessions. */
export type Callback = (error?: unknown) => void;

/** What a session's methods are about. */
export interface SessionActions {
  /** Its id. */
  readonly id: string;
  /** Whether it is kept nowhere yet. */
  readonly isNew: boolean;
  /** Empties it, and deletes what is kept of it. */
  drop(): Promise<void>;
  /** Keeps it now. */
  save(): Promise<void>;
  /** Has it kept with the response. */
  touch(): void;
}

/** The methods of `req.session`. Everything else in it is the program's own. */
export interface SessionMethods {
  /**
   * Its id, which may be logged: nobody can take over a session by it. It changes with `regenerate`. In a store the
   * session has this id.
   */
  readonly id: string;
  /** Whether it is kept nowhere yet. */
  readonly isNew: boolean;
  /**
   * Gives it another id, and empties it: the session from before somebody logged in must not be the one after
   * (session fixation). What is kept under the old id is deleted.
   *
   * @param callback Called when it is done, for code written for Express
   * @returns Resolves when it is done; without a callback it rejects with the store's error
   */
  regenerate(callback?: Callback): Promise<void>;
  /**
   * Ends it: empties it, deletes what is kept of it, and has the client delete its cookie. What is written to it
   * afterwards begins another session.
   *
   * @param callback Called when it is done, for code written for Express
   * @returns Resolves when it is done; without a callback it rejects with the store's error
   */
  destroy(callback?: Callback): Promise<void>;
  /**
   * Keeps it now instead of with the response, such as before a WebSocket begins.
   *
   * @param callback Called when it is done, for code written for Express
   * @returns Resolves when it is done; without a callback it rejects if that fails, or comes too late
   */
  save(callback?: Callback): Promise<void>;
  /** Has the response prolong it by `ttlMs`, even if nothing in it changes. */
  touch(): this;
}

/** What handlers get as `req.session`: the data as properties, and methods that are none of them. */
export class RequestSession implements SessionMethods {
  readonly #actions: SessionActions;

  constructor(actions: SessionActions) {
    this.#actions = actions;
  }

  get id(): string {
    return this.#actions.id;
  }

  get isNew(): boolean {
    return this.#actions.isNew;
  }

  regenerate(callback?: Callback): Promise<void> {
    return told(this.#actions.drop(), callback);
  }

  destroy(callback?: Callback): Promise<void> {
    return told(this.#actions.drop(), callback);
  }

  save(callback?: Callback): Promise<void> {
    return told(this.#actions.save(), callback);
  }

  touch(): this {
    this.#actions.touch();
    return this;
  }
}

// A program may use names that strangers chose: they are data like all others, but those of the methods, for which the
// assignment fails.
const { prototype } = RequestSession;
for (const name of ["regenerate", "destroy", "save", "touch"]) {
  Object.defineProperty(prototype, name, { writable: false });
}
Object.defineProperty(prototype, "__proto__", {
  get: () => prototype,
  set(this: object, value: unknown) {
    Object.defineProperty(this, "__proto__", { value, configurable: true, enumerable: true, writable: true });
  },
});

function told(done: Promise<void>, callback: Callback | undefined): Promise<void> {
  if (callback === undefined) return done;
  return done.then(() => callback(), callback);
}
