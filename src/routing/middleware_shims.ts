import type { AnyHandler } from "../matching/layer.ts";
import { exchangeOf } from "../exchange/exchange.ts";
import { IncomingMessage } from "../request/node/incoming_message.ts";
import { runtimeKey } from "../util/runtime_key.ts";

/**
 * Lets cookie-parser and old passport versions work on Sluice's requests as they do on Node's.
 *
 * They are recognized by properties in their source, because bundlers rename functions but not properties.
 * cookie-parser is also recognized by name, which monitoring agents such as dd-trace give to their wrapper.
 *
 * @param fn A middleware about to be registered
 * @returns The middleware, wrapped if it is one of these
 */
export function withShim(fn: AnyHandler): AnyHandler {
  if (fn.length !== 3) return fn;
  if (fn.name === "cookieParser") return cookieParserOf(fn);
  const source = Function.prototype.toString.call(fn);
  // a bundler may insert a comment before a pure call
  if (/\.signedCookies\s*=[^=;,]*Object\.create\(/.test(source)) return cookieParserOf(fn);
  if (/\.IncomingMessage\.prototype\.logIn\b/.test(source)) return authenticateOf(fn);
  return fn;
}

/**
 * Hides `req.cookies` from cookie-parser, which fills it itself. Sluice's requests already have it; cookie-parser would
 * conclude that it has run before, and set neither `req.secret` nor `req.signedCookies`
 * (docs/decisions/0006-cookies-and-cookie-parser.md).
 */
function cookieParserOf(fn: AnyHandler): AnyHandler {
  return function cookieParser(req, res, next) {
    if (req.signedCookies === undefined) req.cookies = undefined;
    return fn(req, res, next);
  };
}

/** `passport.authenticate` and `passport.session` before 0.5 add methods only to Node's requests. */
function authenticateOf(fn: AnyHandler): AnyHandler {
  return function authenticate(req, res, next) {
    const http = exchangeOf(req)?.app[runtimeKey].nodeHttp();
    if (http !== undefined) copyPassport(http.IncomingMessage.prototype);
    return fn(req, res, next);
  };
}

const PASSPORT_METHODS = ["login", "logIn", "logout", "logOut", "isAuthenticated", "isUnauthenticated"];

// on the prototype, as passport does, so mounted applications also have them
function copyPassport(from: Readonly<Record<string, unknown>>): void {
  const own: Record<string, unknown> = IncomingMessage.prototype as object as Record<string, unknown>;
  for (const name of PASSPORT_METHODS) if (own[name] !== from[name]) own[name] = from[name];
}
