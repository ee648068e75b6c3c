import { checkInteger, checkNames, describe, LONGEST_TIMER_MS, type OptionNames } from "@sluice/shared";
import type { Request, Response } from "@sluice/sluice";
import { commentText, eventText, type ServerSentEvent } from "./server_sent_event.ts";
import { closeWithApp, type OpenStreams } from "./streams_of_app.ts";

/**
 * How events are sent.
 *
 * @example A heartbeat every ten seconds
 * ```ts
 * import sluice from "@sluice/sluice";
 * import { sse } from "@sluice/middleware/sse";
 *
 * const app = sluice();
 * app.get("/time", (req, res) => {
 *   const events = sse(req, res, { heartbeatMs: 10_000, retryMs: 2000 });
 *   events.send({ data: new Date().toISOString() });
 * });
 * ```
 */
export interface SseOptions {
  /**
   * Idle time before a comment is sent, in ms; 15 000 by default, 0 for no comments. Proxies cut idle connections, and
   * the server notices a client that has silently disconnected only by sending.
   */
  heartbeatMs?: number;
  /** Delay before the client reconnects if the connection ends, in ms; by default, the client decides. */
  retryMs?: number;
  /**
   * Maximum bytes queued for a slow client, 1 MiB by default. Code that awaits `send` never reaches this limit. Over
   * it, the connection is closed, and the client reconnects with the last id it got.
   */
  maxPendingBytes?: number;
}

/** A response that sends events. */
export interface EventStream {
  /** The id of the last event the client got, if it is reconnecting: `Last-Event-ID`. */
  readonly lastEventId: string | undefined;
  /** Whether it has ended: the client disconnected, the application is closing, or `close` was called. */
  readonly isClosed: boolean;
  /** Resolves when it has ended. */
  readonly closed: Promise<void>;
  /**
   * Sends an event. Once the stream is closed, nothing is sent.
   *
   * @param event The event; a string is its data
   * @returns Resolves when there is room for the next one, or the stream is closed. Never rejects
   * @throws {TypeError} If a field has a line break or is of the wrong type
   * @throws {RangeError} If `retry` is not a whole number of ms
   */
  send(event: ServerSentEvent | string): Promise<void>;
  /**
   * Sends a comment, which clients ignore.
   *
   * @param text The comment
   * @returns As for `send`
   */
  comment(text: string): Promise<void>;
  /**
   * Sends everything a source yields, one event at a time as the client accepts them, and closes the stream when the
   * source ends. If the client disconnects or the application closes, the source is ended with `return()`.
   *
   * @param source The events
   * @returns Resolves when the stream is closed; rejects with the source's error
   */
  sendAll(source: AsyncIterable<ServerSentEvent | string> | Iterable<ServerSentEvent | string>): Promise<void>;
  /** Ends the response. A client that wants more reconnects. */
  close(): void;
}

/** Options from better-sse and express-sse. */
const INSTEAD = { keepAlive: "use heartbeatMs", pingInterval: "use heartbeatMs", retry: "use retryMs" };

const NAMES: OptionNames<SseOptions> = { heartbeatMs: true, retryMs: true, maxPendingBytes: true };

const HEARTBEAT_MS = 15_000;
const MAX_PENDING_BYTES = 1024 * 1024;

/**
 * Starts a response with server-sent events (HTML standard, 9.2). It ends when the client disconnects, when `app.close`
 * begins, or with `close`.
 *
 * @param req The request
 * @param res Its response, which must not have begun
 * @param options How events are sent
 * @throws {TypeError} If it is called outside a handler, or an option is unknown or of the wrong type
 * @throws {RangeError} If an option is out of bounds
 * @throws {Error} If the response has already begun
 *
 * @example Missed events first, then live ones
 * ```ts
 * import sluice from "@sluice/sluice";
 * import { sse } from "@sluice/middleware/sse";
 *
 * const app = sluice();
 *
 * async function* newsSince(id: number) {
 *   for (let next = id + 1; next <= 3; next++) yield { id: String(next), data: { headline: `News ${next}` } };
 * }
 *
 * app.get("/news", (req, res) => {
 *   const events = sse(req, res, { retryMs: 2000 });
 *   return events.sendAll(newsSince(Number(events.lastEventId ?? 0)));
 * });
 * ```
 */
export function sse(req: Request, res: Response, options: SseOptions = {}): EventStream {
  assertInHandler(req, res, options);
  checkNames("sse", options, NAMES, INSTEAD);
  const { heartbeatMs = HEARTBEAT_MS, retryMs, maxPendingBytes = MAX_PENDING_BYTES } = options;
  checkInteger("sse", "heartbeatMs", heartbeatMs, 0, LONGEST_TIMER_MS);
  if (retryMs !== undefined) checkInteger("sse", "retryMs", retryMs, 0, Number.MAX_SAFE_INTEGER);
  checkInteger("sse", "maxPendingBytes", maxPendingBytes, 1, Number.MAX_SAFE_INTEGER);
  const stream = new Stream(req, res, heartbeatMs, maxPendingBytes);
  if (retryMs !== undefined) stream.send({ retry: retryMs });
  return stream;
}

// other packages' are middleware, which adds a method to the response, or take the response alone
function assertInHandler(...given: unknown[]): void {
  const [req, res, options] = given as [Partial<Request>?, Partial<Response>?, unknown?];
  const isCall = typeof req?.get === "function" && typeof res?.writeHead === "function";
  if (isCall && typeof options !== "function") return;
  throw new TypeError(
    `sse is not middleware: call it in a handler, (req, res) => { const events = sse(req, res); … }, not ${
      isCall ? "as a handler" : `with ${req === undefined ? "nothing" : describe(req)}`
    }`,
  );
}

class Stream implements EventStream {
  readonly lastEventId: string | undefined;
  readonly #res: Response;
  readonly #maxPendingBytes: number;
  readonly #heartbeatMs: number;
  readonly #req: Request;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #room: Promise<void> | null = null;
  #isClosed = false;
  /** Created on first use: few programs need it, and a stream may be idle for days. */
  #closed: Promise<void> | null = null;
  readonly #listed: OpenStreams;
  /** Called when the stream is closed, to release pending waits. */
  #waiting: Set<() => void> | null = null;

  constructor(req: Request, res: Response, heartbeatMs: number, maxPendingBytes: number) {
    this.#res = res;
    this.#heartbeatMs = heartbeatMs;
    this.#maxPendingBytes = maxPendingBytes;
    this.#req = req;
    this.lastEventId = asText(req.get("last-event-id"));
    if (!res.hasHeader("Cache-Control")) res.setHeader("Cache-Control", "no-cache");
    // nginx would buffer a few kilobytes
    res.writeHead(200, { "Content-Type": "text/event-stream", "X-Accel-Buffering": "no" });
    this.#listed = closeWithApp(req.app, this);
    // not once(), which would retain a wrapper
    res.on("close", () => {
      for (const streams of this.#listed) streams.delete(this);
      this.#over();
    });
    if (req.method === "HEAD" || res.destroyed || req.app.isClosing) this.close();
    else {
      // the client's `open` event must not wait for the first event
      res.flushHeaders();
      this.#beat();
      // it would retain the whole routing state
      (req as { next?: unknown }).next = undefined;
    }
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  get closed(): Promise<void> {
    return this.#closed ??= this.#isClosed
      ? Promise.resolve()
      : new Promise((resolve) => (this.#waiting ??= new Set()).add(resolve));
  }

  send(event: ServerSentEvent | string): Promise<void> {
    return this.#write(eventText(event));
  }

  comment(text: string): Promise<void> {
    return this.#write(commentText(text));
  }

  async sendAll(source: AsyncIterable<ServerSentEvent | string> | Iterable<ServerSentEvent | string>): Promise<void> {
    const events = Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]();
    try {
      while (!this.#isClosed) {
        // a source may never yield again although the client has disconnected
        const next = await this.#unlessClosed(Promise.resolve(events.next()));
        if (next === undefined) break;
        if (next.done) return this.close();
        await this.send(next.value);
      }
    } catch (error) {
      this.#end(events);
      throw error;
    }
    this.#end(events);
  }

  // Not awaited: a generator runs its `finally` only once its pending wait settles.
  #end(events: AsyncIterator<unknown> | Iterator<unknown>): void {
    Promise.resolve(events.return?.()).catch((error) => {
      this.#req.app.reportError(error, { req: this.#req, phase: "handler" });
    });
  }

  close(): void {
    if (this.#isClosed) return;
    const isOwn = this.#res.headersSent;
    this.#over();
    if (isOwn) this.#res.end();
  }

  #over(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#waiting?.forEach((release) => release());
    this.#waiting = null;
  }

  #write(text: string): Promise<void> {
    // a session that could not be saved has taken the head back: the response is an error handler's now
    if (!this.#res.headersSent) this.#over();
    if (this.#isClosed) return Promise.resolve();
    const hasRoom = this.#res.write(text);
    // compression middleware may buffer
    (this.#res as { flush?: () => void }).flush?.();
    this.#beat();
    if (hasRoom) return Promise.resolve();
    if (this.#res.writableLength > this.#maxPendingBytes) {
      this.#over();
      this.#res.destroy();
      return Promise.resolve();
    }
    return this.#room ??= this.#waitForRoom();
  }

  #waitForRoom(): Promise<void> {
    const drained = new Promise<void>((resolve) => this.#res.once("drain", resolve));
    return this.#unlessClosed(drained).then(() => {
      this.#room = null;
    });
  }

  // Not a race with `closed`: until that settled, it would retain every promise ever raced with it. Once the stream is
  // closed, a source's failure is ignored.
  #unlessClosed<T>(promise: Promise<T>): Promise<T | undefined> {
    return new Promise((resolve, reject) => {
      const release = (): void => resolve(undefined);
      (this.#waiting ??= new Set()).add(release);
      promise.then(resolve, reject).finally(() => this.#waiting?.delete(release));
    });
  }

  #beat(): void {
    clearTimeout(this.#timer);
    if (this.#heartbeatMs === 0) return;
    this.#timer = setTimeout(() => {
      // a client with unread events does not need it
      if (this.#room === null) this.comment("");
      else this.#beat();
    }, this.#heartbeatMs);
  }
}

// Browsers send UTF-8 (HTML standard, 9.2.3), and each byte of a header is a character. Anything that is not UTF-8
// stays unchanged.
function asText(value: string | undefined): string | undefined {
  if (value === undefined || !/^[\0-\xff]*[\x80-\xff]/.test(value)) return value;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.from(value, (byte) => byte.charCodeAt(0)));
  } catch {
    return value;
  }
}
