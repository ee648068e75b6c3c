import { METHODS } from "node:http";
import { asciiLowerCase } from "../util/ascii.ts";
import { isHost } from "../http/host.ts";
import { isOriginForm, mayHaveBody, requestAsSent } from "../http/request_as_sent.ts";
import type { BodySink, Filling } from "../exchange/body_sink.ts";
import type { ClientWatch } from "../exchange/runtime_support.ts";
import { originFormKey, type StandIn, webRequestKey } from "../exchange/web_request.ts";
import type { EngineRequest } from "./engine.ts";
import type { IncomingUpload } from "./incoming_upload.ts";

/** The parts of a web request that the application reads. */
type Read = Pick<Request, "arrayBuffer" | "body" | "bodyUsed" | "headers" | "method" | "signal" | "text" | "url">;

/** The parts of its connection that a request uses. */
export interface RequestOwner {
  /** The server: whether it uses TLS, and its port, for the URLs of requests without a host. */
  readonly server: { readonly isEncrypted: boolean; readonly port: number };
  /** Whether the client disconnected. */
  readonly isGone: boolean;
  /** The body as it arrives, `null` once it can no longer be read. */
  receive(): IncomingUpload | null;
  /** Runs a listener when the client disconnects. */
  onGone(listener: () => void): void;
}

const KNOWN_METHODS: ReadonlySet<string> = new Set(METHODS.filter((method) => method !== "CONNECT"));

/** Characters in nearly every value. */
const PLAIN = /^[\t\x20-\x7e]*$/;

/** Characters that no value may contain (RFC 9110 section 5.5). */
const FORBIDDEN = /[^\t\x20-\x7e\u0080-\uffff]/;

/** The last origin, cached because most requests have the same one. */
let last = { host: "", isEncrypted: false, origin: "" };

/** Headers about the connection, which Node's `fetch` would reject. */
const OF_THE_WAY = /^(?:connection|expect|keep-alive|transfer-encoding)$/;

/**
 * A copy of an engine's request, which can only be read while its handler runs. To the application it stands in for a
 * web `Request`, which is created when `req.request` is read.
 */
export class UwsRequest implements Read, StandIn {
  readonly method: string;
  readonly #owner: RequestOwner;
  readonly #target: string;
  /** Alternating lower-case names and values. */
  readonly #lines: string[] = [];
  #host: string | null = null;
  #length: string | null = null;
  #coding: string | null = null;
  #isMalformed = false;
  #url: string | null = null;
  #filled = false;
  #web: Request | null = null;
  /** Holds the request body if its method allows none in a web `Request`. */
  #carrier: Response | null = null;
  #signal: AbortSignal | null = null;

  /**
   * Copies a request.
   *
   * @param native The engine's request
   * @param owner Its connection
   */
  constructor(native: EngineRequest, owner: RequestOwner) {
    this.#owner = owner;
    this.method = native.getCaseSensitiveMethod();
    const path = native.getUrl();
    const query = native.getQuery();
    // `null` if there is none, or `undefined` in newer versions
    const target = typeof query === "string" ? `${path}?${query}` : path;
    this.#target = PLAIN.test(target) ? target : bytewise(target);
    native.forEach((name, value) => this.#add(name, value));
  }

  #add(name: string, value: string): void {
    const text = PLAIN.test(value) ? value : this.#unusual(value);
    if (name === "host") this.#host = this.#once(this.#host, text);
    else if (name === "content-length") this.#length = this.#once(this.#length, text);
    else if (name === "transfer-encoding") this.#coding = this.#once(this.#coding, text);
    this.#lines.push(name, text);
  }

  // one character per byte, as on Node
  #unusual(value: string): string {
    if (FORBIDDEN.test(value)) this.#isMalformed = true;
    return bytewise(value);
  }

  // duplicates would make the message ambiguous (RFC 9112 sections 3.2 and 6.3)
  #once(before: string | null, value: string): string {
    if (before !== null) this.#isMalformed = true;
    return value;
  }

  /** Whether `node:http` would have rejected the request, although the engine did not. */
  get isMalformed(): boolean {
    if (this.#isMalformed || !KNOWN_METHODS.has(this.method)) return true;
    const [length, coding] = [this.#length, this.#coding];
    if (coding !== null) return length !== null || asciiLowerCase(coding) !== "chunked";
    return length !== null && !/^\d{1,15}$/.test(length);
  }

  /** Whether a body follows the head (RFC 9112 section 6.3). */
  get hasBody(): boolean {
    return this.#coding !== null || (this.#length !== null && Number(this.#length) > 0);
  }

  get [originFormKey](): string | null {
    return isOriginForm(this.#target) && this.#origin() !== "" ? this.#target : null;
  }

  /** The URL; unlike `new URL()`, it does not resolve `/../`, so path checks see the path as sent. */
  get url(): string {
    return this.#url ??= this.#origin() + this.#target;
  }

  /** Scheme and host; empty if the client's `Host` is invalid, so the application refuses the request. */
  #origin(): string {
    const { isEncrypted, port } = this.#owner.server;
    const host = this.#host ?? "";
    if (host === last.host && isEncrypted === last.isEncrypted && host !== "") return last.origin;
    if (host !== "" && !isHost(host)) return "";
    const origin = `${isEncrypted ? "https" : "http"}://${host === "" ? `localhost:${port}` : host}`;
    if (host !== "") last = { host, isEncrypted, origin };
    return origin;
  }

  /** The real web request, created on demand. */
  get [webRequestKey](): Request {
    return this.#web ??= this.#makeWeb();
  }

  #makeWeb(): Request {
    const { method, signal } = this;
    const headers = new Headers();
    this.visitHeaders((value, name) => OF_THE_WAY.test(name) || headers.append(name, value));
    const init = { method, headers, signal };
    if (!mayHaveBody(method) || !this.hasBody) return requestAsSent(this.url, init);
    const body = this.#unread();
    return requestAsSent(this.url, { ...init, body, duplex: "half" } as RequestInit & typeof init);
  }

  // a body that is being read, or was read, elsewhere cannot be read again
  #unread(): ReadableStream<Uint8Array<ArrayBuffer>> {
    const upload = this.#filled ? null : this.#owner.receive();
    if (upload !== null && !upload.isTouched && !upload.isLocked) return upload.stream;
    const used = new ReadableStream<Uint8Array<ArrayBuffer>>();
    void used.cancel();
    return used;
  }

  /**
   * Returns whether a request is this one, or the web request created from it.
   *
   * @param request The request
   */
  isOf(request: Request): boolean {
    return request === this as unknown || request === this.#web;
  }

  /** The headers; to read only a few, {@linkcode UwsRequest.header} is cheaper. */
  get headers(): Headers {
    return this[webRequestKey].headers;
  }

  /** The body, `null` if there is none. */
  get body(): ReadableStream<Uint8Array<ArrayBuffer>> | null {
    if (!this.hasBody) return null;
    const upload = this.#filled || this.#web !== null ? null : this.#owner.receive();
    return upload?.stream ?? this.#holder.body;
  }

  // Express's parsers read bodies with any method
  get #holder(): Request | Response {
    if (mayHaveBody(this.method)) return this[webRequestKey];
    return this.#carrier ??= new Response(this.hasBody ? this.#unread() : null);
  }

  /** Whether the body was read. */
  get bodyUsed(): boolean {
    if (this.#filled) return true;
    const holder = this.#carrier ?? this.#web;
    return holder === null ? this.hasBody && this.#owner.receive()?.isTouched === true : holder.bodyUsed;
  }

  /** The body as a string. */
  text(): Promise<string> {
    return this.#holder.text();
  }

  /** The body as bytes. */
  arrayBuffer(): Promise<ArrayBuffer> {
    return this.#holder.arrayBuffer();
  }

  /** Aborts when the client disconnects before the response is complete. */
  get signal(): AbortSignal {
    if (this.#signal === null) {
      const leaving = new AbortController();
      this.#owner.onGone(() => leaving.abort());
      this.#signal = leaving.signal;
    }
    return this.#signal;
  }

  /**
   * Returns whether a request is the engine's.
   *
   * @param request The request
   */
  static isOne(request: unknown): request is UwsRequest {
    return #lines in (request as UwsRequest);
  }

  /**
   * Reads a header.
   *
   * @param name Its name, case-insensitive
   * @returns The value, `null` if it is absent
   */
  header(name: string): string | null {
    const key = asciiLowerCase(name);
    const lines = this.#lines;
    let found: string | null = null;
    for (let i = 0; i < lines.length; i += 2) {
      if (lines[i] !== key) continue;
      found = found === null ? lines[i + 1]! : found + (key === "cookie" ? "; " : ", ") + lines[i + 1]!;
    }
    return found;
  }

  /**
   * Visits all header lines.
   *
   * @param visitor Called with each line's value and name
   */
  visitHeaders(visitor: (value: string, name: string) => void): void {
    const lines = this.#lines;
    for (let i = 0; i < lines.length; i += 2) visitor(lines[i + 1]!, lines[i]!);
  }

  /**
   * Fills a sink with the body.
   *
   * @param sink Receives the body
   * @returns Controls for filling the sink; `null` if the body must be read in a different way
   */
  fillSink(sink: BodySink): Filling | null {
    if (!this.hasBody || this.bodyUsed || this.#web !== null || this.#carrier !== null) return null;
    const upload = this.#owner.receive();
    if (upload === null || upload.isLocked) return null;
    this.#filled = true;
    return upload.fill(sink);
  }

  /**
   * Watches the client.
   *
   * @param watch Notified when it disconnects
   * @param listen Listens to the signal if the client has already disconnected
   */
  watchClient(watch: ClientWatch, listen: () => void): void {
    if (this.#owner.isGone) listen();
    else this.#owner.onGone(() => watch.hear());
  }
}

// the engine decodes received data as UTF-8
function bytewise(text: string): string {
  return Buffer.from(text).toString("latin1");
}
