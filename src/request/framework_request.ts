import { asciiLowerCase } from "../util/ascii.ts";
import { assignIfDerived, assignOwn, makeAssignable } from "../util/assignable.ts";
import { type ByteRanges, parseByteRange } from "../http/byte_range.ts";
import { emptyParams, isEmptyParams } from "../util/empty_params.ts";
import { isFresh } from "../http/freshness.ts";
import { originalKey, originalOf } from "../util/original_object.ts";
import { requestSequence } from "../util/sequence.ts";
import { acceptedCharset, acceptedEncoding, acceptedLanguage, acceptedType } from "./accepting.ts";
import { type AppLike, backgroundKey, routePathKey } from "../exchange/app_like.ts";
import { clientAddresses, clientHost, clientProtocol, hostnameOf, settingOf, subdomainsOf } from "./client_address.ts";
import { parseCookies } from "./cookies.ts";
import { matchContentType } from "./match_content_type.ts";
import { appOf, given, ownAppKey, ownAppOf, partsOf, urlPartsOf } from "../exchange/derived_object.ts";
import { type Exchange, exchangeFor, exchangeKey, exchangeOf } from "../exchange/exchange.ts";
import { IncomingMessage, readHeaderKey } from "./node/incoming_message.ts";
import type { CommonExtras, Declared, RequestExtras } from "./request_extras.ts";
import { announcesBody, hasBody } from "./body/request_body.ts";
import { readBlob, readBuffer, readForm, readJson, readString } from "./body/body_methods.ts";
import { type RequestState, requestStateKey } from "./node/request_state.ts";
import type { ResponseLike } from "../exchange/response_like.ts";
import type { Any } from "../util/any.ts";
import { runtimeKey } from "../util/runtime_key.ts";

/** Path parameters by name. A wildcard is a list of segments; the types of literal paths reflect that. */
export type RouteParams = Record<string, string>;

/** Query values by name, as a query parser may return them for `a=1&a=2&b[c]=3`. */
export interface ParsedQs {
  /** A string; a list or an object if the name is repeated or has brackets. */
  [name: string]: undefined | string | ParsedQs | (string | ParsedQs)[];
}

/**
 * Lets the types distinguish Node's and Express's requests from ours by a property that ours lack. A property that ours
 * have would also admit handlers declared with other path parameters.
 */
export interface NodeRequest {
  /** Adds a chunk to the stream; only the stream's own implementation does so. */
  readonly push: unknown;
}

/** Parts of a request that were parsed on demand or assigned. */
class Parsed {
  query: Record<string, Any> | undefined = undefined;
  queryOf: string | null | undefined = undefined;
  queryBy: unknown = undefined;
  cookies: Record<string, Any> | undefined = undefined;
  baseUrl: string | undefined = undefined;
  url: Record<string, Any> | undefined = undefined;
}

/** Key of the parsed parts. */
const parsedKey: unique symbol = Symbol("parsed");

/** Any request. */
type AnyRequest = FrameworkRequest<unknown, Any, unknown>;

/** Express's request, with the properties that middleware attaches, as declared in {@linkcode RequestExtras}. */
export interface FrameworkRequest<Params = RouteParams, Body = Any, Query = ParsedQs>
  extends RequestExtras, Omit<CommonExtras, keyof RequestExtras> {}

/**
 * Express's request on top of a web `Request`: every property of Express 5, evaluated lazily, plus the web's body
 * readers.
 *
 * @typeParam Params Type of `req.params`; inferred from literal paths
 * @typeParam Body Type of `req.body`
 * @typeParam Query Type of `req.query`
 *
 * @example Reading a request
 * ```ts
 * import sluice from "@sluice/sluice";
 *
 * const app = sluice();
 * app.get("/search/:area", (req, res) => {
 *   res.json({ area: req.params.area, query: req.query.q, language: req.acceptsLanguages("en", "de"), ip: req.ip });
 * });
 * ```
 */
export class FrameworkRequest<Params = RouteParams, Body = Any, Query = ParsedQs> extends IncomingMessage {
  /**
   * The request itself.
   *
   * @internal
   */
  override readonly [originalKey]: object = this;
  /**
   * The exchange, for internal use. Not a private field, because derived requests and proxies only have its properties.
   *
   * @internal
   */
  readonly [exchangeKey]: Exchange;
  /**
   * State of the Node API, created on first use.
   *
   * @internal
   */
  [requestStateKey]: RequestState | null = null;
  private [parsedKey]: Parsed | null = null;
  /**
   * The application whose `request` served as the prototype.
   *
   * @internal
   */
  declare readonly [ownAppKey]?: AppLike;

  /**
   * The parsed body; `undefined` until a body parser or a handler sets it (Express 5).
   *
   * Until then `"body" in req` is false, which middleware that reads the body itself checks.
   */
  declare body: Body;
  /** The response to this request. */
  res: ResponseLike = undefined as unknown as ResponseLike;
  /** The {@linkcode Route} being run, `undefined` outside routes; typed as any, as in Express. */
  route: Any = undefined;
  /** Calls the running router's next layer. */
  next: (error?: unknown) => void = undefined as unknown as (error?: unknown) => void;
  /**
   * Wraps an exchange; the framework does this for every request.
   *
   * @param exchange The request's exchange
   *
   * @internal
   */
  constructor(exchange: Exchange) {
    super();
    this[exchangeKey] = exchange;
  }

  /**
   * Sequence number of this request in creation order; limiters use it to detect that a request created them.
   *
   * @internal
   */
  get [requestSequence](): number | undefined {
    return exchangeOf(this)?.sequence;
  }

  /** The request target (path and query) before any mount or rewrite. */
  get originalUrl(): string {
    return exchangeOf(this)?.target.originalUrl as string;
  }

  set originalUrl(value: string) {
    assignOwn(this, "originalUrl", value);
  }

  /** The application that is handling the request. */
  get app(): AppLike {
    return exchangeOf(this)?.app ?? ownAppOf(this) as AppLike;
  }

  /** Path parameters for the layer being run; assignable. */
  get params(): Params {
    // created from the prototype alone, it has no exchange
    const target = (this as Partial<AnyRequest>)[exchangeKey]?.target;
    if (target === undefined) return undefined as Params;
    if (isEmptyParams(target.params)) target.params = emptyParams(target.params);
    return target.params as Params;
  }

  set params(value: Params | undefined) {
    if (!assignIfDerived(this, "params", value)) this[exchangeKey].target.params = value;
  }

  /** Path below the mount point, not percent-decoded. */
  get path(): string {
    if (this[originalKey] === this) return this[exchangeKey].target.path;
    return urlPartsOf(this)?.pathname as string;
  }

  /** The parts of `req.url`. npm's parseurl and Express's router cache them here, and some programs read them. */
  get _parsedUrl(): Record<string, Any> {
    if (this[originalKey] !== this) return urlPartsOf(this) as Record<string, Any>;
    const state = parsedOf(this);
    const { path, query, url } = this[exchangeKey].target;
    return state.url?._raw === url ? state.url : state.url = partsOf(url, path, query);
  }

  set _parsedUrl(value: Record<string, Any>) {
    if (!assignIfDerived(this, "_parsedUrl", value)) parsedOf(this).url = value;
  }

  /** Whether the body has been read and parsed. The Express 4 body parsers, which many packages bundle, check it. */
  get _body(): boolean {
    return this.body !== undefined && this.readableEnded;
  }

  /** The part of the path that mounts consumed, without a trailing slash; `undefined` after a 404, as in Express. */
  get baseUrl(): string {
    const target = exchangeOf(this)?.target;
    const isOutside = target?.params === undefined && target?.mount === 0;
    return (originalOf<AnyRequest>(this)[parsedKey]?.baseUrl ?? (isOutside ? undefined : target?.baseUrl)) as string;
  }

  // Express's routers append the path that their mounts consume and later restore the old value
  set baseUrl(value: string) {
    if (assignIfDerived(this, "baseUrl", value)) return;
    parsedOf(this).baseUrl = value === this[exchangeKey].target.baseUrl ? undefined : value;
  }

  /**
   * The last matching route's path as registered, including its enclosing mounts, such as
   * `/teams/:team/members/:name`; for a RegExp, its source. `undefined` if no route matched. Use it to name the route
   * in logs and metrics, as OpenTelemetry's `http.route` does. Express has no such property.
   */
  get routePath(): string | undefined {
    const { route } = this;
    if (typeof route !== "object" || route === null) return undefined;
    return this.app[routePathKey](route, (this.baseUrl ?? "") + this.path);
  }

  set routePath(value: string | undefined) {
    assignOwn(this, "routePath", value);
  }

  /**
   * The environment: a Worker's bindings; on other runtimes, the environment variables. Programs read their
   * configuration from one place on every runtime. Bindings passed to `app.fetch(request, env, ctx)` or
   * `app.inject(path, { env, ctx })` work everywhere. On Deno and Fastly, variables can be read by name but not listed.
   *
   * Its values are of type `any` unless {@linkcode RequestExtras} declares `env`.
   */
  get env(): Declared<"env", Record<string, Any>> {
    const exchange = exchangeOf(this);
    return exchange?.app[runtimeKey].environment(exchange.info, exchange.context) as Any;
  }

  set env(value: Declared<"env", Record<string, Any>>) {
    assignOwn(this, "env", value);
  }

  /**
   * The platform's third argument: a Worker's `ctx`, with `props`, `exports` and `passThroughOnException`, or a Durable
   * Object's state. `undefined` on other runtimes, which provide their details in `req.info`.
   *
   * It is of type `any` unless {@linkcode RequestExtras} declares `executionCtx`.
   */
  get executionCtx(): Declared<"executionCtx", Any> {
    return exchangeOf(this)?.context as Declared<"executionCtx", Any>;
  }

  set executionCtx(value: Declared<"executionCtx", Any>) {
    assignOwn(this, "executionCtx", value);
  }

  /**
   * Keeps work running after the response. Without it, Workers and edge functions stop when the response ends. Closing
   * a server waits for the work. Failures are logged.
   *
   * @param work A promise for the work
   * @throws {TypeError} If given a function instead of a promise
   */
  waitUntil(work: PromiseLike<unknown>): void {
    // as on Workers, other values count as done, but a function would never run
    const isIdle = typeof work === "function" && !("then" in work);
    if (isIdle) throw new TypeError("req.waitUntil expects a promise, not a function; call it");
    const { app, info, context } = exchangeFor(this, "req.waitUntil");
    app[backgroundKey](work, info, context, this);
  }

  /** The query, parsed according to the `query parser` setting; assignable, unlike in Express. */
  get query(): Query {
    if (this[originalKey] !== this) return derivedQuery(this) as Query;
    const state = parsedOf(this);
    const text = this[exchangeKey].target.query;
    const parse = this[exchangeKey].app.settings["query parser fn"];
    if (state.query === undefined || text !== state.queryOf || parse !== state.queryBy) {
      // a mounted application may have a different parser
      state.queryBy = parse;
      state.query = parse ? parse(text) : Object.create(null);
      state.queryOf = text;
    }
    return state.query as Query;
  }

  set query(value: Query) {
    assignOwn(this, "query", value);
  }

  /** The client's cookies, decoded; objects sent by `res.cookie` are parsed. Cookie middleware may replace them. */
  get cookies(): Any {
    // as in Express, a request without a client has no cookies until a parser sets them
    if (exchangeOf(this) === null) return undefined;
    return parsedOf(this).cookies ??= parseCookies(this[readHeaderKey]("cookie"));
  }

  set cookies(value: Any) {
    assignOwn(this, "cookies", value);
  }

  /**
   * Reads a request header; `Referer` and `Referrer` are synonyms.
   *
   * @param name Header name, case-insensitive
   * @returns Its value; a list for `Set-Cookie`; `undefined` if absent
   * @throws {TypeError} If the name is missing or not a string
   */
  get(name: "set-cookie"): string[] | undefined;
  /** Reads a request header. */
  get(name: string): string | undefined;
  get(name: string): string | string[] | undefined {
    if (!name) throw new TypeError("name argument is required to req.get");
    if (typeof name !== "string") throw new TypeError("name must be a string to req.get");
    // compares only names with the right length: the comparison costs as much as reading the header
    if ((name.length === 7 || name.length === 8) && /^referr?er$/i.test(name)) {
      return this[readHeaderKey]("referrer") ?? this[readHeaderKey]("referer");
    }
    if (name.length === 10 && asciiLowerCase(name) === "set-cookie") return this.headers["set-cookie"];
    return this[readHeaderKey](name);
  }

  /** Reads a request header; the same as {@linkcode FrameworkRequest.get}. */
  header(name: "set-cookie"): string[] | undefined;
  /** Reads a request header. */
  header(name: string): string | undefined;
  header(name: string): string | string[] | undefined {
    return this.get(name);
  }

  /** Every type the client accepts, best first. */
  accepts(): string[];
  /** The best match among the offered types for `Accept`; `false` if none is acceptable. */
  accepts(...types: (string | readonly string[])[]): string | false;
  accepts(...types: (string | readonly string[])[]): string | string[] | false {
    return acceptedType(this[readHeaderKey]("accept"), offered(types));
  }

  /** Every charset the client accepts, best first. */
  acceptsCharsets(): string[];
  /** The best match among the offered charsets for `Accept-Charset`. */
  acceptsCharsets(...charsets: (string | readonly string[])[]): string | false;
  acceptsCharsets(...charsets: (string | readonly string[])[]): string | string[] | false {
    return acceptedCharset(this[readHeaderKey]("accept-charset"), offered(charsets));
  }

  /** Every encoding the client accepts, best first. */
  acceptsEncodings(): string[];
  /** The best match among the offered encodings for `Accept-Encoding`. */
  acceptsEncodings(...encodings: (string | readonly string[])[]): string | false;
  acceptsEncodings(...encodings: (string | readonly string[])[]): string | string[] | false {
    return acceptedEncoding(this[readHeaderKey]("accept-encoding"), offered(encodings));
  }

  /** Every language the client accepts, best first. */
  acceptsLanguages(): string[];
  /** The best match among the offered languages for `Accept-Language`. */
  acceptsLanguages(...languages: (string | readonly string[])[]): string | false;
  acceptsLanguages(...languages: (string | readonly string[])[]): string | string[] | false {
    return acceptedLanguage(this[readHeaderKey]("accept-language"), offered(languages));
  }

  /**
   * Tests whether the body has one of the given types.
   *
   * @param types Extensions, full types, wildcards or suffixes
   * @returns The matching type, `false` if none matches, `null` if the request has no body
   */
  is(...types: (string | readonly string[])[]): string | false | null {
    const exchange = exchangeOf(this);
    if (!(exchange === null ? announcesBody(this) : hasBody(exchange, this))) return null;
    return matchContentType(this[readHeaderKey]("content-type"), types.flat());
  }

  /**
   * Parses the `Range` header against a size in bytes (RFC 9110 section 14.2).
   *
   * @returns The ranges; -1 if none is satisfiable, -2 if the header is malformed, `undefined` if there is none
   */
  range(size: number, options?: { combine?: boolean }): ByteRanges | -1 | -2 | undefined {
    const header = this[readHeaderKey]("range");
    return header ? parseByteRange(size, header, options) : undefined;
  }

  /** The client's address: the peer, or the farthest address that `trust proxy` trusts. */
  get ip(): string | undefined {
    return clientAddresses(this, "req.ip").at(-1);
  }

  /** Addresses from the client to the last trusted proxy, farthest first; empty without a trusted proxy. */
  get ips(): string[] {
    return clientAddresses(this, "req.ips").slice(1).reverse() as string[];
  }

  /** `"http"` or `"https"`; `X-Forwarded-Proto` from a trusted proxy wins. */
  get protocol(): string {
    return clientProtocol(this, isEncrypted(this));
  }

  /** Whether the client used TLS. */
  get secure(): boolean {
    return this.protocol === "https";
  }

  // typed as in Express: only HTTP/1.0 requests may lack a host
  /** Host with port; `X-Forwarded-Host` from a trusted proxy wins. `undefined` if the client sent none. */
  get host(): string {
    return clientHost(this)!;
  }

  set host(value: string) {
    assignOwn(this, "host", value);
  }

  /** Host without port; `undefined` if the client sent none. */
  get hostname(): string {
    return hostnameOf(this.host)!;
  }

  /** The host's labels below the domain, right to left; `subdomain offset` sets how many labels the domain has. */
  get subdomains(): string[] {
    const { hostname } = this;
    return hostname === undefined ? [] : subdomainsOf(hostname, settingOf(this, "subdomain offset", "req.subdomains"));
  }

  /** Whether the request came from `XMLHttpRequest`, according to `X-Requested-With`, which libraries set. */
  get xhr(): boolean {
    return asciiLowerCase(this[readHeaderKey]("x-requested-with") ?? "") === "xmlhttprequest";
  }

  /** Whether the client's cached copy is still valid, so a 304 is enough (RFC 9111 section 4.3). */
  get fresh(): boolean {
    const { method } = this;
    const res = given(this.res, "req.fresh", "req.res");
    if (method !== "GET" && method !== "HEAD" && method !== "QUERY") return false;
    const status = res.statusCode;
    if ((status < 200 || status >= 300) && status !== 304) return false;
    const ifNoneMatch = this[readHeaderKey]("if-none-match");
    const lastModified = sentHeader(this, "Last-Modified");
    // If-Modified-Since can only be compared with a Last-Modified
    const ifModifiedSince = lastModified === undefined ? undefined : this[readHeaderKey]("if-modified-since");
    if (ifNoneMatch === undefined && ifModifiedSince === undefined) return false;
    return isFresh({ ifNoneMatch, ifModifiedSince, cacheControl: this[readHeaderKey]("cache-control") }, {
      etag: sentHeader(this, "ETag"),
      lastModified,
    });
  }

  /** The opposite of {@linkcode FrameworkRequest.fresh}. */
  get stale(): boolean {
    return !this.fresh;
  }

  /**
   * Reads the body as JSON; returns the parsed body if a body parser has already read it.
   *
   * Like the other methods that read a whole body, it reads up to `body limit` (1 MiB for JSON and text, 10 MiB for the
   * others), waits up to `body timeout` for more data, and draws on the `body budget`. Neither limit nor budget applies
   * to the web `Request` itself (`req.request.json()`) or to a body read as a stream.
   *
   * @throws {SyntaxError} If the body is not JSON; the error has status 400
   * @throws {HttpError} 413 over the limit; 400 if it nests more deeply than `json depth` or was cut off; 408 if no
   * data arrives for too long; 503 if too much is being read at once
   */
  json(): Promise<Any> {
    return readJson(this);
  }

  /**
   * Reads the body as a string; returns the same string if a body parser has already read it.
   *
   * @throws {HttpError} As {@linkcode FrameworkRequest.json}
   */
  text(): Promise<string> {
    return readString(this);
  }

  /**
   * Reads the body as a form with fields and files.
   *
   * @throws {TypeError} If the body is not a form; the error has status 400
   * @throws {HttpError} 413 over the limit or with more parts than `form parts limit`; otherwise as
   * {@linkcode FrameworkRequest.json}
   */
  formData(): Promise<FormData> {
    return readForm(this);
  }

  /**
   * Reads the body as bytes.
   *
   * @throws {HttpError} As {@linkcode FrameworkRequest.json}
   */
  arrayBuffer(): Promise<ArrayBuffer> {
    return readBuffer(this);
  }

  /**
   * Reads the body as a `Blob`.
   *
   * @throws {HttpError} As {@linkcode FrameworkRequest.json}
   */
  blob(): Promise<Blob> {
    return readBlob(this);
  }
}

// Express's `app` is a plain field, which some programs use for their own application; older parsers assign `_body`
makeAssignable(FrameworkRequest.prototype, ["app", "_body"]);

function parsedOf(req: AnyRequest): Parsed {
  return originalOf(req)[parsedKey] ??= new Parsed();
}

function derivedQuery(req: AnyRequest): unknown {
  const original = originalOf(req);
  // the same object as long as the query is unchanged
  if (original !== req && req.url === original.url && req.app === original.app) return original.query;
  const parse = appOf(req, "req.query").get("query parser fn");
  const text = urlPartsOf(req)?.query ?? null;
  return parse ? parse(text) : Object.create(null);
}

// the socket is not created for this, but a program that has it may have assigned the property there
function isEncrypted(req: AnyRequest): boolean {
  const isUnseen = req[originalKey] === req && !req[requestStateKey]?.socket && !Object.hasOwn(req, "socket");
  return (isUnseen ? req[exchangeKey] : given(req.socket, "req.protocol", "req.socket")).encrypted;
}

// responses that tests assign may have only one of these methods
function sentHeader({ res }: { res: ResponseLike }, name: string): string | undefined {
  const { get = res.getHeader } = res as { get?: (name: string) => unknown };
  return get.call(res, name) as string | undefined;
}

// as in Express, an empty first argument means no offers: `req.accepts(req.query.type)`
function offered(offers: (string | readonly string[])[]): string[] {
  return offers[0] ? offers.flat() : [];
}
