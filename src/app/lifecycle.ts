import { describe } from "../util/error_text.ts";
import { checkNames, type OptionNames } from "../util/check_option.ts";
import { type Deferred, deferred } from "../util/deferred.ts";
import { LONGEST_TIMER_MS } from "../util/units.ts";
import { created } from "../util/sequence.ts";
import { detectPlatform } from "../platform/detect.ts";
import { untilQuiet } from "../platform/shared/until_quiet.ts";
import type { AppFetch, PlatformServer, Routed, ServerMaker } from "../platform/shared/platform.ts";
import { noteClosing } from "../exchange/closing.ts";
import type { OpenStreams } from "../exchange/open_streams.ts";
import { callGuarded } from "../exchange/call_guarded.ts";
import type { ErrorContext } from "../exchange/error_context.ts";
import { type Connections, connectionsKey, GOING_AWAY } from "../websocket/connections.ts";
import { enclosingApp } from "./enclosing_app.ts";
import { neverOpened, type OpenServer, openServer } from "./open_server.ts";
import type { Server } from "./server.ts";
import { openStreamsKey } from "../exchange/app_like.ts";

/** Called when an application is listening, or with the error that prevented it. */
export type ListenCallback = (error?: Error) => void;

/**
 * Options for closing an application.
 *
 * @example Ten seconds for requests in progress, once load balancers have noticed
 * ```ts ignore
 * process.on("SIGTERM", () => app.close({ drainDelayMs: 5000, timeoutMs: 10_000 }));
 * ```
 */
export interface CloseOptions {
  /** Time before busy connections are cut, in ms; by default, closing waits for them. */
  timeoutMs?: number;
  /**
   * How long servers still accept connections and requests, in ms; 0 by default, and included in `timeoutMs`. During
   * that time, `app.isClosing` is true and each connection ends with its next response, so load balancers notice that
   * the process is not ready, and clients reconnect elsewhere.
   */
  drainDelayMs?: number;
}

const NAMES: OptionNames<CloseOptions> = { timeoutMs: true, drainDelayMs: true };

/** An application's open resources. */
interface Owner extends Routed {
  readonly parent: Owner | undefined;
  readonly [connectionsKey]: Connections;
  readonly [openStreamsKey]: OpenStreams;
  reportError(error: unknown, context: ErrorContext): void;
  emit(event: "closing" | "close"): boolean;
}

/** One of an application's servers. */
interface Listening {
  readonly platform: PlatformServer;
  readonly server: Server;
  /** Settles once all in-flight requests have completed; `null` until the server is stopped. */
  stopped: Promise<void> | null;
  forgetSignal(): void;
}

/** Opens and closes one application's servers. */
export class Lifecycle {
  readonly #app: Owner;
  /** Its servers, in creation order. */
  #listening: readonly Listening[] = [];
  #closing: Promise<void> | null = null;
  /** Resolved when closing should stop waiting for the rest. */
  #deadline: Deferred = deferred();
  /** Ends the drain period, in which servers still accept requests. */
  #endDrain = (): void => {};
  readonly #background = new Set<Promise<void>>();

  /** @param app The application, which holds its open WebSockets and streamed bodies */
  constructor(app: Owner) {
    this.#app = app;
  }

  /** The first server that listens, or `null`. */
  get server(): Server | null {
    return this.#listening[0]?.server ?? null;
  }

  /** Whether closing is in progress. */
  get isClosing(): boolean {
    return this.#closing !== null;
  }

  /**
   * Listens with an additional server.
   *
   * @param handler Handles requests
   * @param args Express's forms: `(port?, hostname?, backlog?, callback?)`, or options and a callback
   * @param maker Creates the server; by default the platform
   * @returns The server
   * @throws If the port is not available and there is no callback
   */
  listen(handler: AppFetch, args: readonly unknown[], maker: ServerMaker = detectPlatform()): Server {
    const callback = args.findLast((arg) => typeof arg === "function") as ListenCallback | undefined;
    const close = (timeoutMs?: number): Promise<void> => this.#closeOne(listening, timeoutMs);
    // no caller awaits this close
    const cut = (): void => void close(0).catch((error) => this.#app.reportError(error, { phase: "server" }));
    const isOpen = (): boolean => listening.stopped === null && this.#listening.includes(listening);
    let opened: OpenServer;
    try {
      const given = args.filter((arg) => typeof arg !== "function");
      opened = openServer(this.#app, handler, given, { close, cut, isOpen }, maker);
    } catch (error) {
      if (callback === undefined || !isUnavailable(error)) throw error;
      const server = neverOpened(error);
      queueMicrotask(() => callback.call(server, error as Error));
      return server;
    }
    const { platform, server, signal } = opened;
    const listening: Listening = { platform, server, stopped: null, forgetSignal() {} };
    this.#listening = [...this.#listening, listening];
    this.#closing = null;
    // marks closings that have begun as earlier ones, which end only their own servers
    this.#deadline = deferred();
    this.#app[connectionsKey].refused &&= created.last;
    if (signal !== undefined) closeOn(signal, cut, listening);
    this.#announce(listening, callback);
    return server;
  }

  // Errors thrown during startup are uncaught exceptions, as on Node: they crash the process, and a supervisor restarts
  // it. Errors that listeners throw after the server has closed are reported.
  #announce(listening: Listening, callback: ListenCallback | undefined): void {
    const { platform, server } = listening;
    if (callback !== undefined) {
      server.once("error", callback);
      server.once("listening", () => {
        server.off("error", callback);
        callback.call(server);
      });
    }
    const closed = (): void => callGuarded(this.#app, { phase: "listener" }, () => server.emit("close"));
    const tell = (): void => {
      platform.finished.then(closed, (error) => {
        this.#forget(listening);
        if (isHeard(server)) callGuarded(this.#app, { phase: "listener" }, () => server.emit("error", error));
        closed();
      });
      server.emit("listening");
    };
    if (platform.ready === undefined) return queueMicrotask(tell);
    // inside the promise it would be an unhandled rejection
    platform.ready.then(() => queueMicrotask(tell), (error) => {
      this.#forget(listening);
      if (isHeard(server)) queueMicrotask(() => server.emit("error", error));
    });
  }

  /**
   * Tracks work that continues after a response, so closing waits for it.
   *
   * @param work The work
   * @param failed Called with the reason if it fails
   * @returns A promise that settles with the work, and never rejects
   */
  follow(work: PromiseLike<unknown>, failed: (error: unknown) => void): Promise<void> {
    const followed = Promise.resolve(work).then(() => {}, failed).finally(() => this.#background.delete(followed));
    this.#background.add(followed);
    return followed;
  }

  /** Closes the application; implements `app.close`. */
  close(options?: CloseOptions | ListenCallback, callback?: ListenCallback): Promise<void> {
    const isCallback = typeof options === "function";
    const done = isCallback ? options : callback;
    const given = isCallback ? {} : options ?? {};
    checkNames("app.close", given, NAMES);
    const closing = this.#closeAll(given);
    if (typeof done === "function") {
      const tell = (error?: Error): void => callGuarded(this.#app, { phase: "listener" }, () => done(error));
      closing.then(() => tell(), tell);
    }
    return closing;
  }

  #closeAll({ timeoutMs, drainDelayMs = 0 }: CloseOptions): Promise<void> {
    if (timeoutMs !== undefined) assertTime("timeoutMs", timeoutMs);
    assertTime("drainDelayMs", drainDelayMs);
    if (timeoutMs !== undefined && drainDelayMs > timeoutMs) {
      throw new RangeError(
        `app.close: drainDelayMs is part of timeoutMs (${timeoutMs}), so it cannot be ${drainDelayMs}`,
      );
    }
    const closing = this.#closing ??= this.#begin(timeoutMs === 0, drainDelayMs);
    if (timeoutMs === 0) this.#endDrain();
    if (timeoutMs !== undefined) this.#cutAfter(timeoutMs, closing);
    return closing;
  }

  #begin(atOnce: boolean, drainDelayMs: number): Promise<void> {
    const deadline = this.#deadline = deferred();
    noteClosing(1);
    return this.#shutDown(atOnce, drainDelayMs, deadline).finally(() => {
      noteClosing(-1);
      // by now, the application may have listened again, and may be closing again
      if (deadline === this.#deadline) this.#closing = null;
    });
  }

  async #shutDown(atOnce: boolean, drainDelayMs: number, deadline: Deferred): Promise<void> {
    const { parent, [connectionsKey]: connections } = this.#app;
    // the application may listen again while it drains, and before the last response is sent
    const all = this.#listening;
    // a mounted application that does not listen leaves its parent's sockets alone
    if (all.length === 0 && parent !== undefined) return;
    for (const { platform } of all) platform.drain?.();
    if (drainDelayMs > 0) await this.#drain(drainDelayMs);
    connections.refused = deadline === this.#deadline ? Infinity : created.last;
    try {
      this.#tell("closing");
      connections.closeAll(...GOING_AWAY);
      await this.#end(all, atOnce, deadline);
    } finally {
      if (deadline === this.#deadline) connections.refused = 0;
      this.#tell("close");
    }
  }

  #tell(event: "closing" | "close"): void {
    callGuarded(this.#app, { phase: "listener" }, () => this.#app.emit(event));
  }

  async #drain(ms: number): Promise<void> {
    const { promise, resolve } = deferred();
    const timer = setTimeout(resolve, ms);
    this.#endDrain = () => {
      clearTimeout(timer);
      resolve();
    };
    await promise;
    await untilQuiet(detectPlatform().nextPoll);
  }

  async #end(all: readonly Listening[], atOnce: boolean, deadline: Deferred): Promise<void> {
    if (atOnce) this.#cutStreams();
    await Promise.all(all.map((one) => stop(one, atOnce)));
    // background work that never ends cannot be cut
    await Promise.race([this.#backgroundEnded(), deadline.promise]);
    try {
      if (deadline === this.#deadline) await this.#app[connectionsKey].closeBroker();
    } finally {
      for (const one of all) await this.#leave(one);
    }
  }

  async #backgroundEnded(): Promise<void> {
    // work may add more work
    while (this.#background.size > 0) await Promise.all(this.#background);
  }

  // Closing the last server closes the application. No runtime reports which server a WebSocket belongs to, and on Deno
  // WebSockets end with it. So closing one server closes all WebSockets, and the other servers' clients reconnect.
  async #closeOne(one: Listening, timeoutMs?: number): Promise<void> {
    if (!this.#listening.includes(one)) return;
    const isLast = this.#listening.every((other) => other === one || other.stopped !== null);
    if (isLast) return await this.#closeAll(timeoutMs === undefined ? {} : { timeoutMs });
    this.#app[connectionsKey].closeAll(...GOING_AWAY);
    const stopped = stop(one, timeoutMs === 0);
    if (timeoutMs !== undefined) abortAfter(timeoutMs, stopped, () => one.platform.abort());
    await stopped;
    await this.#leave(one);
  }

  // a server that could not listen has been removed already
  async #leave(one: Listening): Promise<void> {
    if (!this.#listening.includes(one)) return;
    await one.platform.finished;
    this.#forget(one);
  }

  #forget(one: Listening): void {
    one.forgetSignal();
    this.#listening = this.#listening.filter((other) => other !== one);
  }

  // Servers cut their own. A mounted application leaves its host's streams alone.
  #cutStreams(): void {
    if (this.#listening.length === 0 && enclosingApp(this.#app) === undefined) {
      this.#app[openStreamsKey].cut(() => true);
    }
  }

  #cutAfter(timeoutMs: number, closing: Promise<void>): void {
    const all = this.#listening;
    const { resolve } = this.#deadline;
    const endDrain = this.#endDrain;
    abortAfter(timeoutMs, closing, () => {
      endDrain();
      this.#cutStreams();
      for (const { platform } of all) platform.abort();
      resolve();
    });
  }
}

// If a server cannot listen, its listeners get the error; without listeners, server.finished rejects. Unhandled, that
// crashes the process, as on Node.
function isHeard(server: Server): boolean {
  const { finished } = server;
  if (server.listenerCount("error") === 0) return false;
  finished.catch(() => {});
  return true;
}

function assertTime(name: string, ms: unknown): void {
  if (typeof ms === "number" && ms >= 0 && ms <= LONGEST_TIMER_MS) return;
  throw new RangeError(`app.close: ${name} must be from 0 to ${LONGEST_TIMER_MS}, not ${describe(ms)}`);
}

function stop(one: Listening, atOnce: boolean): Promise<void> {
  const { platform } = one;
  return one.stopped ??= atOnce && platform.cut !== undefined ? platform.cut() : platform.shutdown();
}

function abortAfter(timeoutMs: number, closing: Promise<void>, abort: () => void): void {
  const timer = setTimeout(abort, timeoutMs);
  const over = (): void => clearTimeout(timer);
  // close's caller gets the error
  closing.then(over, over);
}

// the caller's mistakes are thrown; system errors go to the callback, as in Express 5
function isUnavailable(error: unknown): boolean {
  return error instanceof Error && !(error instanceof TypeError) && !(error instanceof RangeError);
}

function closeOn(signal: AbortSignal, cut: () => void, listening: Listening): void {
  signal.addEventListener("abort", cut, { once: true });
  listening.forgetSignal = () => signal.removeEventListener("abort", cut);
}
