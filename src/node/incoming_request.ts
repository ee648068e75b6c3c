import { asciiLowerCase } from "../util/ascii.ts";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { isHost, originLength } from "../http/host.ts";
import { isOriginForm, mayHaveBody, requestAsSent } from "../http/request_as_sent.ts";
import type { BodySink, Filling } from "../exchange/body_sink.ts";
import type { ClientWatch } from "../exchange/runtime_support.ts";
import { targetOfUrl } from "../exchange/target.ts";
import { originFormKey, type StandIn, webRequestKey } from "../exchange/web_request.ts";
import type { HeaderRecord } from "../request/node/header_record.ts";
import { fillSink } from "./fill_sink.ts";
import { isDestroyed } from "./patched_response.ts";
import { IncomingBody } from "./incoming_body.ts";

/** A request from Node's server, or from Express. */
export interface NodeIncoming extends IncomingMessage {
  /** Path and query before any mount, in Express. */
  originalUrl?: string;
  /** The path part consumed by mounts, in Express. */
  baseUrl?: string;
  /** The body as parsed by earlier middleware. */
  body?: unknown;
  /** The whole body, if a host such as Google Cloud Functions has read it. */
  rawBody?: unknown;
  /** Over HTTP/2, whether the request ended with its headers. */
  readonly stream?: { readonly endAfterHeaders: boolean };
}

/** A response, or the connection that a request became; it closes when the client disconnects. */
interface Closable {
  readonly destroyed: boolean;
  readonly writableEnded: boolean;
  on(event: "close", listener: () => void): unknown;
}

/** The last origin: most requests have the same one. */
let last: { host: string | undefined; isEncrypted: boolean; origin: string } = {
  host: undefined,
  isEncrypted: false,
  origin: "",
};

/** The URL for a request not meant for a web server, which the application refuses. */
const NOWHERE = "about:invalid";

function targetOf({ originalUrl, url }: NodeIncoming): string {
  return originalUrl ?? url ?? "/";
}

function urlOf(incoming: NodeIncoming, method: string, target: string): string {
  const origin = originOf(incoming);
  if (target.charCodeAt(0) === 47) return origin + target;
  // OPTIONS' "*" is the only target that is neither a path nor a URL (RFC 9112 section 3.2); middleware in front may
  // have left only a query
  if (!target.includes("://")) {
    const isProper = target === "" || target.charCodeAt(0) === 63 || (target === "*" && method === "OPTIONS");
    return isProper ? `${origin}/${target}` : NOWHERE;
  }
  // a client may send the whole URL, as to a proxy; its host must be valid, too
  return /^https?:/i.test(target) && originLength(target) !== -1 ? origin + targetOfUrl(target) : NOWHERE;
}

// scheme and host; empty if the client's `Host` is invalid, so the application refuses the request
function originOf({ headers, rawHeaders, socket }: NodeIncoming): string {
  const host = headers.host ?? headers[":authority"] as string | undefined;
  // a test's mock request may have no socket
  const { encrypted: isEncrypted = false } = (socket ?? {}) as Partial<Socket & { encrypted: boolean }>;
  if (host !== undefined && hasTwoHosts(rawHeaders)) return "";
  if (host !== undefined && host === last.host && isEncrypted === last.isEncrypted) return last.origin;
  const isGiven = host !== undefined && host !== "";
  if (isGiven && !isHost(host)) return "";
  // Deno's fallback if there is no `Host`, as in HTTP/1.0; reads the port only then, because Node would cache it on
  // the connection
  const origin = `${isEncrypted ? "https" : "http"}://${isGiven ? host : `localhost:${socket?.localPort ?? 80}`}`;
  if (isGiven) last = { host, isEncrypted, origin };
  return origin;
}

// a RegExp in a function would be a new object for every request
const HOST = /^host$/i;

// Of two `Host` headers, Node keeps the first, while a different server may use the second. A test's mock requests
// may lack the list.
function hasTwoHosts(rawHeaders: readonly string[] = []): boolean {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!;
    if (name.length === 4 && HOST.test(name)) count++;
  }
  return count > 1;
}

/** Headers that make Node's `fetch` refuse a request: they describe the connection, not the request itself. */
const OF_THE_WAY = /^(?:expect|keep-alive|transfer-encoding)$/i;

/** The only `Connection` values that Node's `fetch` accepts. */
const PASSED_ON = /^(?:close|keep-alive)$/i;

/** The parts of a web request that the application reads. */
type Read = Pick<
  Request,
  "arrayBuffer" | "body" | "bodyUsed" | "headers" | "method" | "signal" | "text" | "url"
>;

/**
 * A request from Node's server. It is the application's stand-in for a web `Request`, because Node takes longer to
 * create one than to respond. A real one is created when `req.request` is read; from then on both share one body.
 */
export abstract class IncomingRequest implements Read, StandIn {
  /** Node's request. */
  readonly req: NodeIncoming;
  /** Node's response. */
  res: ServerResponse;
  /** The method. */
  readonly method: string;
  readonly [originFormKey]: string | null;
  #url: string | null = null;
  /** Whether the body was read before, or went to a sink. */
  #isTaken: boolean;
  /** The body as it arrives, once read. */
  #body: IncomingBody | null = null;
  #web: Request | null = null;
  /** Holds the body for a method that allows none in a web `Request`. */
  #carrier: Response | null = null;
  #signal: AbortSignal | null = null;

  /**
   * @param req Node's request
   * @param res Node's response; when it closes early, the signal aborts
   */
  constructor(req: NodeIncoming, res: ServerResponse) {
    this.req = req;
    this.res = res;
    this.method = req.method ?? "GET";
    const target = targetOf(req);
    this[originFormKey] = isOriginForm(target) && originOf(req) !== "" ? target : null;
    // for an empty body, only its end was read
    this.#isTaken = (req.readableDidRead || req.readableEnded) && rawBodyOf(req) === null;
  }

  /** The URL. Unlike `new URL()`, it does not resolve `/../`, so path checks see the path as sent. */
  get url(): string {
    return this.#url ??= urlOf(this.req, this.method, this[originFormKey] ?? targetOf(this.req));
  }

  /** Closes when the client disconnects. */
  protected get outgoing(): Closable {
    return this.res;
  }

  /** The real web request, created on demand. */
  get [webRequestKey](): Request {
    return this.#web ??= this.#makeWeb();
  }

  /**
   * Returns whether a request is this one, or the web request created from it.
   *
   * @param request The request
   */
  isOf(request: Request): boolean {
    return request === this as unknown || request === this.#web;
  }

  /** The web request's stand-in until a program needs the real one; only Sluice's own code may get it. */
  get standIn(): Request {
    return this as unknown as Request;
  }

  get #ownBody(): IncomingBody {
    return this.#body ??= new IncomingBody(this.req);
  }

  #makeWeb(): Request {
    const { method } = this;
    const signal = leavingSignal(this.req, this.outgoing);
    const init = { method, headers: webHeaders(this.req), signal };
    if (!mayHaveBody(method) || this.#isBodiless) return requestAsSent(this.url, init);
    return this.#withBody((body) =>
      requestAsSent(this.url, { ...init, body, duplex: "half" } as RequestInit & typeof init)
    );
  }

  #withBody<Made>(make: (body: ReadableStream<Uint8Array<ArrayBuffer>>) => Made): Made {
    const unread = this.#unread();
    if (unread !== null) return make(unread);
    // a body that other code is reading, or has read, cannot be read again
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>();
    const made = make(body);
    const reader = body.getReader();
    if (this.bodyUsed) void reader.cancel();
    return made;
  }

  // the body as an unread stream, `null` if reading has begun
  #unread(): ReadableStream<Uint8Array<ArrayBuffer>> | null {
    if (this.#isTaken) return null;
    const raw = rawBodyOf(this.req);
    if (raw !== null) return new Blob([raw]).stream();
    const { isTouched, stream } = this.#ownBody;
    return isTouched || stream.locked ? null : stream;
  }

  /** The headers; to read only some of them, {@linkcode IncomingRequest.header} is cheaper. */
  get headers(): Headers {
    return this[webRequestKey].headers;
  }

  /** The body, `null` where there is none (RFC 9112 section 6.3, RFC 9113 section 8.1). */
  get body(): ReadableStream<Uint8Array<ArrayBuffer>> | null {
    if (this.#isBodiless) return null;
    if (this.#isTaken || rawBodyOf(this.req) !== null) return this.#holder.body;
    return this.#ownBody.stream;
  }

  get #isBodiless(): boolean {
    const { httpVersionMajor, headers, stream } = this.req;
    return httpVersionMajor < 2
      ? headers["transfer-encoding"] === undefined && Number(headers["content-length"] ?? 0) === 0
      : stream?.endAfterHeaders === true;
  }

  // Express's parsers read a body for any method
  get #holder(): Request | Response {
    return mayHaveBody(this.method) ? this[webRequestKey] : this.#carrier ??= this.#makeCarrier();
  }

  #makeCarrier(): Response {
    return this.#isBodiless ? new Response(null) : this.#withBody((body) => new Response(body));
  }

  /** Whether the body was read, perhaps by middleware in front of Sluice. */
  get bodyUsed(): boolean {
    if (this.#isTaken || this.#body?.isTouched) return true;
    return (this.#carrier ?? this.#web)?.bodyUsed === true;
  }

  /** Reads the body as a string. */
  text(): Promise<string> {
    return this.#holder.text();
  }

  /** Reads the body as bytes. */
  arrayBuffer(): Promise<ArrayBuffer> {
    return this.#holder.arrayBuffer();
  }

  /** Keeps the body for a later reader, because Node discards an unread body with the response. */
  keepBody(): void {
    if (this.#body?.stream.locked) this.req.read(0);
  }

  /**
   * Aborts when the client disconnects. It is not the web request's signal, because Node keeps the signal passed to a
   * new request alive as long as the request. Listeners mostly refer to the request, so both would leak.
   */
  get signal(): AbortSignal {
    return this.#signal ??= leavingSignal(this.req, this.outgoing);
  }

  /**
   * Fills a sink with a request's body.
   *
   * @param request The request
   * @param sink Receives the body
   * @returns Controls for filling; `null` if the request is not from Node's server, or its body has been requested
   */
  static fillSink(request: Request, sink: BodySink): Filling | null {
    if (!(#isTaken in request) || request.bodyUsed || request.#body !== null || request.#web !== null) return null;
    const { req } = request;
    // some hosts have already read the body and stored it there
    if (rawBodyOf(req) !== null || req.destroyed || request.#isBodiless) return null;
    request.#isTaken = true;
    return fillSink(req, sink);
  }

  /**
   * Reads a request header.
   *
   * @param request The request
   * @param name Header name, in any case
   * @returns The value, `null` when the header is absent
   */
  static header(request: Request, name: string): string | null {
    if (!(#isTaken in request)) return request.headers.get(name);
    const { headers } = request.req;
    const key = asciiLowerCase(name);
    // HTTP/2 has pseudo-headers for the method and the target
    if (!Object.hasOwn(headers, key) || key.startsWith(":")) return null;
    const value = headers[key];
    return Array.isArray(value) ? value.join(", ") : value ?? null;
  }

  /**
   * Returns a request's headers from Node's server, as Node's own object.
   *
   * @param request The request
   * @returns `null` if the request is not from Node's server, or has pseudo-headers
   */
  static headers(request: Request): HeaderRecord | null {
    return #isTaken in request && request.req.httpVersionMajor < 2 ? request.req.headers as HeaderRecord : null;
  }

  /**
   * Visits a request's headers; those from Node's server as sent by the client.
   *
   * @param request The request
   * @param visitor Called with each value and name
   */
  static visitHeaders(request: Request, visitor: (value: string, name: string) => void): void {
    if (#isTaken in request) visitLines(request.req, visitor);
    else request.headers.forEach(visitor);
  }

  /**
   * Watches a request's client through the response, because the signal accounts for a sixth of the time per request.
   *
   * @param request The request
   * @param watch Notified when the client has disconnected
   * @param listen Listens to the signal if the request is not from Node's server, or its client has disconnected
   */
  static watchClient(request: Request, watch: ClientWatch, listen: () => void): void {
    if (!(#isTaken in request)) return listen();
    const { outgoing } = request;
    if (isDestroyed(outgoing) || isCut(request.req)) return listen();
    // also runs if other code has responded, such as the closing server, because then no code waits for the handler;
    // not once(), which would add a wrapper for each slow request
    outgoing.on("close", () => watch.hear());
  }
}

// a body read and stored there by a host; parsers may store other values under that name
function rawBodyOf({ rawBody }: NodeIncoming): Uint8Array<ArrayBuffer> | null {
  return rawBody instanceof Uint8Array ? rawBody as Uint8Array<ArrayBuffer> : null;
}

function isCut(incoming: NodeIncoming): boolean {
  return incoming.destroyed && !incoming.complete;
}

// A test's mock requests may have only the headers object.
function visitLines(incoming: NodeIncoming, visitor: (value: string, name: string) => void): void {
  const { rawHeaders = [], headers } = incoming;
  const lines = rawHeaders.length > 0 ? rawHeaders : Object.entries(headers).flatMap(linesOf);
  for (let i = 0; i < lines.length; i += 2) {
    // HTTP/2 has pseudo-headers for the method and the target
    if (!lines[i]!.startsWith(":")) visitor(lines[i + 1]!, lines[i]!);
  }
}

function linesOf([name, value]: [string, string | string[] | undefined]): string[] {
  return [value ?? []].flat().flatMap((one) => [name, one]);
}

function webHeaders(incoming: NodeIncoming): Headers {
  const headers = new Headers();
  visitLines(incoming, (value, name) => {
    const isOfTheWay = /^connection$/i.test(name) ? !PASSED_ON.test(value) : OF_THE_WAY.test(name);
    if (!isOfTheWay) headers.append(name, value);
  });
  return headers;
}

// aborts when the client disconnects before the whole response is written
function leavingSignal(incoming: NodeIncoming, outgoing: Closable): AbortSignal {
  const leaving = new AbortController();
  const look = (): void => {
    if (incoming.errored || !outgoing.writableEnded) leaving.abort();
  };
  if (isDestroyed(outgoing) || isCut(incoming)) look();
  else outgoing.on("close", look);
  return leaving.signal;
}
