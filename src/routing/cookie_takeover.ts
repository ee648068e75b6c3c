import type { AnyHandler } from "../matching/layer.ts";

/**
 * Leaves cookies to npm's cookie-parser where an application uses it.
 *
 * Requests here have `cookies` of their own. cookie-parser takes their presence for a sign that it has run already,
 * and then sets neither `req.secret` nor `req.signedCookies`.
 *
 * @param fn A middleware about to be registered
 * @returns The middleware, which finds no cookies if it is cookie-parser
 */
export function withCookieTakeover(fn: AnyHandler): AnyHandler {
  if (fn.name !== "cookieParser" || fn.length !== 3) return fn;
  return function cookieParser(req, res, next) {
    if (req.signedCookies === undefined) req.cookies = undefined;
    return fn(req, res, next);
  };
}
