import { detectPlatform } from "../platform/detect.ts";
import type { FetchHandler, ListenOptions, PlatformServer, Routed } from "../platform/platform.ts";
import type { OpenStream } from "../request/app_face.ts";
import type { Connections } from "../websocket/connections.ts";
import { type CloseOptions, Server } from "./server.ts";

/** Runs when an application listens, or with the error that kept it from doing so. */
export type ListenCallback = (error?: Error) => void;

/** What is open in an application. */
interface Owner extends Routed {
  readonly parent: unknown;
  readonly connections: Connections;
  readonly openStreams: Set<OpenStream>;
}

/** Listening and closing of one application. */
export class Lifecycle {
  readonly #app: Owner;
  #platform: PlatformServer | null = null;
  #server: Server | null = null;
  #closing: Promise<void> | null = null;
  #forgetSignal = (): void => {};
  /** When what is left of a closing is waited for no longer. */
  #deadline: Deferred = deferred();
  readonly #background = new Set<Promise<void>>();

  /** @param app The application: it has the open WebSockets, and the bodies being streamed */
  constructor(app: Owner) {
    this.#app = app;
  }

  /** The server, `null` unless listening. */
  get server(): Server | null {
    return this.#server;
  }

  /**
   * Listens.
   *
   * @param handler Answers requests
   * @param args Express's forms: `(port?, hostname?, backlog?, callback?)`, or options and a callback
   * @returns The server
   * @throws {Error} If it listens already
   * @throws If the port can't be had and there is no callback to tell
   */
  listen(handler: FetchHandler, args: readonly unknown[]): Server {
    if (this.#server !== null) {
      throw new Error("app.listen: the application listens already; close it first, or serve app.fetch a second time");
    }
    const callback = args.findLast((arg) => typeof arg === "function") as ListenCallback | undefined;
    try {
      const options = listenOptions(args.filter((arg) => typeof arg !== "function"));
      options.signal?.throwIfAborted();
      const platform = detectPlatform().serve(handler, options, this.#app);
      this.#platform = platform;
      const isSecure = options.cert !== undefined && options.key !== undefined;
      const server = this.#server = new Server(platform, (how) => this.close(how), isSecure);
      this.#closing = null;
      if (options.signal !== undefined) this.#closeOn(options.signal, platform);
      this.#announce(platform, server, callback);
      return server;
    } catch (error) {
      if (callback === undefined || !isUnavailable(error)) throw error;
      const server = new Server(neverListened(error), () => Promise.resolve());
      queueMicrotask(() => callback.call(server, error as Error));
      return server;
    }
  }

  // the application may have been closed and listen again, with another signal or none
  #closeOn(signal: AbortSignal, platform: PlatformServer): void {
    const close = (): void => {
      if (this.#platform === platform) void this.close({ timeoutMs: 0 });
    };
    signal.addEventListener("abort", close, { once: true });
    this.#forgetSignal = () => signal.removeEventListener("abort", close);
  }

  #announce(platform: PlatformServer, server: Server, callback: ListenCallback | undefined): void {
    if (callback !== undefined) server.once("listening", () => callback.call(server)).once("error", callback);
    const listening = (): void => {
      platform.finished.then(() => server.emit("close"), () => {});
      server.emit("listening");
    };
    if (platform.ready === undefined) return queueMicrotask(listening);
    platform.ready.then(listening, (error) => {
      if (this.#platform === platform) this.#platform = this.#server = null;
      if (server.listenerCount("error") === 0) return;
      // whoever listens has the error from there; others have it from server.finished
      platform.finished.catch(() => {});
      server.emit("error", error);
    });
  }

  /**
   * Follows work that goes on after an answer, so that closing waits for it.
   *
   * @param work The work
   * @param failed Is told why it failed
   * @returns Settles with the work, and never rejects
   */
  follow(work: PromiseLike<unknown>, failed: (error: unknown) => void): Promise<void> {
    const followed = Promise.resolve(work).then(() => {}, failed).finally(() => this.#background.delete(followed));
    this.#background.add(followed);
    return followed;
  }

  /**
   * Closes: no new connections, answers for what is in flight, 1001 for WebSockets.
   *
   * @param options When to cut what is left; or the callback
   * @param callback Runs when all is over
   */
  close(options?: CloseOptions | ListenCallback, callback?: ListenCallback): Promise<void> {
    const done = typeof options === "function" ? options : callback;
    const { timeoutMs } = typeof options === "function" || options === undefined ? {} : options;
    const closing = this.#closing ??= this.#begin(timeoutMs);
    if (timeoutMs !== undefined) this.#cutAfter(timeoutMs, closing);
    if (done !== undefined) closing.then(() => done(), done);
    return closing;
  }

  #begin(timeoutMs: number | undefined): Promise<void> {
    this.#deadline = deferred();
    return this.#shutDown(timeoutMs === 0, this.#deadline.promise).finally(() => this.#closing = null);
  }

  async #shutDown(atOnce: boolean, deadline: Promise<void>): Promise<void> {
    const { parent, connections } = this.#app;
    // a mounted application that does not listen leaves its parent's sockets alone
    if (this.#platform === null && parent !== undefined) return;
    connections.areClosing = true;
    try {
      connections.closeAll(1001, "The server is closing");
      await this.#end(this.#platform, atOnce, deadline);
    } finally {
      connections.areClosing = false;
    }
  }

  async #end(platform: PlatformServer | null, atOnce: boolean, deadline: Promise<void>): Promise<void> {
    const { connections } = this.#app;
    if (atOnce) this.#cutStreams();
    await (atOnce && platform?.cut !== undefined ? platform.cut() : platform?.shutdown());
    // nobody can cut work that never ends
    await Promise.race([Promise.all(this.#background), deadline]);
    await connections.closeBroker();
    // it could not listen, or listens again by now
    if (platform === null || this.#platform !== platform) return;
    await platform.finished;
    this.#forgetSignal();
    this.#platform = null;
    this.#server = null;
  }

  #cutStreams(): void {
    for (const stream of this.#app.openStreams) stream.destroy(new Error("The server was closed"));
  }

  #cutAfter(timeoutMs: number, closing: Promise<void>): void {
    const platform = this.#platform;
    const { resolve } = this.#deadline;
    const timer = setTimeout(() => {
      this.#cutStreams();
      platform?.abort();
      resolve();
    }, timeoutMs);
    closing.finally(() => clearTimeout(timer));
  }
}

/** A promise that somebody else settles. */
interface Deferred {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
}

// Node 20 has no Promise.withResolvers
function deferred(): Deferred {
  let resolve = (): void => {};
  const promise = new Promise<void>((done) => resolve = done);
  return { promise, resolve };
}

function listenOptions(args: readonly unknown[]): ListenOptions {
  const [first, second] = args;
  if (typeof first === "object" && first !== null) {
    const { host, path, ...options } = first as ListenOptions & { path?: unknown };
    if (path !== undefined) refusePath(path);
    if (host !== undefined) options.hostname ??= host;
    if (options.port !== undefined) options.port = checkedPort(options.port);
    return options;
  }
  const options: ListenOptions = {};
  if (first !== undefined && first !== null) options.port = checkedPort(first);
  if (typeof second === "string") options.hostname = second;
  return options;
}

function refusePath(path: unknown): never {
  throw new TypeError(
    `app.listen takes a port, not the path ${String(path)}; for a Unix socket hand app.fetch to the runtime's own ` +
      "server, as in Deno.serve({ path }, app.fetch)",
  );
}

function checkedPort(port: unknown): number {
  if (typeof port === "string" && port.includes("/")) refusePath(port);
  const number = typeof port === "string" && port.trim() !== "" ? Number(port) : port;
  if (typeof number !== "number") throw new TypeError(`app.listen takes a port as a number, not ${String(port)}`);
  if (Number.isInteger(number) && number >= 0 && number <= 65535) return number;
  throw new RangeError(`app.listen takes a port from 0 to 65535, not ${String(port)}`);
}

// caller mistakes are thrown; what the machine refuses goes to the callback, as in Express 5
function isUnavailable(error: unknown): boolean {
  return error instanceof Error && !(error instanceof TypeError) && !(error instanceof RangeError);
}

function neverListened(error: unknown): PlatformServer {
  const finished = Promise.reject(error);
  // the callback has the error already
  finished.catch(() => {});
  const nothing = () => {};
  return {
    port: 0,
    hostname: "",
    finished,
    shutdown: () => Promise.resolve(),
    abort: nothing,
    ref: nothing,
    unref: nothing,
  };
}
