import type { AnyHandler } from "../matching/layer.ts";

/**
 * Makes room for the two cookie packages that look into a request or a response in a way nothing else does.
 *
 * Requests here have `cookies` of their own. cookie-parser takes their presence for a sign that it has run already,
 * and then sets neither `req.secret` nor `req.signedCookies`: it finds none. cookie-session sets its cookies through
 * Node's own `OutgoingMessage.prototype.setHeader` where a response has Express's `set`, and through
 * `res.setHeader` elsewhere: it finds no `set` (docs/decisions/0006-cookies-and-cookie-parser.md).
 *
 * They are told by what they assign, for bundlers rename functions and leave properties alone. They may
 * add a comment to a call that is pure.
 *
 * @param fn A middleware about to be registered
 * @returns The middleware, fitted if it is one of the two
 */
export function withCookieTakeover(fn: AnyHandler): AnyHandler {
  if (fn.length !== 3) return fn;
  const source = Function.prototype.toString.call(fn);
  if (/\.signedCookies\s*=[^=;,]*Object\.create\(/.test(source)) {
    return function cookieParser(req, res, next) {
      if (req.signedCookies === undefined) req.cookies = undefined;
      return fn(req, res, next);
    };
  }
  if (!/\.sessionOptions\s*=[^=;,]*Object\.create\(/.test(source)) return fn;
  return function _cookieSession(req, res, next) {
    return fn(req, withoutSet(res), next);
  };
}

function withoutSet(res: object): object {
  return new Proxy(res, {
    get(target, key) {
      if (key === "set") return undefined;
      const value = Reflect.get(target, key, target);
      // methods of a class with private fields refuse a proxy as their `this`
      return typeof value === "function" ? value.bind(target) : value;
    },
    set: (target, key, value) => Reflect.set(target, key, value, target),
  });
}
