import type { IncomingMessage, ServerResponse } from "node:http";
import { NodeRequest } from "srvx/node";
import { oddTarget } from "../request/target.ts";
import type { ClientWatch } from "../request/app_face.ts";
import { isDestroyed } from "./hooked_response.ts";
import { incomingBody } from "./incoming_body.ts";

/** A request as Node's server and Express deliver it. */
export interface NodeIncoming extends IncomingMessage {
  /** Path and query before any mount, in Express. */
  originalUrl?: string;
  /** What mounts have taken, in Express. */
  baseUrl?: string;
  /** What a body parser made of the body. */
  body?: unknown;
}

/** The origin that was asked last: srvx makes a URL for it, and most requests are to the same one. */
let last: { host: string | undefined; isEncrypted: boolean; origin: string } = {
  host: undefined,
  isEncrypted: false,
  origin: "",
};

/**
 * Node's request as a web `Request`, made by srvx, where Sluice needs it different: the target stays as it was sent,
 * a body that somebody has read already shows as used, and a request without any has none.
 */
export class WebRequest extends NodeRequest {
  readonly #incoming: NodeIncoming;
  readonly #outgoing: ServerResponse;
  readonly #readBefore: boolean;
  #url: string | null = null;
  #native = false;
  #bodyGiven = false;
  #signalGiven = false;

  /**
   * @param incoming Node's request
   * @param outgoing Node's response, whose closing aborts the signal
   */
  constructor(incoming: NodeIncoming, outgoing: ServerResponse) {
    super({ req: incoming, res: outgoing });
    this.#incoming = incoming;
    this.#outgoing = outgoing;
    this.#readBefore = incoming.readableDidRead;
  }

  /** The URL; `new URL()` would resolve `/../`, and path checks would look at something else than what was sent. */
  override get url(): string {
    return this.#url ??= this.#rawUrl();
  }

  #rawUrl(): string {
    const { originalUrl, url } = this.#incoming;
    const target = originalUrl ?? url ?? "/";
    const origin = this.#origin();
    if (target.charCodeAt(0) === 47) return origin + target;
    // a client may send the whole URL, as to a proxy
    return target.includes("://") ? origin + oddTarget(target) : super.url;
  }

  #origin(): string {
    const { headers: { host }, socket } = this.#incoming;
    const isEncrypted = (socket as { encrypted?: boolean }).encrypted === true;
    if (host !== undefined && host === last.host && isEncrypted === last.isEncrypted) return last.origin;
    const url = super.url;
    last = { host, isEncrypted, origin: url.slice(0, url.indexOf("/", 8)) };
    return last.origin;
  }

  /** The body, `null` where the headers announce none (RFC 9112 section 6.3). */
  override get body(): ReadableStream<Uint8Array<ArrayBuffer>> | null {
    const { httpVersionMajor, headers } = this.#incoming;
    const none = httpVersionMajor < 2 && headers["transfer-encoding"] === undefined &&
      Number(headers["content-length"] ?? 0) === 0;
    if (none) return null;
    if (this.#bodyGiven || this.#readBefore || this.method === "GET" || this.method === "HEAD") return super.body;
    if (!this.#native) return this._request.body as ReadableStream<Uint8Array<ArrayBuffer>> | null;
    this.#bodyGiven = true;
    return incomingBody(this.#incoming);
  }

  /** Keeps the body for whoever is about to read it: Node throws away with the answer what nobody has begun to read. */
  keepBody(): void {
    if (this.#bodyGiven && super.body?.locked) this.#incoming.read(0);
  }

  /** Aborted when the client leaves. */
  override get signal(): AbortSignal {
    this.#signalGiven = true;
    return super.signal;
  }

  /** The runtime's own request, made when it is needed; srvx asks for the body then. */
  override get _request(): Request {
    this.#native = true;
    return Reflect.get(NodeRequest.prototype, "_request", this);
  }

  /**
   * What aborts the signal; srvx asks for it once it makes the runtime's own request.
   *
   * Node keeps the signal with which a request was made for as long as that request lives. Whoever listens to it knows
   * the request as a rule, and the two would keep each other for good: it gets a signal nobody else listens to.
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
   * Shows the headers of a request: those that Node's server brought as the client wrote them, one after the other.
   *
   * @param request The request
   * @param visitor Gets value and name of each
   */
  static visitHeaders(request: Request, visitor: (value: string, name: string) => void): void {
    if (!(#incoming in request)) return request.headers.forEach(visitor);
    const { rawHeaders } = request.#incoming;
    for (let i = 0; i < rawHeaders.length; i += 2) {
      // HTTP/2 has the method and the target among them
      if (!rawHeaders[i]!.startsWith(":")) visitor(rawHeaders[i + 1]!, rawHeaders[i]!);
    }
  }

  /**
   * Watches the client of a request: by its response, for the signal takes a sixth of what a request does.
   *
   * @param request The request
   * @param watch Hears that the client has left
   * @param listen Listens to the signal, for requests that are not from Node's server or whose client has left before
   */
  static watchClient(request: Request, watch: ClientWatch, listen: () => void): void {
    if (!(#incoming in request)) return listen();
    const incoming = request.#incoming;
    const outgoing = request.#outgoing;
    if (isDestroyed(outgoing) || incoming.destroyed && !incoming.complete) return listen();
    // what srvx aborts the signal by
    outgoing.once("close", () => (incoming.errored || !outgoing.writableEnded) && watch.hear());
  }

  /** Whether the body was read, by a middleware in front of Sluice too. */
  override get bodyUsed(): boolean {
    return this.#readBefore || super.bodyUsed;
  }
}
