import { checkNames, checkType, describe, HttpError, type OptionNames, refuseOption } from "@sluice/shared";
import type { Handler, Middleware, Request, Response } from "@sluice/sluice";
import { type CookieAttributes, KeptCookie } from "../cookies/kept_cookie.ts";
import { checkSecrets } from "../cookies/secrets.ts";
import { checkOrigins, crossOrigin } from "./cross_origin.ts";
import { isTokenOf, maskedToken } from "./masked_token.ts";
import { CookieSecrets, SessionSecrets, type TokenSecrets } from "./token_secrets.ts";

/**
 * Options for {@linkcode csrf}.
 *
 * @example Pages on a different host that may submit forms
 * ```ts
 * import sluice from "@sluice/sluice";
 * import { csrf } from "@sluice/middleware/csrf";
 *
 * const app = sluice();
 * app.use(csrf({ origins: ["https://shop.example"] }));
 * ```
 */
export interface CsrfOptions {
  /** Other origins whose pages may send requests, such as `"https://admin.example.com"`; none by default. */
  origins?: string[];
  /**
   * Requires a token from requests without origin headers: `"session"` keeps the token's secret in `req.session`, an
   * object in a signed cookie. Without this option, such requests are allowed.
   */
  token?: "session" | CsrfCookieOptions;
}

/**
 * The cookie that holds the tokens' secret.
 *
 * @example Tokens derived from a cookie
 * ```ts
 * import sluice from "@sluice/sluice";
 * import { csrf } from "@sluice/middleware/csrf";
 *
 * const app = sluice();
 * app.use(csrf({ token: { secret: "of at least 32 characters, from the environment" } }));
 * ```
 */
export interface CsrfCookieOptions {
  /** Signs the cookie: 32 characters or more. Of several secrets, the first signs, and all verify. */
  secret: string | string[];
  /** Its name; by default `csrf`, and `__Host-csrf` over TLS, where its attributes allow that. */
  name?: string;
  /** Its attributes. */
  cookie?: CookieAttributes;
}

/** The property that `csrf` adds to requests with option `token`; a program declares it once. */
export interface CsrfExtras {
  /**
   * Returns a token for forms and scripts on the page being sent, to submit as field `_csrf` or header `X-CSRF-Token`.
   *
   * @throws {Error} If the client needs a cookie, and the response head has already been sent
   */
  csrfToken(): string;
}

/** Options from csurf, csrf-csrf and hono/csrf. */
const INSTEAD = {
  cookie: 'use token: { secret, cookie }, or token: "session"',
  sessionKey: 'use token: "session", which is req.session',
  getSecret: "use token: { secret }",
  secret: "use token: { secret }",
  value: "tokens are read from header X-CSRF-Token and field _csrf",
  ignoreMethods: "GET, HEAD and OPTIONS pass",
  origin: "use origins, a list",
};

const NAMES: OptionNames<CsrfOptions> = { origins: true, token: true };
const TOKEN_NAMES: OptionNames<CsrfCookieOptions> = { secret: true, name: true, cookie: true };

/** Methods without side effects (RFC 9110 section 9.2.1); programs must honour that. */
const SAFE = new Set(["GET", "HEAD", "OPTIONS", "TRACE"]);

/** Schemes of `Authorization` that browsers send automatically. */
const AMBIENT = /^(?:basic|digest|negotiate|ntlm)\b/i;

/**
 * Rejects requests that a page from a different origin sends with the user's credentials (cross-site request forgery),
 * with
 * 403. Safe methods pass.
 *
 * Browsers state where a request comes from, in `Sec-Fetch-Site` or `Origin`. A request with neither comes from a
 * non-browser client, or a browser from before 2020. With the option `token`, it needs a token if it has cookies or
 * other credentials that browsers send automatically; otherwise it passes.
 *
 * @param options Further origins, and tokens
 * @returns Middleware; a rejection goes to `next` as an `HttpError` whose `code` is `"EBADCSRFTOKEN"`, as in csurf
 * @throws {TypeError} If an option is unknown or of the wrong type
 * @throws {RangeError} If a secret is too short
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
 */
export function csrf(options: CsrfOptions & Required<Pick<CsrfOptions, "token">>): Middleware<CsrfExtras>;
/**
 * The same without tokens: `req.csrfToken` explains how to enable them.
 *
 * @param options Which requests to allow
 * @returns Middleware; rejections go to `next`
 * @throws {TypeError} If an option is unknown or not valid
 */
export function csrf(options?: CsrfOptions): Handler;
export function csrf(options: CsrfOptions = {}): Handler {
  checkNames("csrf", options, NAMES, INSTEAD);
  const { origins = [], token } = options;
  const trusted = checkOrigins(origins);
  const secrets = token === undefined ? null : secretsOf(token);

  return function csrf(req, res, next) {
    Object.assign(req, { csrfToken: () => tokenFor(secrets, req, res) });
    next(SAFE.has(req.method) ? undefined : refusal(req, trusted, secrets));
  };
}

function tokenFor(secrets: TokenSecrets | null, req: Request, res: Response): string {
  if (secrets === null) {
    throw new TypeError('req.csrfToken: csrf creates tokens only with option token: csrf({ token: "session" })');
  }
  if (!res.headersSent) res.vary("Cookie");
  return maskedToken(secrets.ensure(req, res));
}

function refusal(req: Request, trusted: ReadonlySet<string>, secrets: TokenSecrets | null): HttpError | undefined {
  const verdict = crossOrigin(req, trusted);
  if (verdict === "own") return undefined;
  if (verdict === "foreign") return refused(foreign(req));
  if (secrets === null || !hasCredentials(req)) return undefined;
  const token = req.get("x-csrf-token") ?? (req.body as { _csrf?: unknown } | undefined)?._csrf;
  if (typeof token !== "string") {
    return refused("the request has no token: send the one from req.csrfToken() as header X-CSRF-Token or field _csrf");
  }
  const secret = secrets.find(req);
  if (secret !== undefined && isTokenOf(token, secret)) return undefined;
  return refused("the token does not belong to this client: it may have expired, or cookies are blocked");
}

function foreign(req: Request): string {
  const site = req.get("sec-fetch-site");
  const origin = req.get("origin");
  const from = origin ? `a page of ${describe(origin)}` : "a page of another origin";
  if (site) return `${from} made the request (Sec-Fetch-Site: ${site}); allow origins with option origins`;
  return `${from} made the request to ${describe(`${req.protocol}://${req.host}`)}; if that is a proxy's ` +
    "name for the same origin, set trust proxy; otherwise set option origins";
}

function refused(reason: string): HttpError {
  return new HttpError(403, `csrf: ${reason}`, { code: "EBADCSRFTOKEN" });
}

function hasCredentials(req: Request): boolean {
  return req.get("cookie") !== undefined || AMBIENT.test(req.get("authorization") ?? "");
}

function secretsOf(token: unknown): TokenSecrets {
  if (token === "session") return new SessionSecrets();
  if (typeof token !== "object" || token === null) refuseOption("csrf", "token", '"session" or { secret }', token);
  checkNames("csrf: option token", token, TOKEN_NAMES);
  const { secret, name, cookie = {} } = token as CsrfCookieOptions;
  checkType("csrf", "token.name", name, "string");
  const kept = new KeptCookie("csrf", name, "csrf", cookie, "browsers keep it until they are closed");
  return new CookieSecrets(kept, checkSecrets("csrf", "token.secret", secret));
}
