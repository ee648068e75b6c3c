import type { AnyHandler } from "../matching/layer.ts";

/**
 * Lets cookie-parser fill `req.cookies` itself.
 *
 * Requests of Sluice have `cookies` already. cookie-parser takes that as a sign that it has run before, and then sets
 * neither `req.secret` nor `req.signedCookies`. So the cookies are hidden from it
 * (docs/decisions/0006-cookies-and-cookie-parser.md).
 *
 * It is recognised by the property it assigns, because bundlers rename functions but not properties. They may insert a
 * comment before a pure call.
 *
 * @param fn A middleware about to be registered
 * @returns The middleware, wrapped if it is cookie-parser's
 */
export function withCookieTakeover(fn: AnyHandler): AnyHandler {
  if (fn.length !== 3) return fn;
  if (!/\.signedCookies\s*=[^=;,]*Object\.create\(/.test(Function.prototype.toString.call(fn))) return fn;
  return function cookieParser(req, res, next) {
    if (req.signedCookies === undefined) req.cookies = undefined;
    return fn(req, res, next);
  };
}
