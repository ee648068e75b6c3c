import { asciiLowerCase } from "../util/ascii.ts";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { isHost, originLength } from "../http/host.ts";
import { mayHaveBody, requestAsSent } from "../http/request_as_sent.ts";
import type { BodySink, Filling } from "../exchange/body_sink.ts";
import type { ClientWatch } from "../exchange/runtime_support.ts";
import { targetOfUrl } from "../exchange/target.ts";
import { webRequestKey } from "../exchange/web_request.ts";
import type { HeaderRecord } from "../request/node/header_record.ts";
import { fillSink } from "./fill_sink.ts";
import { isDestroyed } from "./patched_response.ts";
import { IncomingBody } from "./incoming_body.ts";

/** A request from Node's server, or from Express. */
export interface NodeIncoming extends IncomingMessage {
  /** Path and query before any mount, in Express. */
  originalUrl?: string;
  /** What mounts have taken, in Express. */
  baseUrl?: string;
  /** The body as parsed by earlier middleware. */
  body?: unknown;
  /** All of the body, where a host has read it: functions of Google Cloud. */
  rawBody?: unknown;
  /** Over HTTP/2, whether the request ended with its headers. */
  readonly stream?: { readonly endAfterHeaders: boolean };
}

/** What closes when the client is gone: a response, or the connection that a request became. */
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

/** The URL of a request to somewhere else than a web server, which the application refuses. */
const NOWHERE = "about:invalid";

// Of two `Host` headers Node keeps the first, and another server may look at the other one. Requests that tests make up may
// have no list.
function hasTwoHosts(rawHeaders: readonly string[] = []): boolean {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!;
    if (name.length === 4 && /^host$/i.test(name)) count++;
  }
  return count > 1;
}

/** Headers with which Node's `fetch` refuses a request: they say how it came here, and nothing of what it asks for. */
const OF_THE_WAY = /^(?:expect|keep-alive|transfer-encoding)$/i;

/** The only values of `Connection` with which it does not. */
const PASSED_ON = /^(?:close|keep-alive)$/i;

/** What the application reads of a web request. */
type Read = Pick<
  Request,
  "arrayBuffer" | "body" | "bodyUsed" | "headers" | "method" | "signal" | "text" | "url"
>;

/**
 * A request from Node's server. To the application it stands for a web `Request`, because Node takes longer to make one
 * than to respond: a real one is made when somebody asks for `req.request`, and from then on both have the same body.
 */
export class IncomingRequest implements Read {
  readonly #incoming: NodeIncoming;
  #outgoing: Closable;
  readonly #readBefore: boolean;
  #url: string | null = null;
  /** The body as it comes, once somebody has asked for it. */
  #body: IncomingBody | null = null;
  /** Whether the body went to a sink. */
  #filled = false;
  #web: Request | null = null;
  /** Holds the body of a request whose method allows none in a web `Request`. */
  #carrier: Response | null = null;
  #signal: AbortSignal | null = null;

  /**
   * @param incoming Node's request
   * @param outgoing Node's response, whose closing aborts the signal
   */
  constructor(incoming: NodeIncoming, outgoing: ServerResponse) {
    this.#incoming = incoming;
    this.#outgoing = outgoing;
    // an empty body has only an end that was read
    this.#readBefore = (incoming.readableDidRead || incoming.readableEnded) && rawBodyOf(incoming) === null;
  }

  /**
   * Aborts the signal with something else than the response.
   *
   * @param outgoing What closes when the client is gone
   */
  watchInstead(outgoing: Closable): void {
    this.#outgoing = outgoing;
  }

  /** The method. */
  get method(): string {
    return this.#incoming.method ?? "GET";
  }

  /** The URL; unlike with `new URL()`, `/../` is not resolved, so that path checks see what was sent. */
  get url(): string {
    return this.#url ??= this.#rawUrl();
  }

  #rawUrl(): string {
    const { originalUrl, url } = this.#incoming;
    const target = originalUrl ?? url ?? "/";
    const origin = this.#origin();
    if (target.charCodeAt(0) === 47) return origin + target;
    // "*" of OPTIONS is the only target that is neither a path nor a URL (RFC 9112 section 3.2); middleware in front may
    // have left nothing but a query
    if (!target.includes("://")) {
      const isProper = target === "" || target.charCodeAt(0) === 63 || (target === "*" && this.method === "OPTIONS");
      return isProper ? `${origin}/${target}` : NOWHERE;
    }
    // a client may send the whole URL, as to a proxy; its host must be proper, too
    return /^https?:/i.test(target) && originLength(target) !== -1 ? origin + targetOfUrl(target) : NOWHERE;
  }

  /** Scheme and host, empty if the client's `Host` is improper: then the application refuses the request. */
  #origin(): string {
    const { headers, rawHeaders, socket } = this.#incoming;
    const host = headers.host ?? headers[":authority"] as string | undefined;
    // a request that a test made up may have no socket
    const { encrypted: isEncrypted = false } = (socket ?? {}) as Partial<Socket & { encrypted: boolean }>;
    if (host !== undefined && hasTwoHosts(rawHeaders)) return "";
    if (host !== undefined && host === last.host && isEncrypted === last.isEncrypted) return last.origin;
    const isGiven = host !== undefined && host !== "";
    if (isGiven && !isHost(host)) return "";
    // as on Deno, if there is none, as in HTTP/1.0. The port only then: Node would keep the address with the connection
    const origin = `${isEncrypted ? "https" : "http"}://${isGiven ? host : `localhost:${socket?.localPort ?? 80}`}`;
    if (isGiven) last = { host, isEncrypted, origin };
    return origin;
  }

  /** The real web request, made on demand. */
  get [webRequestKey](): Request {
    return this.#web ??= this.#makeWeb();
  }

  /**
   * Tells whether a request is this one, or the web request made of it.
   *
   * @param request The request
   */
  isOf(request: Request): boolean {
    return request === this as unknown || request === this.#web;
  }

  get #ownBody(): IncomingBody {
    return this.#body ??= new IncomingBody(this.#incoming);
  }

  #makeWeb(): Request {
    const { method } = this;
    const signal = leavingSignal(this.#incoming, this.#outgoing);
    const init = { method, headers: webHeaders(this.#incoming), signal };
    if (!mayHaveBody(method) || this.#isBodiless) return requestAsSent(this.url, init);
    return this.#withBody((body) =>
      requestAsSent(this.url, { ...init, body, duplex: "half" } as RequestInit & typeof init)
    );
  }

  #withBody<Made>(make: (body: ReadableStream<Uint8Array<ArrayBuffer>>) => Made): Made {
    const unread = this.#unread();
    if (unread !== null) return make(unread);
    // what others read, or have read, cannot be read again
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>();
    const made = make(body);
    const reader = body.getReader();
    if (this.bodyUsed) void reader.cancel();
    return made;
  }

  // the body as a stream that nobody has begun to read, `null` if somebody has
  #unread(): ReadableStream<Uint8Array<ArrayBuffer>> | null {
    if (this.#readBefore || this.#filled) return null;
    const raw = rawBodyOf(this.#incoming);
    if (raw !== null) return new Blob([raw]).stream();
    const { isTouched, stream } = this.#ownBody;
    return isTouched || stream.locked ? null : stream;
  }

  /** The headers; to read only some of them, {@linkcode IncomingRequest.header} takes less. */
  get headers(): Headers {
    return this[webRequestKey].headers;
  }

  /** The body, `null` where there is none (RFC 9112 section 6.3, RFC 9113 section 8.1). */
  get body(): ReadableStream<Uint8Array<ArrayBuffer>> | null {
    if (this.#isBodiless) return null;
    if (this.#readBefore || this.#filled || rawBodyOf(this.#incoming) !== null) return this.#holder.body;
    return this.#ownBody.stream;
  }

  get #isBodiless(): boolean {
    const { httpVersionMajor, headers, stream } = this.#incoming;
    return httpVersionMajor < 2
      ? headers["transfer-encoding"] === undefined && Number(headers["content-length"] ?? 0) === 0
      : stream?.endAfterHeaders === true;
  }

  // Express's parsers read the body of any method
  get #holder(): Request | Response {
    return mayHaveBody(this.method) ? this[webRequestKey] : this.#carrier ??= this.#makeCarrier();
  }

  #makeCarrier(): Response {
    return this.#isBodiless ? new Response(null) : this.#withBody((body) => new Response(body));
  }

  /** Whether the body was read, perhaps by middleware before Sluice. */
  get bodyUsed(): boolean {
    if (this.#readBefore || this.#filled || this.#body?.isTouched) return true;
    return (this.#carrier ?? this.#web)?.bodyUsed === true;
  }

  /** The body as text. */
  text(): Promise<string> {
    return this.#holder.text();
  }

  /** The body as bytes. */
  arrayBuffer(): Promise<ArrayBuffer> {
    return this.#holder.arrayBuffer();
  }

  /** Keeps the body for a later reader; see {@linkcode NodeCall.keepBody}. */
  keepBody(): void {
    if (this.#body?.stream.locked) this.#incoming.read(0);
  }

  /**
   * Aborts when the client disconnects. It is not that of the web request: Node keeps the signal that a request is made
   * with alive as long as the request. Listeners mostly refer to the request, so both would leak.
   */
  get signal(): AbortSignal {
    return this.#signal ??= leavingSignal(this.#incoming, this.#outgoing);
  }

  /**
   * Fills a sink with the body of a request.
   *
   * @param request The request
   * @param sink Takes the body
   * @returns What fills it; `null` if the request is not from Node's server, or somebody has asked for its body already
   */
  static fillSink(request: Request, sink: BodySink): Filling | null {
    if (!(#incoming in request) || request.bodyUsed || request.#body !== null || request.#web !== null) return null;
    const incoming = request.#incoming;
    // some hosts have read the body already, and left it there
    if (rawBodyOf(incoming) !== null || incoming.destroyed || request.#isBodiless) return null;
    request.#filled = true;
    return fillSink(incoming, sink);
  }

  /**
   * Reads a header of a request.
   *
   * @param request The request
   * @param name Header name, in any case
   * @returns The value, `null` when the header is absent
   */
  static header(request: Request, name: string): string | null {
    if (!(#incoming in request)) return request.headers.get(name);
    const { headers } = request.#incoming;
    const key = asciiLowerCase(name);
    // HTTP/2 has pseudo-headers for the method and the target
    if (!Object.hasOwn(headers, key) || key.startsWith(":")) return null;
    const value = headers[key];
    return Array.isArray(value) ? value.join(", ") : value ?? null;
  }

  /**
   * The headers of a request from Node's server, as Node's own object.
   *
   * @param request The request
   * @returns `null` if it is another one, or has pseudo-headers
   */
  static headers(request: Request): HeaderRecord | null {
    return #incoming in request && request.#incoming.httpVersionMajor < 2
      ? request.#incoming.headers as HeaderRecord
      : null;
  }

  /**
   * Visits the headers of a request; those from Node's server as the client sent them.
   *
   * @param request The request
   * @param visitor Called with value and name of each
   */
  static visitHeaders(request: Request, visitor: (value: string, name: string) => void): void {
    if (#incoming in request) visitLines(request.#incoming, visitor);
    else request.headers.forEach(visitor);
  }

  /**
   * Watches the client of a request through its response: the signal costs a sixth of a whole request.
   *
   * @param request The request
   * @param watch Notified when the client is gone
   * @param listen Listens to the signal, for requests that are not from Node's server, or whose client is gone already
   */
  static watchClient(request: Request, watch: ClientWatch, listen: () => void): void {
    if (!(#incoming in request)) return listen();
    const incoming = request.#incoming;
    const outgoing = request.#outgoing;
    if (isDestroyed(outgoing) || isCut(incoming)) return listen();
    // also if somebody else has responded, such as the server when it is closed, for nobody waits for the handler then
    // not once(), which would add a wrapper for each request that takes its time
    outgoing.on("close", () => watch.hear());
  }
}

// what a host has read of the body, and left there; parsers may leave something else under that name
function rawBodyOf({ rawBody }: NodeIncoming): Uint8Array<ArrayBuffer> | null {
  return rawBody instanceof Uint8Array ? rawBody as Uint8Array<ArrayBuffer> : null;
}

function isCut(incoming: NodeIncoming): boolean {
  return incoming.destroyed && !incoming.complete;
}

// Requests that tests make up may have nothing but an object.
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

// aborts when the client disconnects before all of the response was written
function leavingSignal(incoming: NodeIncoming, outgoing: Closable): AbortSignal {
  const leaving = new AbortController();
  const look = (): void => {
    if (incoming.errored || !outgoing.writableEnded) leaving.abort();
  };
  if (isDestroyed(outgoing) || isCut(incoming)) look();
  else outgoing.on("close", look);
  return leaving.signal;
}
