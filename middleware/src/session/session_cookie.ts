import { refuseMembers } from "@sluice/shared";
import { COOKIE_NAMES } from "../cookies/kept_cookie.ts";

/** The session whose cookie it is. */
export interface CookieActions {
  /** Its lifetime in ms; `null` until the browser is closed. */
  maxAge: number | null;
  /** Current time in ms. */
  now(): number;
}

/**
 * The cookie of one session. Its lifetime is stored with the session, so it applies to later requests too;
 * `regenerate` and `destroy` forget it.
 *
 * @example Remember me
 * ```ts
 * import sluice from "@sluice/sluice";
 * import { session } from "@sluice/middleware/session";
 *
 * const app = sluice();
 * app.use(sluice.urlencoded());
 * app.use(session({ secret: "5VnrkxJ0fTuGGq7ZJvqCCiTTQ9SXYH2l" }));
 *
 * app.post("/login", async (req, res) => {
 *   await req.session.regenerate();
 *   req.session.user = req.body.name;
 *   if (req.body.remember) req.session.cookie.maxAge = 30 * 24 * 60 * 60 * 1000;
 *   else req.session.cookie.expires = false; // until the browser is closed
 *   res.redirect("/");
 * });
 * ```
 */
export class SessionCookie {
  readonly #actions: CookieActions;

  /**
   * @param actions The session
   *
   * @internal
   */
  constructor(actions: CookieActions) {
    this.#actions = actions;
    // otherwise a misspelt attribute would be lost
    Object.preventExtensions(this);
  }

  /**
   * Lifetime of the session in ms after the last response that changed or prolonged it, up to `absoluteTtlMs`. `null`,
   * and on assignment `false`, let the browser delete the cookie when it is closed.
   */
  get maxAge(): number | null {
    return this.#actions.maxAge;
  }

  set maxAge(ms: number | false | null | undefined) {
    this.#actions.maxAge = ms === false ? null : ms ?? null;
  }

  /** When the session ends if this response saves it: `maxAge` as a date. */
  get expires(): Date | null {
    return this.maxAge === null ? null : new Date(this.#actions.now() + this.maxAge);
  }

  set expires(date: Date | false | null | undefined) {
    this.maxAge = date && Number(date) - this.#actions.now();
  }

  /** The same as `maxAge`. */
  get originalMaxAge(): number | null {
    return this.maxAge;
  }

  /** What `JSON.stringify` shows. */
  toJSON(): { originalMaxAge: number | null; expires: Date | null } {
    return { originalMaxAge: this.maxAge, expires: this.expires };
  }
}

const ofAll = "write session({ cookie: { … } }), for all sessions";
const { prototype } = SessionCookie;
refuseMembers(prototype, "req.session.cookie", Object.fromEntries(COOKIE_NAMES.map((name) => [name, ofAll])));
