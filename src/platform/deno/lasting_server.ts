import { reasonOf } from "../../util/error_text.ts";
import type { Timer } from "../shared/slow_clients.ts";

/** The part of the result of `Deno.serve` used here. */
export interface BoundServer {
  /** Where it listens. */
  readonly addr: { readonly hostname: string; readonly port: number };
  /** Settles when it has ended; rejects if it can accept no more connections. */
  readonly finished: Promise<void>;
  /** Stops listening, and finishes once its requests have completed. */
  shutdown(): Promise<void>;
  /** Keeps the process alive. */
  ref(): void;
  /** Lets the process end. */
  unref(): void;
}

/**
 * Binds a server.
 *
 * @param signal Cuts all of its connections
 * @param port The first server's port; `undefined` for the first server itself
 * @param received Called with each request; `undefined` for the first server
 */
export type Bind = (signal: AbortSignal, port?: number, received?: () => void) => BoundServer;

/** First and longest delay, in ms, before an attempt to listen again: the delay doubles with each failure. */
const FIRST_DELAY_MS = 20;
const MOST_DELAY_MS = 1000;

/** How long attempts to listen again may fail, in ms. */
const GIVE_UP_MS = 60_000;

/** Time before a server that listens again counts as recovered, in ms. */
const RECOVERED_MS = 10_000;

/** Maximum number of failed servers that may have connections; beyond it, the oldest one is shut down. */
const MOST_FAILED = 16;

/** Error codes that Deno reports only as numbers. */
const CODES: Readonly<Record<string, string>> = { 23: "ENFILE", 24: "EMFILE" };

/** One of the servers bound in succession. */
class Generation {
  readonly #abort = new AbortController();
  readonly server: BoundServer;
  /** Whether it may have connections: the first server may, and so may any server that got a request. */
  isUsed: boolean;

  constructor(bind: Bind, port?: number) {
    this.isUsed = port === undefined;
    // Deno adds a listener only after binding the port, and a process's first listener would delay its first client
    this.#abort.signal.addEventListener("abort", () => {}, { once: true });
    this.server = this.isUsed ? bind(this.#abort.signal) : bind(this.#abort.signal, port, () => this.isUsed = true);
  }

  cut(): void {
    this.#abort.abort();
  }
}

/**
 * A server that listens again when Deno's has ended. A single `accept` error, such as running out of file descriptors,
 * ends Deno's server. Open connections are kept.
 */
export class LastingServer {
  readonly #end = Promise.withResolvers<void>();
  /** Resolves once it is shut down or cut. Rejects if it cannot listen again. */
  readonly finished: Promise<void> = this.#end.promise;
  readonly #bind: Bind;
  readonly #report: (error: Error) => void;
  readonly #unrefTimer: (timer: Timer) => void;
  #current: Generation | null;
  /** Servers that accept no more connections but may have open ones. */
  readonly #failed: Generation[] = [];
  #hasEnded = false;
  #isKeepingAlive = true;
  #timer: Timer | undefined;
  #delayMs = FIRST_DELAY_MS;
  /** Milliseconds spent trying to listen again. */
  #triedMs = 0;
  /** Whether the current failure was reported. */
  #isReported = false;
  /** Where the first one was bound. */
  readonly addr: BoundServer["addr"];

  /**
   * Listens.
   *
   * @param bind Binds a Deno server
   * @param report Receives the error that ended a server, once until it has recovered, and the error when it gives up
   * @param unrefTimer Lets the process end while a timer runs
   */
  constructor(bind: Bind, report: (error: Error) => void, unrefTimer: (timer: Timer) => void = Deno.unrefTimer) {
    this.#bind = bind;
    this.#report = report;
    this.#unrefTimer = unrefTimer;
    this.#current = new Generation(bind);
    this.addr = this.#current.server.addr;
    this.#watch(this.#current);
  }

  /** Whether it is bound. */
  get listening(): boolean {
    return this.#current !== null;
  }

  #watch(generation: Generation): void {
    const ended = (cause: unknown): void => {
      if (this.#hasEnded) return;
      this.#current = null;
      this.#keep(generation);
      if (!this.#isReported) this.#report(errorOf("cannot accept connections and will listen again", cause));
      this.#isReported = true;
      this.#listenLater();
    };
    generation.server.finished.then(() => ended("Deno ended it"), ended);
  }

  #keep(generation: Generation): void {
    if (!generation.isUsed) return void ignore(generation.server.shutdown());
    this.#failed.push(generation);
    if (this.#failed.length > MOST_FAILED) ignore(this.#failed.shift()!.server.shutdown());
  }

  #listenLater(): void {
    // a listener that got the error may have closed the server
    if (this.#hasEnded) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#listenAgain(), this.#delayMs);
    if (!this.#isKeepingAlive) this.#unrefTimer(this.#timer);
    this.#triedMs += this.#delayMs;
    this.#delayMs = Math.min(2 * this.#delayMs, MOST_DELAY_MS);
  }

  #listenAgain(): void {
    let generation: Generation;
    try {
      generation = new Generation(this.#bind, this.addr.port);
    } catch (error) {
      return this.#triedMs < GIVE_UP_MS ? this.#listenLater() : this.#giveUp(error);
    }
    this.#current = generation;
    this.#triedMs = 0;
    if (!this.#isKeepingAlive) generation.server.unref();
    this.#watch(generation);
    this.#timer = setTimeout(() => {
      this.#isReported = false;
      this.#delayMs = FIRST_DELAY_MS;
    }, RECOVERED_MS);
    this.#unrefTimer(this.#timer);
  }

  #giveUp(cause: unknown): void {
    this.#hasEnded = true;
    const error = errorOf(`could not listen again for ${GIVE_UP_MS / 1000} s and stopped`, cause);
    this.#report(error);
    this.#end.reject(error);
  }

  /** Stops listening; resolves once all requests have completed. */
  async shutdown(): Promise<void> {
    const current = this.#stop();
    await Promise.all([current?.server.shutdown(), ...this.#failed.map(({ server }) => ignore(server.shutdown()))]);
    this.#end.resolve();
  }

  /** Cuts all connections; resolves when that is done. */
  async cut(): Promise<void> {
    const current = this.#stop();
    current?.cut();
    for (const generation of this.#failed) generation.cut();
    await current?.server.finished;
    this.#end.resolve();
  }

  #stop(): Generation | null {
    this.#hasEnded = true;
    clearTimeout(this.#timer);
    const current = this.#current;
    this.#current = null;
    return current;
  }

  /** Keeps the process alive. */
  ref(): void {
    this.#isKeepingAlive = true;
    this.#current?.server.ref();
  }

  /** Lets the process end. */
  unref(): void {
    this.#isKeepingAlive = false;
    if (this.#current !== null) this.#current.server.unref();
    else if (this.#timer !== undefined) this.#unrefTimer(this.#timer);
  }
}

// a server that failed before may fail with the same error
function ignore(promise: Promise<void>): Promise<void> {
  return promise.catch(() => {});
}

function errorOf(what: string, cause: unknown): Error {
  const reason = reasonOf(cause).replace(/^Error: /, "");
  const code = (cause as { code?: unknown } | null)?.code ?? CODES[reason.match(/\(os error (\d+)\)/)?.[1] ?? ""];
  const error = new Error(`The server ${what}: ${reason}`, { cause });
  return code === undefined ? error : Object.assign(error, { code });
}
