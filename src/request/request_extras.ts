import type { Any } from "../util/any.ts";

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
 *
 * @example A Worker's bindings and its context, in the types that `wrangler types` writes
 * ```ts ignore
 * declare module "@sluice/sluice" {
 *   interface RequestExtras {
 *     env: Env;
 *     executionCtx: ExecutionContext;
 *   }
 * }
 * ```
 */
// deno-lint-ignore no-empty-interface -- programs augment it
export interface RequestExtras {}

/**
 * The type that {@linkcode RequestExtras} declares for a property of every request.
 *
 * @typeParam Name Name of the property
 * @typeParam Otherwise Its type if nothing is declared
 */
export type Declared<Name extends string, Otherwise> = RequestExtras extends Record<Name, infer Type> ? Type
  : Otherwise;

/** What common middleware attaches to requests: of any type unless {@linkcode RequestExtras} declares one. */
export interface CommonExtras {
  /** The session, set by session middleware. */
  session?: Any;
  /** The authenticated user, set by authentication middleware. */
  user?: Any;
  /** Secret for signed cookies, set by cookie-parser. */
  secret?: string;
  /** Signed cookies, set by cookie-parser. */
  signedCookies?: Any;
  /** An uploaded file, set by multer. */
  file?: Any;
  /** Uploaded files, set by multer. */
  files?: Any;
  /** The id, set by `requestId`, pino-http or express-request-id. */
  id?: string | number;
  /** Writes lines about the request, set by `log` or pino-http. */
  log?: Any;
  /** Whether the time is over, set by `timeout` or connect-timeout. */
  timedout?: boolean;
  /** Makes a token for a form, set by `csrf`. */
  csrfToken(): string;
}
