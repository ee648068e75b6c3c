import { refuseMembers } from "@sluice/shared";
import { type CookieActions, SessionCookie } from "./session_cookie.ts";

/** Callback for completion, as in express-session. */
// deno-lint-ignore no-explicit-any -- express-session's type: callbacks narrow it, such as to `Error | null`
export type Callback = (error?: any) => void;

/** The session that the methods act on. */
export interface SessionActions extends CookieActions {
  /** Its id. */
  readonly id: string;
  /** Whether it is not stored yet. */
  readonly isNew: boolean;
  /**
   * Empties it, and deletes it from the store.
   *
   * @param caller The caller for warnings
   */
  drop(caller: string): Promise<void>;
  /** Saves it now. */
  save(): Promise<void>;
  /** Reads it from the store again. */
  reload(): Promise<void>;
  /** Saves it with the response. */
  touch(): void;
}

/** The methods of `req.session`. All other properties belong to the program. */
export interface SessionMethods {
  /**
   * Its id, which is safe to log: it does not allow taking over the session. It changes with `regenerate`. Stores keep
   * the session under this id.
   */
  readonly id: string;
  /** Whether it is not stored yet. */
  readonly isNew: boolean;
  /**
   * Changes its id and empties it, so that an id from before the login is worthless afterwards (session fixation). Data
   * stored under the old id is deleted. Without a store, copies of the old cookie stay valid until they expire.
   *
   * @param callback Called when done, for code written for Express
   * @returns Resolves when done; without a callback it rejects with the store's error
   */
  regenerate(callback?: Callback): Promise<void>;
  /**
   * Ends it: empties it, deletes it from the store, and makes the client delete its cookie. Without a store, copies of
   * the cookie stay valid until they expire. Writing to it afterwards begins a new session.
   *
   * @param callback Called when done, for code written for Express
   * @returns Resolves when done; without a callback it rejects with the store's error
   */
  destroy(callback?: Callback): Promise<void>;
  /**
   * Saves it now instead of with the response, such as before a WebSocket begins.
   *
   * @param callback Called when done, for code written for Express
   * @returns Resolves when done; without a callback it rejects if saving fails or comes too late
   */
  save(callback?: Callback): Promise<void>;
  /**
   * Reads it from the store again, in place of unsaved changes: while a WebSocket is open, other requests may have
   * changed or ended it.
   *
   * @param callback Called when done, for code written for Express
   * @returns Resolves when done; without a callback it rejects if the session has ended, or is in a sealed cookie
   */
  reload(callback?: Callback): Promise<void>;
  /** Its cookie's lifetime, which may differ from other sessions. */
  readonly cookie: SessionCookie;
  /** Prolongs it by `cookie.maxAge` with the response, even if nothing in it changes. */
  touch(): this;
}

/** The handlers' `req.session`: the data as properties, and methods that are not part of the data. */
export class RequestSession implements SessionMethods {
  readonly #actions: SessionActions;
  #cookie: SessionCookie | undefined;

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
    return told(this.#actions.drop("req.session.regenerate()"), callback);
  }

  destroy(callback?: Callback): Promise<void> {
    return told(this.#actions.drop("req.session.destroy()"), callback);
  }

  save(callback?: Callback): Promise<void> {
    return told(this.#actions.save(), callback);
  }

  reload(callback?: Callback): Promise<void> {
    return told(this.#actions.reload(), callback);
  }

  get cookie(): SessionCookie {
    return this.#cookie ??= new SessionCookie(this.#actions);
  }

  touch(): this {
    this.#actions.touch();
    return this;
  }
}

// Programs may use names from clients as keys: any name is data, except for a method's, where the assignment fails.
const { prototype } = RequestSession;
for (const name of ["regenerate", "destroy", "save", "reload", "touch"]) {
  Object.defineProperty(prototype, name, { writable: false });
}
Object.defineProperty(prototype, "__proto__", {
  get: () => prototype,
  set(this: object, value: unknown) {
    Object.defineProperty(this, "__proto__", { value, configurable: true, enumerable: true, writable: true });
  },
});

refuseMembers(prototype, "req.session", { resetMaxAge: "write req.session.touch()" });

function told(done: Promise<void>, callback: Callback | undefined): Promise<void> {
  if (callback === undefined) return done;
  return done.then(() => callback(), callback);
}
