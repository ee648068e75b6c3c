/**
 * Protection against requests that a page of another site makes in the name of whoever looks at it (cross-site request
 * forgery).
 *
 * @example A form that pages of other sites cannot send
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
