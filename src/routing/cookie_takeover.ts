import type { AnyHandler } from "../matching/layer.ts";

/**
 * Makes room for cookie-parser, which looks at a request in a way nothing else does.
 *
 * Requests here have `cookies` of their own. cookie-parser takes their presence for a sign that it has run already,
 * and then sets neither `req.secret` nor `req.signedCookies`: it finds none
 * (docs/decisions/0006-cookies-and-cookie-parser.md).
 *
 * It is told by what it assigns, for bundlers rename functions and leave properties alone. They may add a comment to a
 * call that is pure.
 *
 * @param fn A middleware about to be registered
 * @returns The middleware, fitted if it is cookie-parser's
 */
export function withCookieTakeover(fn: AnyHandler): AnyHandler {
  if (fn.length !== 3) return fn;
  if (!/\.signedCookies\s*=[^=;,]*Object\.create\(/.test(Function.prototype.toString.call(fn))) return fn;
  return function cookieParser(req, res, next) {
    if (req.signedCookies === undefined) req.cookies = undefined;
    return fn(req, res, next);
  };
}
