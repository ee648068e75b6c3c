import { isDeveloped, warnInDevelopment } from "../util/development_warning.ts";
import { describe } from "../util/error_text.ts";
import { isPlainObject } from "../util/is_plain_object.ts";
import type { AnyHandler } from "../matching/layer.ts";
import type { Exchange } from "../exchange/exchange.ts";

/**
 * Time before a handler that has not responded is reported, in ms. Handlers also return values not meant as a response,
 * such as a query's result when its callback responds.
 */
const PATIENCE_MS = 1000;

/** Characters shown from a string. */
const SHOWN = 40;

/** Non-JSON values that are meant as a response. */
const KINDS = /\[object (?:Uint8Array|ArrayBuffer|Blob|File|ReadableStream|FormData|URLSearchParams)\]/;

/** A handler's return value, and whether only that handler can respond. */
export interface Returned {
  /** The handler. */
  readonly handler: AnyHandler;
  /** Its return value, or its promise's value. */
  readonly value: unknown;
  /** Returns whether no other layer has run since, so only this handler can respond. */
  isItsTurn(): boolean;
}

/** Handlers that the developer was warned about. */
const toldOf = new WeakSet<AnyHandler>();

/**
 * Warns the developer about a handler that returned its response instead of sending it; otherwise the request would
 * wait forever without an explanation. It warns only if there is no response after a while and no other layer has run.
 *
 * @param exchange The exchange
 * @param returned The return value, which is not a `Response`
 */
export function noteReturned(exchange: Exchange, returned: Returned): void {
  const { app, target } = exchange;
  const { handler, value } = returned;
  const isWaiting = (): boolean => exchange.response === null && returned.isItsTurn() && !toldOf.has(handler);
  if (!isDeveloped(app) || !isMeant(value) || !isWaiting()) return;
  setTimeout(() => {
    if (!isWaiting()) return;
    toldOf.add(handler);
    const text = typeof value === "function" ? ofFunction(handler, value) : ofValue(value);
    warnInDevelopment(app, `${text} (${target.method} ${target.originalUrl})`);
  }, PATIENCE_MS);
}

// Numbers, booleans, null and objects of other classes come from calls whose result is ignored: timers, lists of
// waiting clients, emitters, queries. So do objects with functions or the response.
function isMeant(value: unknown): boolean {
  try {
    return isData(value);
  } catch {
    // the value's own properties throw
    return false;
  }
}

function isData(value: unknown): boolean {
  if (typeof value === "string" || typeof value === "function") return true;
  if (typeof value !== "object" || value === null) return false;
  if (typeof (value as { toJSON?: unknown }).toJSON === "function") return true;
  if (!isPlainObject(value) && !Array.isArray(value)) return isOfKind(value);
  return Object.values(value).every((part) => typeof part !== "function" && !isLive(part));
}

// a request or response, or a socket kept for a later response
function isLive(part: unknown): boolean {
  return typeof (part as { on?: unknown } | null | undefined)?.on === "function";
}

function ofValue(value: unknown): string {
  const isText = typeof value === "string";
  const shown = isText && value.length > SHOWN ? `${JSON.stringify(value.slice(0, SHOWN))}…` : describe(value);
  const remedy = isText || isOfKind(value)
    ? "call res.send(value), or return new Response(value)"
    : "call res.json(value), or return Response.json(value)";
  return `the handler returned ${shown}, which is not sent, and nothing has responded for a second; ${remedy}`;
}

function isOfKind(value: unknown): boolean {
  return KINDS.test(Object.prototype.toString.call(value));
}

function ofFunction(handler: AnyHandler, value: object): string {
  const name = handler.name || "handler";
  return `${describe(handler)} returned ${describe(value)}, and nothing has responded for a second; if it creates ` +
    `the handler, register its return value: ${name}()`;
}
