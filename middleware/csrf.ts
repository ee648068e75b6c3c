/**
 * Protection against cross-site request forgery: requests that a page on a different site sends with the user's
 * cookies.
 *
 * @example A form that other sites cannot submit
 * ```ts
 * import sluice from "@sluice/sluice";
 * import { csrf } from "@sluice/middleware/csrf";
 *
 * const app = sluice();
 * app.use(csrf());
 *
 * app.post("/transfer", (req, res) => res.send("done"));
 * ```
 *
 * @module
 */
export { csrf, type CsrfCookieOptions, type CsrfExtras, type CsrfOptions } from "./src/csrf/csrf.ts";
export type { CookieAttributes } from "./src/cookies/kept_cookie.ts";
