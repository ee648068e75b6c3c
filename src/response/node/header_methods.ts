import { asciiLowerCase } from "../../util/ascii.ts";
import { checkedHeaderKey } from "../../http/header_values.ts";
import { coded } from "../../util/coded_error.ts";
import { describe } from "../../util/error_text.ts";
import { Emitter } from "../../util/emitter.ts";
import type { HeaderValue, OutgoingHeaders } from "../web/outgoing_headers.ts";

/** Key for the headers set so far; for internal use, like the keys below. */
export const outgoingKey: unique symbol = Symbol("sluice.outgoing");

/** Key for the length of the sent body. */
export const sentLengthKey: unique symbol = Symbol("sluice.sent length");

/** Key for a sent response's additional headers. */
export const sentHeadersKey: unique symbol = Symbol("sluice.sent headers");

/** Headers in the forms that `writeHead` and `set` accept. */
export type HeaderInit =
  // Node's type for a received response's headers; none is actually undefined
  | Record<string, HeaderValue | undefined>
  | readonly (readonly [string, HeaderValue])[]
  | readonly string[];

/**
 * Node's methods for response headers. The subclass holds the headers themselves: a field in this class would slow
 * every request.
 */
export abstract class HeaderMethods extends Emitter {
  /**
   * The headers set so far.
   *
   * @internal
   */
  abstract get [outgoingKey](): OutgoingHeaders;

  /** Whether the status and headers have been sent and can no longer change. */
  abstract get headersSent(): boolean;

  /**
   * Length of the sent body, `undefined` if it is not shown.
   *
   * @internal
   */
  abstract get [sentLengthKey](): string | undefined;

  /**
   * A sent response's additional headers, by lower-case name.
   *
   * @internal
   */
  abstract get [sentHeadersKey](): Record<string, HeaderValue>;

  /**
   * Sets a header, replacing its current value.
   *
   * @param name Header name
   * @param value A value, or a list of values for several header lines
   * @throws {TypeError} If the name or a value is not allowed (CR, LF)
   * @throws {Error} If the headers have already been sent (`ERR_HTTP_HEADERS_SENT`)
   */
  setHeader(name: string, value: HeaderValue): this {
    assertOpen(this, "res.setHeader");
    if (value === undefined) {
      checkedHeaderKey("res.setHeader", name);
      throw coded("ERR_HTTP_INVALID_HEADER_VALUE", new TypeError(`res.setHeader needs a value for "${name}"`));
    }
    this[outgoingKey].set("res.setHeader", name, value);
    return this;
  }

  /**
   * Adds a value to a header, as a separate line.
   *
   * @param name Header name
   * @param value A value, or a list of values
   * @throws {Error} If the headers have already been sent (`ERR_HTTP_HEADERS_SENT`)
   */
  appendHeader(name: string, value: string | string[]): this {
    assertOpen(this, "res.appendHeader", "append");
    checkedHeaderKey("res.appendHeader", name);
    const earlier = this.getHeader(name);
    if (earlier === undefined) return this.setHeader(name, value);
    const before = Array.isArray(earlier) ? earlier : [String(earlier)];
    return this.setHeader(name, before.concat(value));
  }

  /**
   * Sets several headers from a `Headers` or a `Map`, replacing current values, including cookies.
   *
   * @throws {TypeError} If it is neither
   */
  setHeaders(headers: Headers | ReadonlyMap<string, HeaderValue>): this {
    if (typeof headers?.forEach !== "function" || Array.isArray(headers) || ArrayBuffer.isView(headers)) {
      const error = new TypeError(`res.setHeaders expects a Headers or a Map, not ${describe(headers)}`);
      throw coded("ERR_INVALID_ARG_TYPE", error);
    }
    const cookies: HeaderValue[] = [];
    headers.forEach((value: HeaderValue, name: string) => {
      if (name === "set-cookie") cookies.push(value);
      else this.setHeader(name, value);
    });
    if (cookies.length > 0) this.setHeader("set-cookie", cookies.flat() as string[]);
    return this;
  }

  /**
   * Reads a header as it was set. After `res.send` and similar methods this includes `Content-Length`; as on Node, the
   * length added for `res.end` is not shown.
   */
  getHeader(name: string): HeaderValue | undefined {
    const value = this[outgoingKey].get(name);
    if (value !== undefined || !this.headersSent) return value;
    const key = asciiLowerCase(name);
    // loggers read this header after every response, so it must not copy all headers
    return (key === "content-length" ? this[sentLengthKey] : undefined) ?? this[sentHeadersKey][key];
  }

  /** All headers by lower-case name. */
  getHeaders(): Record<string, HeaderValue> {
    const record = this[outgoingKey].toRecord();
    if (!this.headersSent) return record;
    const length = this[sentLengthKey];
    if (length !== undefined) record["content-length"] ??= length;
    for (const [name, value] of Object.entries(this[sentHeadersKey])) record[name] ??= value;
    return record;
  }

  /** Header names in lower case. */
  getHeaderNames(): string[] {
    return Object.keys(this.getHeaders());
  }

  /** Header names as they were set. */
  getRawHeaderNames(): string[] {
    return this[outgoingKey].rawNames();
  }

  /** Whether a header is set. */
  hasHeader(name: string): boolean {
    return this.getHeader(name) !== undefined;
  }

  /**
   * Removes a header.
   *
   * @throws {Error} If the headers have already been sent (`ERR_HTTP_HEADERS_SENT`)
   */
  removeHeader(name: string): void {
    assertOpen(this, "res.removeHeader", "remove");
    this[outgoingKey].delete(name);
  }
}

// Node's older name for the headers. Middleware also assigns it to replace them all. Node's types also lack it.
Object.defineProperty(HeaderMethods.prototype, "_headers", {
  get(this: HeaderMethods) {
    return this.getHeaders();
  },
  set(this: HeaderMethods, headers: Record<string, HeaderValue> | null) {
    for (const name of this.getHeaderNames()) this.removeHeader(name);
    for (const [name, value] of Object.entries(headers ?? {})) this.setHeader(name, value);
  },
  configurable: true,
});

/**
 * Throws if the headers have been sent: Node's error with Node's message, which programs and loggers compare, and
 * advice as its cause.
 *
 * @param message The response
 * @param caller Name of the caller, for the cause
 * @param verb What it does with headers, for Node's message
 * @throws {Error} If the headers have already been sent (`ERR_HTTP_HEADERS_SENT`)
 */
export function assertOpen(message: { readonly headersSent: boolean }, caller: string, verb = "set"): void {
  if (!message.headersSent) return;
  const cause = `${caller} came after the response to this request: respond once, then return`;
  const late = new Error(`Cannot ${verb} headers after they are sent to the client`, { cause });
  throw coded("ERR_HTTP_HEADERS_SENT", late);
}

/**
 * Sets the headers passed to `writeHead`, if any. A list may repeat names; it replaces earlier values.
 *
 * @param message The response
 * @param headers The headers
 */
export function setGiven(message: HeaderMethods, headers: HeaderInit | undefined): void {
  if (headers === undefined) return;
  if (!Array.isArray(headers)) {
    for (const [name, value] of Object.entries(headers)) message.setHeader(name, value!);
    return;
  }
  if (!Array.isArray(headers[0]) && headers.length % 2 !== 0) {
    throw coded(
      "ERR_INVALID_ARG_VALUE",
      new TypeError("res.writeHead: a flat list of headers must alternate names and values"),
    );
  }
  const pairs = Array.isArray(headers[0]) ? headers as [string, string][] : pairsOf(headers);
  for (const [name] of pairs) message.removeHeader(name);
  for (const [name, value] of pairs) message.appendHeader(name, value);
}

function pairsOf(flat: readonly string[]): [string, string][] {
  return Array.from({ length: flat.length >> 1 }, (_, i) => [flat[2 * i]!, flat[2 * i + 1]!]);
}
