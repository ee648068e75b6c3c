import type { Untyped } from "./untyped.ts";

/**
 * What a program's middleware attaches to requests. Declare it once, in any file:
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
// deno-lint-ignore no-empty-interface -- programs augment it
export interface RequestExtras {}

/** What common middleware attaches to requests: of any type unless {@linkcode RequestExtras} declares one. */
export interface CommonExtras {
  /** The session, set by session middleware. */
  session?: Untyped;
  /** The authenticated user, set by authentication middleware. */
  user?: Untyped;
  /** Secret for signed cookies, set by cookie-parser. */
  secret?: string;
  /** Signed cookies, set by cookie-parser. */
  signedCookies?: Untyped;
  /** An uploaded file, set by multer. */
  file?: Untyped;
  /** Uploaded files, set by multer. */
  files?: Untyped;
}
