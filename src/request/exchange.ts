import type { AppFace, OpenStream } from "./app_face.ts";
import { oddTarget, pathStart } from "./request_target.ts";

/** Key under which a request keeps its exchange. */
export const exchangeKey: unique symbol = Symbol("sluice.exchange");

/**
 * The exchange behind a request.
 *
 * @param req Any request object
 * @returns Its exchange, `null` if Sluice did not make the request
 */
export function exchangeOf(req: unknown): Exchange | null {
  return (req as { [exchangeKey]?: Exchange } | null | undefined)?.[exchangeKey] ?? null;
}

/**
 * One request's life: what came in, how much of its path is mounted away, and the one answer it gets.
 *
 * Nothing is parsed here but the request target, which is sliced from the URL string: `new URL()` would cost eight
 * times as much and resolve `/../`, so that path checks would look at something else than what was sent.
 */
export class Exchange {
  /** The request as the platform delivered it. */
  readonly request: Request;
  /** The platform's second argument, kept unread until somebody asks who the peer is. */
  readonly info: unknown;
  /** The platform's third argument: what waits for background work on Workers. */
  readonly context: unknown;
  /** The application in charge at the moment; changes while a mounted app runs. */
  app: AppFace;
  /** Target of the request as it came, path and query. */
  readonly originalUrl: string;
  /** Grows whenever the method or the path changes, so that a walk knows when to match again. */
  version = 0;
  /** Path parameters of the layer being run, `undefined` until there are some or somebody asks. */
  params: unknown = undefined;
  /** Handlers that called `next()` and have not returned yet; bounds the stack of synchronous chains. */
  depth = 0;

  #method: string;
  #origin = "";
  #target: string;
  #pathEnd: number;
  #mount = 0;
  #path: string | null = null;
  #response: Response | null = null;
  #waiting: ((response: Response) => void) | null = null;

  /**
   * Begins an exchange.
   *
   * @param request The web request
   * @param info What the platform passes beside it: peer address, server, environment
   * @param context What waits for background work, on Workers
   * @param app The application that received it
   */
  constructor(request: Request, info: unknown, context: unknown, app: AppFace) {
    this.request = request;
    this.info = info;
    this.context = context;
    this.app = app;
    this.#method = request.method;
    const { url } = request;
    const slash = pathStart(url);
    const target = slash === -1 ? oddTarget(url) : url.slice(slash);
    this.originalUrl = target;
    this.#target = target;
    const query = target.indexOf("?");
    this.#pathEnd = query === -1 ? target.length : query;
  }

  /** The method routing looks at; assigning it makes later layers match the new one (method-override). */
  get method(): string {
    return this.#method;
  }

  set method(value: string) {
    if (value === this.#method) return;
    this.#method = value;
    this.version++;
  }

  /** Number of characters of the path that the mounts entered so far have taken off its front. */
  get mount(): number {
    return this.#mount;
  }

  set mount(length: number) {
    if (length === this.#mount) return;
    this.#mount = length;
    this.#path = null;
  }

  /** Path seen from the present mount, always beginning with a slash, never decoded. */
  get path(): string {
    return this.#path ??= this.#slicePath();
  }

  #slicePath(): string {
    const path = this.#target.slice(this.#mount, this.#pathEnd);
    return path.charCodeAt(0) === 47 ? path : "/" + path;
  }

  /** Path and query seen from the present mount, as Express's `req.url`. */
  get url(): string {
    const url = this.#mount === 0 ? this.#target : this.#target.slice(this.#mount);
    return this.#origin + (url.charCodeAt(0) === 47 ? url : "/" + url);
  }

  set url(value: string) {
    const mounted = this.#target.slice(0, this.#mount);
    const origin = originLength(value);
    this.#origin = value.slice(0, origin);
    const rest = value.slice(origin);
    this.#target = mounted + (mounted === "" || rest.charCodeAt(0) === 47 ? rest : "/" + rest);
    const query = this.#target.indexOf("?", this.#mount);
    this.#pathEnd = query === -1 ? this.#target.length : query;
    this.#path = null;
    this.version++;
  }

  /** The part of the path that mounts have taken, without a trailing slash, as Express's `req.baseUrl`. */
  get baseUrl(): string {
    const end = this.#target.charCodeAt(this.#mount - 1) === 47 ? this.#mount - 1 : this.#mount;
    return end <= 0 ? "" : this.#target.slice(0, end);
  }

  /** Query string without its question mark, `null` where the URL has none. */
  get query(): string | null {
    return this.#pathEnd === this.#target.length ? null : this.#target.slice(this.#pathEnd + 1);
  }

  /** Whether the client left before the answer was complete. */
  aborted = false;
  #finished = false;
  #onEnd: (() => void)[] | null = null;
  #onLeave: (() => void)[] | null = null;

  /** Whether the answer has been handed over completely. */
  get finished(): boolean {
    return this.#finished;
  }

  /** Notes that the last byte of the answer was handed over. */
  finish(): void {
    if (this.#finished) return;
    this.#finished = true;
    this.#runEnd();
  }

  /** Notes that the client is gone; after the answer is complete this changes nothing. */
  abandon(): void {
    if (this.#finished || this.aborted) return;
    this.aborted = true;
    const listeners = this.#onLeave ?? [];
    this.#onLeave = null;
    for (const listener of listeners) listener();
    this.#runEnd();
  }

  #runEnd(): void {
    const listeners = this.#onEnd;
    if (listeners === null) return;
    this.#onEnd = null;
    // a listener may look at the answer, which the platform has only after the present turn
    queueMicrotask(() => listeners.forEach((listener) => listener()));
  }

  /** Runs a listener when the exchange is over, however it ended. */
  onEnd(listener: () => void): void {
    if (this.#finished || this.aborted) return queueMicrotask(listener);
    this.#watch();
    (this.#onEnd ??= []).push(listener);
  }

  /** Runs a listener when the client leaves before the answer is complete. */
  onLeave(listener: () => void): void {
    if (this.aborted) return listener();
    if (this.#finished) return;
    this.#watch();
    (this.#onLeave ??= []).push(listener);
  }

  #watched = false;

  // the signal is not touched until somebody cares: on Deno that alone costs more than a whole request
  #watch(): void {
    if (this.#watched) return;
    this.#watched = true;
    const { signal } = this.request;
    if (signal.aborted) return this.abandon();
    signal.addEventListener("abort", () => this.#leave(), { once: true });
  }

  // a handler that never answers would keep the platform waiting, and on Deno the connection open
  #leave(): void {
    this.abandon();
    if (this.#response === null) this.settle(new Response(null, { status: 499 }));
  }

  /** The answer, once there is one. */
  get response(): Response | null {
    return this.#response;
  }

  /**
   * Settles the exchange. Only the first answer counts.
   *
   * @param response The answer
   * @returns Whether it was the first
   */
  settle(response: Response): boolean {
    if (this.#response !== null) return false;
    this.#response = response;
    this.#waiting?.(response);
    return true;
  }

  /** The body being streamed, which breaking off has to cut. */
  streaming: OpenStream | null = null;

  /**
   * Breaks the exchange off from this side. An answer that has begun is cut. Where there is none yet the platform gets
   * one that fails at once, for the connection is the platform's, and a handler that never answers would keep the
   * client waiting.
   *
   * @param error What it is cut with
   */
  breakOff(error?: Error): void {
    if (this.#finished || this.aborted) return;
    // whoever looks at nothing but the status shall not take it for a success
    if (this.#response === null) this.settle(new Response(brokenBody(), { status: 500 }));
    this.abandon();
    this.streaming?.destroy(error ?? brokenOff());
  }

  /**
   * Waits for an answer that handlers give later.
   *
   * @returns The answer, at once when it is there already
   */
  settled(): Response | Promise<Response> {
    return this.#response ?? new Promise((resolve) => this.#waiting = resolve);
  }
}

function brokenBody(): ReadableStream<Uint8Array> {
  return new ReadableStream({
    pull(controller) {
      controller.error(brokenOff());
    },
  }, { highWaterMark: 0 });
}

function brokenOff(): Error {
  return new Error("The answer was broken off");
}

/** Length of `scheme://host` in front of a URL that a middleware made absolute, 0 for a path. */
function originLength(url: string): number {
  if (url.charCodeAt(0) === 47) return 0;
  const query = url.indexOf("?");
  const scheme = url.indexOf("://");
  if (scheme === -1 || (query !== -1 && query < scheme)) return 0;
  const slash = url.indexOf("/", scheme + 3);
  if (slash === -1 || (query !== -1 && query < slash)) return query === -1 ? url.length : query;
  return slash;
}
