/** Tests that pass on Express and not on Sluice, and why that stays. */

/** Tests of a suite that fail for one reason. */
export interface Difference {
  /** Name of the suite. */
  readonly suite: string;
  /** The reason, for users. */
  readonly why: string;
  /** Full titles of the tests. */
  readonly tests: readonly string[];
}

/** All of them. */
export const DIFFERENCES: readonly Difference[] = [
  {
    suite: "Unleash",
    why: "`req.ip` of a client that came over IPv4 is its IPv4 address, without `::ffff:` in front",
    tests: ["auditMiddleware testing Adds username and id from an IAuthRequest"],
  },
  {
    suite: "express-gateway",
    why: "as in Express 5, `req.body` without a body is `undefined`",
    tests: [
      "E2E: oauth2, proxy, log, expression, rate-limit policies should execute oauth2, proxy, log, expression, rate-limit policies and return 200",
      "E2E: oauth2, proxy, log, expression, rate-limit policies should execute oauth2, proxy, log, expression, rate-limit policies and return 429 as rate limit is reached",
      "Functional Test Authorization Code grant should grant access token if requesting with scopes and scopes are authorized",
      "Functional Test Authorization Code grant should grant access token if requesting without scopes",
      "Functional Test Authorization Code grant should grant access token in exchange of refresh token",
      "Functional Test Authorization Code grant should not grant access token if code is expired",
      "Functional Test Implicit grant should grant access token when requesting without scopes",
      "Functional Test Implicit grant should grant access token with requesting with scopes and scopes are authorized",
      "Request @headers @proxy downstream @auth @key-auth should authenticate token for requests with scopes if requester is authorized",

      "@modifier policy headers and responses modification should correctly reshape the request and response with url encoded payload",
    ],
  },
  {
    suite: "parse-server",
    why:
      "as in Express 5, `/1//hooks` is not `/hooks` below the mount `/1`; Parse's SDK asks for it before its version 6, with which these pass, too",
    tests: [
      "Hooks should have no hooks registered",
      "Hooks should have no triggers registered",
      "Hooks should CRUD a function registration",
      "Hooks should CRUD a trigger registration",
      "Hooks should fail trying to create two times the same function",
      "Hooks should fail trying to create two times the same trigger",
      "Hooks should fail trying to update a function that don't exist",
      "Hooks should fail trying to update a trigger that don't exist",
      "Hooks should create hooks and properly preload them",
      "Hooks should run the function on the test server",
      "Hooks should run the function on the test server (error handling)",
      "Hooks should provide X-Parse-Webhook-Key when defined",
      "Hooks should not pass X-Parse-Webhook-Key if not provided",
      "Hooks should run the beforeSave hook on the test server",
      "Hooks beforeSave hooks should correctly handle responses containing entire object",
      "Hooks should run the afterSave hook on the test server",
    ],
  },
  {
    suite: "cookie-parser",
    why: "called inside one's own function, it finds that `req.cookies` is there already",
    tests: [
      "cookieParser() when no cookies are sent should default req.cookies to {}",
      "cookieParser() when no cookies are sent should default req.signedCookies to {}",
      "cookieParser() when cookies are sent should inflate JSON cookies",
      "cookieParser() when a secret is given should populate req.signedCookies",
      "cookieParser() when a secret is given should remove the signed value from req.cookies",
      "cookieParser() when a secret is given should omit invalid signatures",
      "cookieParser() when multiple secrets are given should populate req.signedCookies",
      "cookieParser() when no secret is given should not populate req.signedCookies",
    ],
  },
  {
    suite: "express-rate-limit",
    why: "it knows that it is called in a handler by the names of Express's functions in the stack",
    tests: [
      "validations tests creationStack should log an error if called in an express request handler with a memory store",
      "validations tests creationStack should log a different error when used with an external store",
    ],
  },
  {
    suite: "http-proxy-middleware",
    why: "`app.listen` takes no path of a Unix socket; `http.createServer(app).listen` does",
    tests: ["E2E Unix Domain Socket proxy (UDS, or IPC sockets) proxies HTTP request to unix socket target"],
  },
  {
    suite: "supertest",
    why: "as in Express 5, `?a[]=1` is parsed only with the setting `query parser` at `extended`",
    tests: [
      "request.get(url).query(vals) works as expected array query string value works",
      "request.get(url).query(vals) works as expected array query string value work even with single value",
      "request.get(url).query(vals) works as expected object query string value works",
    ],
  },
];
