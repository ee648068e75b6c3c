import { captureContext } from "../http/async_context.ts";
import type { AppFace, BodyReading, OpenStream } from "./app_face.ts";
import type { Peer } from "./peer.ts";
import { Target } from "./target.ts";
import { Watch } from "./watch.ts";

/** The runtime's own, whatever a test with fake timers puts in its place later: those keep no event of Node's back. */
const { queueMicrotask } = globalThis;

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

/** Bodies a web response takes, `null` for none. */
export type WebBody = string | Uint8Array<ArrayBuffer> | Blob | ReadableStream<Uint8Array> | null;

/**
 * Makes a web response.
 *
 * @param body The body, `null` for none
 * @param status Status
 * @param statusText Reason phrase, empty for the usual one
 * @param head Names and values of the headers in turn, a name for each line
 * @throws {TypeError} If a web response cannot carry the reason phrase or a header
 */
export type Respond = (body: WebBody, status: number, statusText: string, head: string[]) => Response;

/** What lists of listeners are made of, which must be no literals: `Emitter` says why. */
const NOBODY: readonly (() => void)[] = [];

/** What few exchanges need, made when it is first needed: listeners, handlers still running, a body being streamed. */
class Extras {
  onEnd: (() => void)[] | null = null;
  onLeave: (() => void)[] | null = null;
  /** Runs the listeners for the end, where not any context will do. */
  runEnd: ((run: () => void) => void) | null = null;
  streaming: OpenStream | null = null;
  reading: BodyReading | null = null;
  context: unknown = undefined;
  /** What hears that the client left, once somebody cares. */
  watch: Watch | null = null;
  /** Whether the body broke off. */
  broken = false;
  /** Whether the platform makes a WebSocket of it, or has done so. */
  upgrading = false;
  /** Handlers whose promise has not settled yet. */
  handlers = 0;
  /** Tells the platform, where it waits for them, that none of them is left. */
  settled: (() => void) | null = null;
  peer: Peer | null = null;
}

/** One request's life: what came in, and the one answer it gets. */
export class Exchange {
  /** What the request asks for. */
  readonly target: Target;
  /** The platform's second argument, kept unread until somebody asks who the peer is. */
  readonly info: unknown;
  /** The application in charge at the moment; changes while a mounted app runs. */
  app: AppFace;
  /** Makes its web response, where the platform has a quicker way than the runtime's class. */
  respond: Respond | null = null;
  #response: Response | null = null;
  #waiting: ((response: Response) => void) | null = null;
  #extras: Extras | null = null;
  #aborted = false;
  #finished = false;

  /**
   * Begins an exchange.
   *
   * @param request The web request
   * @param info What the platform passes beside it: peer address, server, environment
   * @param context What waits for background work, on Workers
   * @param app The application that received it
   */
  constructor(request: Request, info: unknown, context: unknown, app: AppFace) {
    this.target = new Target(request);
    this.info = info;
    this.app = app;
    if (context !== undefined) this.#ensureExtras.context = context;
  }

  get #ensureExtras(): Extras {
    return this.#extras ??= new Extras();
  }

  /** The platform's third argument: what waits for background work on Workers. */
  get context(): unknown {
    return this.#extras?.context;
  }

  /** The other end of the connection. */
  get peer(): Peer {
    return this.#ensureExtras.peer ??= this.app.runtimeFace.peerOf(this.info, this.target.request);
  }

  /** Whether the client left before the answer was complete. */
  get aborted(): boolean {
    return this.#aborted;
  }

  /** Whether the body broke off before the answer was complete; there may still be somebody who takes that. */
  get broken(): boolean {
    return this.#extras?.broken ?? false;
  }

  /** Whether the answer has been handed over completely. */
  get finished(): boolean {
    return this.#finished;
  }

  /** Notes that the last byte of the answer was handed over. */
  finish(): void {
    if (this.#finished) return;
    this.#finished = true;
    this.#extras?.reading?.answered();
    this.#runEnd();
  }

  /** What reads the body through Node's face, which throws away what is left of it after the answer. */
  get reading(): BodyReading | null {
    return this.#extras?.reading ?? null;
  }

  set reading(reading: BodyReading) {
    this.#ensureExtras.reading = reading;
  }

  /** Notes that the client is gone; after the answer is complete this changes nothing. */
  abandon(): void {
    if (this.#finished || this.#aborted) return;
    this.#aborted = true;
    this.#runLeave();
    this.#runEnd();
  }

  #runLeave(): void {
    const { onLeave } = this.#ensureExtras;
    this.#ensureExtras.onLeave = null;
    onLeave?.forEach((listener) => listener());
  }

  #runEnd(): void {
    const extras = this.#extras;
    if (extras === null) return;
    extras.watch?.end();
    if (extras.onEnd === null) return;
    const left = extras.onEnd;
    extras.onEnd = null;
    const run = (): void => {
      try {
        while (left.length > 0) left.shift()!();
      } finally {
        if (left.length > 0) queueMicrotask(run);
      }
    };
    // a listener may look at the answer, which the platform has only after the present turn
    if (extras.runEnd === null) queueMicrotask(run);
    else extras.runEnd(run);
  }

  /** Has the listeners for the end run in this asynchronous context, as Node's do, and not in the platform's. */
  endsHere(): void {
    if (this.#extras?.onEnd) this.#extras.runEnd = captureContext();
  }

  /** Whether somebody listens for the end. */
  get hasListeners(): boolean {
    const extras = this.#extras;
    return extras !== null && (extras.onEnd !== null || extras.onLeave !== null);
  }

  /** Runs a listener when the exchange is over, however it ended; the response's are first, as in Node. */
  onEnd(listener: () => void, first = false): void {
    if (this.#response !== null) this.#keep();
    if (this.#finished || this.#aborted) return queueMicrotask(listener);
    const extras = this.#ensureExtras;
    const present = extras.onEnd ?? NOBODY;
    extras.onEnd = present.toSpliced(first ? 0 : present.length, 0, listener);
    if (this.#lasting) this.#watch();
  }

  /** Runs a listener when the client leaves before the answer is complete. */
  onLeave(listener: () => void): void {
    if (this.#aborted) return listener();
    if (this.#finished) return;
    const extras = this.#ensureExtras;
    const present = extras.onLeave ?? NOBODY;
    extras.onLeave = present.toSpliced(present.length, 0, listener);
    if (this.#lasting) this.#watch();
  }

  /** Whether the turn in which the request came was over before there was an answer. */
  get awaited(): boolean {
    return this.#waiting !== null;
  }

  get #lasting(): boolean {
    return this.awaited || this.streaming !== null;
  }

  // The signal is not touched until somebody cares and the answer takes time: on Deno that alone costs more than a
  // whole request, and Deno warns of it. Nobody can leave in the middle of a turn.
  #watch(): void {
    const extras = this.#extras;
    if (extras === null || extras.watch !== null || !this.hasListeners) return;
    const watch = extras.watch = new Watch(() => this.#leave());
    const { runtimeFace } = this.app;
    if (runtimeFace.watchClient === undefined) return this.#listen(watch);
    runtimeFace.watchClient(this.target.request, watch, () => this.#listen(watch));
  }

  #listen(watch: Watch): void {
    // whoever hears of it may read the request, which may be taken back with an answer that is not from here
    this.#keepRequest();
    const { signal } = this.target.request;
    if (signal.aborted && (this.#ensureExtras.upgrading || this.#response?.status === 101)) return;
    if (signal.aborted) return this.#waiting === null ? this.abandon() : this.#leave();
    listenTo(signal, watch);
  }

  /**
   * Notes that the body broke off: its sender is gone, which Deno's signal does not tell in the middle of an upload. A
   * handler that was reading may have something to say to that, where the request was made in process.
   */
  lost(): void {
    if (!this.#finished && !this.#aborted) {
      this.#ensureExtras.broken = true;
      // before the error, as in Node
      this.#runLeave();
    }
    setTimeout(() => this.#left(), 0);
  }

  // Deno aborts the signal of a request that becomes a WebSocket, though nobody has left
  #leave(): void {
    if (this.#extras?.upgrading || this.#response?.status === 101) return;
    if (this.#response !== null || !asksForUpgrade(this.target.request)) return this.#left();
    // a handler that upgrades by itself is about to answer
    setTimeout(() => this.#response?.status === 101 || this.#left(), 0);
  }

  // a handler that never answers would keep the platform waiting, and on Deno the connection open
  #left(): void {
    // an answer without a body is complete with its head
    if (this.#response !== null && (this.target.method === "HEAD" || this.#response.body === null)) return;
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
    if (this.hasListeners || (this.#extras !== null && this.#extras.handlers > 0)) this.#keep();
    this.#waiting?.(response);
    return true;
  }

  /**
   * Settles the exchange with the answer that makes a WebSocket of the request. It is over when the connection is, and
   * whoever accepted that says so.
   *
   * @param accept Gives the answer
   * @throws What accepting throws
   */
  upgrade(accept: () => Response): void {
    const extras = this.#ensureExtras;
    extras.upgrading = true;
    try {
      this.settle(accept());
    } catch (error) {
      extras.upgrading = false;
      throw error;
    }
  }

  /** Notes that a handler goes on in a promise, perhaps beyond the answer. */
  handlerBegan(): void {
    this.#ensureExtras.handlers++;
    if (this.#response !== null) this.#keep();
  }

  /** Notes that the promise of a handler has settled. */
  handlerEnded(): void {
    const extras = this.#ensureExtras;
    if (--extras.handlers > 0) return;
    extras.settled?.();
    extras.settled = null;
  }

  // On Node a request can be read after its answer. Elsewhere the platform takes back what nobody has asked for by
  // then, so it is asked for where somebody is left who may read it: a listener, or a handler. Some stop the handler as
  // well.
  #keep(): void {
    this.#keepRequest();
    const { runtimeFace } = this.app;
    const extras = this.#ensureExtras;
    if (extras.handlers === 0 || extras.settled !== null || !runtimeFace.endsWithAnswer) return;
    this.app.background(new Promise<void>((resolve) => extras.settled = resolve), this.info, this.context);
  }

  #keepRequest(): void {
    this.app.runtimeFace.keepHeaders?.(this.target.request);
    void this.peer;
  }

  /** The body being streamed, which breaking off has to cut. */
  get streaming(): OpenStream | null {
    return this.#extras?.streaming ?? null;
  }

  set streaming(body: OpenStream | null) {
    this.#ensureExtras.streaming = body;
    if (body !== null) this.#watch();
  }

  /**
   * Breaks the exchange off from this side. An answer that has begun is cut. Where there is none yet the platform gets
   * one that fails at once, for the connection is the platform's, and a handler that never answers would keep the
   * client waiting.
   *
   * @param error What it is cut with
   */
  breakOff(error?: Error): void {
    if (this.#finished || this.#aborted) return;
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
    return this.#response ?? this.#later();
  }

  // apart, for what a closure holds would be allocated for every request
  #later(): Promise<Response> {
    return new Promise((resolve) => {
      this.#waiting = resolve;
      this.#watch();
    });
  }
}

// apart, for the closure holds what is around it
function listenTo(signal: AbortSignal, watch: Watch): void {
  signal.addEventListener("abort", () => watch.hear(), { once: true });
}

// Somebody else may have answered, as a deadline does, before anybody looked at the headers: they are gone then.
function asksForUpgrade(request: Request): boolean {
  try {
    return request.headers.has("upgrade");
  } catch {
    return false;
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
