import { parse as parseCookie } from "cookie-es";
import { assignOwn } from "../http/assignable.ts";
import { type ByteRanges, parseByteRange } from "../http/byte_range.ts";
import { isFresh } from "../http/freshness.ts";
import { nextSequence, requestSequence } from "../http/sequence.ts";
import { acceptedCharset, acceptedEncoding, acceptedLanguage, acceptedType } from "./accepting.ts";
import type { AppFace } from "./app_face.ts";
import { clientAddresses, clientHost, clientProtocol, hostnameOf, subdomainsOf } from "./client_address.ts";
import { matchContentType } from "./content_is.ts";
import { type Exchange, exchangeKey } from "./exchange.ts";
import { IncomingMessage } from "./incoming_message.ts";
import type { CommonExtras, RequestExtras } from "./request_extras.ts";
import { type RequestState, stateKey } from "./request_state.ts";
import type { ResponseFace } from "./response_face.ts";
import type { Untyped } from "./untyped.ts";

/** Values of the path parameters by name. A wildcard has a list of segments; a literal path types it so. */
export type RouteParams = Record<string, string>;

/** Values of the query by name. */
export type QueryValues = Record<string, Untyped>;

/**
 * What tells requests of Node, and so of Express, from ours by their type: they may end with trailers. A property that
 * ours have would let everything in, handlers of other parameters than the path's included.
 */
export interface NodeRequest {
  /** Names and values of the headers behind the body. */
  readonly rawTrailers: string[];
}

/** What was parsed of a request because somebody asked for it, or assigned. */
class Parsed {
  query: Record<string, Untyped> | undefined = undefined;
  queryOf: string | null | undefined = undefined;
  queryBy: unknown = undefined;
  cookies: Record<string, Untyped> | undefined = undefined;
  baseUrl: string | undefined = undefined;
  url: Record<string, Untyped> | undefined = undefined;
}

/** What middleware puts on requests. */
export interface FrameworkRequest<Params = RouteParams, Body = Untyped, Query = QueryValues>
  extends RequestExtras, Omit<CommonExtras, keyof RequestExtras> {}

/**
 * Express's request over a web `Request`: every property of Express 5, read lazily, beside the web's own readers.
 *
 * @typeParam Params Type of `req.params`; literal paths give it
 * @typeParam Body Type of `req.body`
 * @typeParam Query Type of `req.query`
 */
export class FrameworkRequest<Params = RouteParams, Body = Untyped, Query = QueryValues> extends IncomingMessage {
  readonly #exchange: Exchange;
  #state: RequestState | null = null;
  #parsed: Parsed | null = null;

  /** The parsed body; `undefined` until a body parser or a handler sets it (Express 5). */
  body: Body = undefined as Body;
  /** The response this request belongs to. */
  res: ResponseFace = undefined as unknown as ResponseFace;
  /** The {@linkcode Route} being run, `undefined` outside routes; of any type, as in Express. */
  route: Untyped = undefined;
  /** Continues with the next layer of the router that is running. */
  next: (error?: unknown) => void = undefined as unknown as (error?: unknown) => void;
  /** Place of this request in the order of creation, for limiters that are made inside a request. */
  readonly [requestSequence]: number = nextSequence();

  /**
   * Wraps an exchange; the framework does this for every request.
   *
   * @param exchange The exchange this request belongs to
   */
  constructor(exchange: Exchange) {
    super();
    this.#exchange = exchange;
  }

  /** The exchange, for the framework's own use. */
  get [exchangeKey](): Exchange {
    return this.#exchange;
  }

  /**
   * What was asked of it.
   *
   * @internal
   */
  get [stateKey](): RequestState | null {
    return this.#state;
  }

  set [stateKey](state: RequestState) {
    this.#state = state;
  }

  get #ensureParsed(): Parsed {
    return this.#parsed ??= new Parsed();
  }

  /** Target of the request before any mount or rewrite. */
  get originalUrl(): string {
    return this.#exchange.target.originalUrl;
  }

  set originalUrl(value: string) {
    assignOwn(this, "originalUrl", value);
  }

  /** The application that is handling the request. */
  get app(): AppFace {
    return this.#exchange.app;
  }

  /** Path parameters of the layer being run; assignable. */
  get params(): Params {
    return (this.#exchange.target.params ??= {}) as Params;
  }

  set params(value: Params | undefined) {
    this.#exchange.target.params = value;
  }

  /** Path below the mount point, not decoded. */
  get path(): string {
    return this.#exchange.target.path;
  }

  /** The parts of `req.url` as parseurl keeps them, and Express's router with it: programs read the path there. */
  get _parsedUrl(): Record<string, Untyped> {
    const state = this.#ensureParsed;
    const { path, query, url } = this.#exchange.target;
    return state.url?._raw === url ? state.url : state.url = partsOf(url, path, query);
  }

  set _parsedUrl(value: Record<string, Untyped>) {
    this.#ensureParsed.url = value;
  }

  /** The part of the path that mounts have taken, without a trailing slash. */
  get baseUrl(): string {
    return this.#parsed?.baseUrl ?? this.#exchange.target.baseUrl;
  }

  // a router of Express adds what its mounts have taken, and puts back what was there
  set baseUrl(value: string) {
    this.#ensureParsed.baseUrl = value === this.#exchange.target.baseUrl ? undefined : value;
  }

  /**
   * The environment: a Worker's bindings, elsewhere the environment variables. One program finds its settings here on
   * every runtime.
   */
  get env(): Record<string, Untyped> {
    const { app, info } = this[exchangeKey];
    return app.runtimeFace.environment(info);
  }

  set env(value: Record<string, Untyped>) {
    assignOwn(this, "env", value);
  }

  /**
   * Goes on with work after the answer. Workers and edge functions would otherwise end with it, and a server that is
   * closed waits for it. A failure is logged.
   *
   * @param work What is to be waited for
   */
  waitUntil(work: PromiseLike<unknown>): void {
    const { app, info, context } = this[exchangeKey];
    app.background(work, info, context);
  }

  /** The query string parsed by the `query parser` setting; assignable, unlike in Express. */
  get query(): Query {
    const state = this.#ensureParsed;
    const text = this.#exchange.target.query;
    const parse = this.app.settings["query parser fn"];
    if (state.query === undefined || text !== state.queryOf || parse !== state.queryBy) {
      // a mounted application may have another parser
      state.queryBy = parse;
      state.query = parse ? parse(text ?? "") : Object.create(null);
      state.queryOf = text;
    }
    return state.query as Query;
  }

  set query(value: Query) {
    assignOwn(this, "query", value);
  }

  /** Cookies the client sent, decoded; a cookie middleware may replace them. */
  get cookies(): Untyped {
    return this.#ensureParsed.cookies ??= parseCookie(this.lookupHeader("cookie") ?? "");
  }

  set cookies(value: Untyped) {
    assignOwn(this, "cookies", value);
  }

  /**
   * Reads a request header; `Referer` and `Referrer` are one.
   *
   * @param name Header name, in any case
   * @returns Its value, `undefined` when absent
   * @throws {TypeError} If the name is missing or not a string
   */
  get(name: string): string | undefined {
    if (!name) throw new TypeError("name argument is required to req.get");
    if (typeof name !== "string") throw new TypeError("name must be a string to req.get");
    // only names of a length that matters are put into lower case: that takes as long as reading the header
    if ((name.length === 7 || name.length === 8) && /^referr?er$/i.test(name)) {
      return this.lookupHeader("referrer") ?? this.lookupHeader("referer");
    }
    return this.lookupHeader(name);
  }

  /** Reads a request header; the same as {@linkcode FrameworkRequest.get}. */
  header(name: string): string | undefined {
    return this.get(name);
  }

  /** What the client accepts, best first. */
  accepts(): string[];
  /** The best of the offered types by `Accept`, `false` when none will do. */
  accepts(...types: (string | readonly string[])[]): string | false;
  accepts(...types: (string | readonly string[])[]): string | string[] | false {
    return acceptedType(this.lookupHeader("accept"), offered(types));
  }

  /** What the client accepts, best first. */
  acceptsCharsets(): string[];
  /** The best of the offered charsets by `Accept-Charset`. */
  acceptsCharsets(...charsets: (string | readonly string[])[]): string | false;
  acceptsCharsets(...charsets: (string | readonly string[])[]): string | string[] | false {
    return acceptedCharset(this.lookupHeader("accept-charset"), offered(charsets));
  }

  /** What the client accepts, best first. */
  acceptsEncodings(): string[];
  /** The best of the offered codings by `Accept-Encoding`. */
  acceptsEncodings(...encodings: (string | readonly string[])[]): string | false;
  acceptsEncodings(...encodings: (string | readonly string[])[]): string | string[] | false {
    return acceptedEncoding(this.lookupHeader("accept-encoding"), offered(encodings));
  }

  /** What the client accepts, best first. */
  acceptsLanguages(): string[];
  /** The best of the offered languages by `Accept-Language`. */
  acceptsLanguages(...languages: (string | readonly string[])[]): string | false;
  acceptsLanguages(...languages: (string | readonly string[])[]): string | string[] | false {
    return acceptedLanguage(this.lookupHeader("accept-language"), offered(languages));
  }

  /**
   * Tells whether the body has one of the given types.
   *
   * @param types Extensions, full types, wildcards or suffixes
   * @returns The matching type, `false` if none matches, `null` if the request has no body
   */
  is(...types: (string | readonly string[])[]): string | false | null {
    if (!this.#announcesBody()) return null;
    return matchContentType(this.lookupHeader("content-type"), types.flat());
  }

  #announcesBody(): boolean {
    if (this.lookupHeader("transfer-encoding") !== undefined) return true;
    const length = this.lookupHeader("content-length");
    if (length !== undefined) return !Number.isNaN(Number(length));
    // a request made in process, or over HTTP/2, has neither header
    return this[exchangeKey].target.request.body !== null;
  }

  /**
   * Parses the `Range` header against a size in bytes (RFC 9110 section 14.2).
   *
   * @returns The ranges, -1 if none can be satisfied, -2 if the header is malformed, `undefined` if it is absent
   */
  range(size: number, options?: { combine?: boolean }): ByteRanges | -1 | -2 | undefined {
    const header = this.lookupHeader("range");
    return header === undefined ? undefined : parseByteRange(size, header, options);
  }

  /** Address of the client: the peer, or the farthest address the `trust proxy` setting vouches for. */
  get ip(): string | undefined {
    return clientAddresses(this).at(-1);
  }

  /** Addresses from the client to the last trusted proxy, farthest first; empty unless a proxy is trusted. */
  get ips(): string[] {
    return clientAddresses(this).slice(1).reverse() as string[];
  }

  /** `"http"` or `"https"`; a trusted proxy's `X-Forwarded-Proto` counts. */
  get protocol(): string {
    return clientProtocol(this, this.socket.encrypted);
  }

  /** Whether the client used TLS. */
  get secure(): boolean {
    return this.protocol === "https";
  }

  // typed as in Express: only a request of HTTP/1.0 may come without a host
  /** Host with its port; a trusted proxy's `X-Forwarded-Host` counts. `undefined` where the client named none. */
  get host(): string {
    return clientHost(this)!;
  }

  set host(value: string) {
    assignOwn(this, "host", value);
  }

  /** Host without its port. `undefined` where the client named none. */
  get hostname(): string {
    return hostnameOf(this.host)!;
  }

  /** Labels of the host below the domain, as cut by the `subdomain offset` setting. */
  get subdomains(): string[] {
    return subdomainsOf(this.hostname, this.app.get("subdomain offset"));
  }

  /** Whether the request was made by `XMLHttpRequest`, by the header libraries set. */
  get xhr(): boolean {
    return this.lookupHeader("x-requested-with")?.toLowerCase() === "xmlhttprequest";
  }

  /** Whether the client's copy is still good: then a 304 says all (RFC 9111 section 4.3). */
  get fresh(): boolean {
    const { method, res } = this;
    if (method !== "GET" && method !== "HEAD" && method !== "QUERY") return false;
    const status = res.statusCode;
    if ((status < 200 || status >= 300) && status !== 304) return false;
    const ifNoneMatch = this.lookupHeader("if-none-match");
    const lastModified = res.getHeader("last-modified") as string | undefined;
    // a date can only be compared with a date
    const ifModifiedSince = lastModified === undefined ? undefined : this.lookupHeader("if-modified-since");
    if (ifNoneMatch === undefined && ifModifiedSince === undefined) return false;
    return isFresh({ ifNoneMatch, ifModifiedSince, cacheControl: this.lookupHeader("cache-control") }, {
      etag: res.getHeader("ETag") as string | undefined,
      lastModified,
    });
  }

  /** The opposite of {@linkcode FrameworkRequest.fresh}. */
  get stale(): boolean {
    return !this.fresh;
  }

  /** Reads the body as JSON; what a body parser has read already is given back. */
  json(): Promise<Untyped> {
    return this.#read("json", "object");
  }

  /** Reads the body as text; what a body parser has read already is given back. */
  text(): Promise<string> {
    return this.#read("text", "string");
  }

  /** Reads the body as a form: fields and files. */
  formData(): Promise<FormData> {
    return this.#read("formData");
  }

  /** Reads the body as bytes. */
  arrayBuffer(): Promise<ArrayBuffer> {
    return this.#read("arrayBuffer");
  }

  /** Reads the body as a `Blob`. */
  blob(): Promise<Blob> {
    return this.#read("blob");
  }

  async #read(reader: "json" | "text" | "formData" | "arrayBuffer" | "blob", parsed?: string): Promise<Untyped> {
    const { request } = this[exchangeKey].target;
    if (!request.bodyUsed) return await request[reader]();
    if (parsed !== undefined && typeof this.body === parsed) return this.body;
    throw new TypeError(`req.${reader}() cannot read the body again; a middleware has read it, use req.body`);
  }
}

// as in Express, nothing in place of the first offer is no offer: `req.accepts(req.query.type)`
function offered(offers: (string | readonly string[])[]): string[] {
  return offers[0] ? offers.flat() : [];
}

// under the names of Node's url.parse()
function partsOf(url: string, pathname: string, query: string | null): Record<string, Untyped> {
  const search = query === null ? null : `?${query}`;
  const origin = { protocol: null, slashes: null, auth: null, host: null, port: null, hostname: null };
  return { ...origin, hash: null, search, query, pathname, path: pathname + (search ?? ""), href: url, _raw: url };
}
