import type { Any } from "../util/any.ts";

/**
 * Extra properties that your middleware attaches to requests. Declare them once, in any file:
 *
 * @example A property of your own, and those that packages declare for Express
 * ```ts ignore
 * declare module "@sluice/sluice" {
 *   interface RequestExtras extends Express.Request {
 *     tenant: string;
 *   }
 * }
 * ```
 *
 * @example A Worker's bindings and context, as typed by `wrangler types`
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
 * The type that {@linkcode RequestExtras} declares for a property on every request.
 *
 * @typeParam Name Name of the property
 * @typeParam Otherwise Its type if none is declared
 */
export type Declared<Name extends string, Otherwise> = RequestExtras extends Record<Name, infer Type> ? Type
  : Otherwise;

/** Properties set by common middleware, of type `any` unless {@linkcode RequestExtras} declares one. */
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
  /** Whether the request has timed out, set by `timeout` or connect-timeout. */
  timedout?: boolean;
  /** Creates a token for a form, set by `csrf`. */
  csrfToken(): string;
  /** The client's quota, set by the `rateLimit` of `@sluice/rate-limit` and by express-rate-limit. */
  rateLimit?: RateLimitQuota;
}

/** A client's quota, with express-rate-limit's names. */
export interface RateLimitQuota {
  /** The limit. */
  readonly limit: number;
  /** What the client has used of it. */
  readonly used: number;
  /** What is left of it. */
  readonly remaining: number;
  /** When it is full again. */
  readonly resetTime: Date | undefined;
  /** The client's key. */
  readonly key: string;
}
