import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { NodeRequest } from "srvx/node";
import { isHost, originLength } from "../http/host.ts";
import { oddTarget } from "../request/target.ts";
import type { ClientWatch } from "../request/runtime_support.ts";
import type { BodySink, StopFilling } from "../request/body_sink.ts";
import { fillSink } from "./fill_sink.ts";
import { isDestroyed } from "./hooked_response.ts";
import { incomingBody } from "./incoming_body.ts";

/** A request from Node's server, or from Express. */
export interface NodeIncoming extends IncomingMessage {
  /** Path and query before any mount, in Express. */
  originalUrl?: string;
  /** What mounts have taken, in Express. */
  baseUrl?: string;
  /** The body as parsed by earlier middleware. */
  body?: unknown;
  /** Over HTTP/2, whether the request ended with its headers. */
  readonly stream?: { readonly endAfterHeaders: boolean };
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
    if (name.length === 4 && name.toLowerCase() === "host") count++;
  }
  return count > 1;
}

/**
 * Node's request as a web `Request`, made by srvx, with some changes: the target stays as it was sent, a body that has
 * been read before counts as used, and a request without a body has none.
 */
export class WebRequest extends NodeRequest {
  readonly #incoming: NodeIncoming;
  readonly #outgoing: ServerResponse;
  readonly #readBefore: boolean;
  #url: string | null = null;
  #native = false;
  #bodyGiven = false;
  /** Whether the body went to a sink. */
  #filled = false;
  #signalGiven = false;

  /**
   * @param incoming Node's request
   * @param outgoing Node's response, whose closing aborts the signal
   */
  constructor(incoming: NodeIncoming, outgoing: ServerResponse) {
    super({ req: incoming, res: outgoing });
    this.#incoming = incoming;
    this.#outgoing = outgoing;
    // an empty body has only an end that was read
    this.#readBefore = incoming.readableDidRead || incoming.readableEnded;
  }

  /** The URL; unlike with `new URL()`, `/../` is not resolved, so that path checks see what was sent. */
  override get url(): string {
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
    return /^https?:/i.test(target) && originLength(target) !== -1 ? origin + oddTarget(target) : NOWHERE;
  }

  /** Scheme and host, empty if the client's `Host` is improper: then the application refuses the request. */
  #origin(): string {
    const { headers, rawHeaders, socket } = this.#incoming;
    const host = headers.host ?? headers[":authority"] as string | undefined;
    // a request that a test made up may have no socket
    const { encrypted: isEncrypted = false, localPort } = (socket ?? {}) as Partial<Socket & { encrypted: boolean }>;
    if (host !== undefined && hasTwoHosts(rawHeaders)) return "";
    if (host !== undefined && host === last.host && isEncrypted === last.isEncrypted) return last.origin;
    const isGiven = host !== undefined && host !== "";
    if (isGiven && !isHost(host)) return "";
    // as on Deno, if there is none, as in HTTP/1.0
    const origin = `${isEncrypted ? "https" : "http"}://${isGiven ? host : `localhost:${localPort ?? 80}`}`;
    if (isGiven) last = { host, isEncrypted, origin };
    return origin;
  }

  /** The body, `null` where there is none (RFC 9112 section 6.3, RFC 9113 section 8.1). */
  override get body(): ReadableStream<Uint8Array<ArrayBuffer>> | null {
    if (this.#isBodiless) return null;
    if (this.#bodyGiven || this.#readBefore || this.method === "GET" || this.method === "HEAD") return super.body;
    if (!this.#native) return this._request.body as ReadableStream<Uint8Array<ArrayBuffer>> | null;
    this.#bodyGiven = true;
    return incomingBody(this.#incoming);
  }

  get #isBodiless(): boolean {
    const { httpVersionMajor, headers, stream } = this.#incoming;
    return httpVersionMajor < 2
      ? headers["transfer-encoding"] === undefined && Number(headers["content-length"] ?? 0) === 0
      : stream?.endAfterHeaders === true;
  }

  /**
   * Fills a sink with the body of a request.
   *
   * @param request The request
   * @param sink Takes the body
   * @returns Stops; `null` if the request is not from Node's server, or somebody has asked for its body already
   */
  static fillSink(request: Request, sink: BodySink): StopFilling | null {
    if (!(#incoming in request) || request.bodyUsed || request.#native || request.#bodyGiven) return null;
    const incoming = request.#incoming;
    // some hosts have read the body already, and left it there
    if ("rawBody" in incoming || incoming.destroyed || request.#isBodiless) return null;
    request.#filled = true;
    return fillSink(incoming, sink);
  }

  /** Keeps the body for a later reader: with the response, Node discards a body that nobody has begun to read. */
  keepBody(): void {
    if (this.#bodyGiven && super.body?.locked) this.#incoming.read(0);
  }

  /** Aborts when the client disconnects. */
  override get signal(): AbortSignal {
    this.#signalGiven = true;
    return super.signal;
  }

  /** The runtime's own request, made on demand; srvx reads the body for it. */
  override get _request(): Request {
    this.#native = true;
    return Reflect.get(NodeRequest.prototype, "_request", this);
  }

  /**
   * The controller of the signal; srvx reads it when it makes the runtime's own request.
   *
   * Node keeps the signal that a request is made with alive as long as the request. Listeners of that signal mostly
   * refer to the request, so both would leak. Therefore the native request gets a signal that nobody else listens to.
   */
  get _abortController(): AbortController {
    const own: AbortController = Reflect.get(NodeRequest.prototype, "_abortController", this);
    if (!this.#native || !this.#signalGiven) return own;
    const passed = new AbortController();
    const pass = (): void => passed.abort(own.signal.reason);
    if (own.signal.aborted) pass();
    else own.signal.addEventListener("abort", pass, { once: true });
    return passed;
  }

  /** The body as text, without a byte order mark, as the Encoding standard decodes it. */
  override async text(): Promise<string> {
    const text = await super.text();
    return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  }

  /**
   * Visits the headers of a request; those from Node's server as the client sent them.
   *
   * @param request The request
   * @param visitor Called with value and name of each
   */
  static visitHeaders(request: Request, visitor: (value: string, name: string) => void): void {
    if (!(#incoming in request)) return request.headers.forEach(visitor);
    const { rawHeaders } = request.#incoming;
    for (let i = 0; i < rawHeaders.length; i += 2) {
      // HTTP/2 has pseudo-headers for the method and the target
      if (!rawHeaders[i]!.startsWith(":")) visitor(rawHeaders[i + 1]!, rawHeaders[i]!);
    }
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
    if (isDestroyed(outgoing) || incoming.destroyed && !incoming.complete) return listen();
    // also if somebody else has answered, such as the server when it is closed, for nobody waits for the handler then
    outgoing.once("close", () => watch.hear());
  }

  /** Whether the body was read, perhaps by middleware before Sluice. */
  override get bodyUsed(): boolean {
    return this.#readBefore || this.#filled || super.bodyUsed;
  }
}
