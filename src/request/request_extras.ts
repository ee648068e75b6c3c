import type { Untyped } from "./untyped.ts";

/**
 * What the middleware of a program puts on requests. It is declared here, once, in any file:
 *
 * @example A property, and those that packages declare for Express
 * ```ts ignore
 * declare module "@sluice/sluice" {
 *   interface RequestExtras extends Express.Request {
 *     tenant: string;
 *   }
 * }
 * ```
 */
// deno-lint-ignore no-empty-interface -- the program fills it
export interface RequestExtras {}

/** What common middleware puts on requests: of any type until {@linkcode RequestExtras} says more. */
export interface CommonExtras {
  /** Session, where a session middleware made one. */
  session?: Untyped;
  /** The authenticated user, where a middleware found one. */
  user?: Untyped;
  /** Secret for signed cookies, as cookie-parser leaves it. */
  secret?: string;
  /** Signed cookies, as cookie-parser leaves them. */
  signedCookies?: Untyped;
  /** An uploaded file, as multer leaves it. */
  file?: Untyped;
  /** Uploaded files, as multer leaves them. */
  files?: Untyped;
}
