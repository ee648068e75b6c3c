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
    suite: "express-session",
    why: "the message of an error for headers that come too late names the method, too; its `code` is Node's",
    tests: ["session() res.end patch should error when res.end is called twice"],
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
    suite: "helmet",
    why: "`req` and `res` are not instances of Node's classes",
    tests: [
      "Content-Security-Policy middleware allows functions in directive values to generate dynamic directives",
    ],
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
