import { Emitter, listenedTo } from "../util/emitter.ts";
import type { EventName, Listener } from "../util/emitter_methods.ts";
import type { LimitName, PlatformServer } from "../platform/shared/platform.ts";
import { checkedLimit, TIMEOUTS } from "./server_limits.ts";

/** Events a server emits itself; other events come from Node's server, if there is one. */
const OWN_EVENTS: ReadonlySet<EventName> = new Set(["listening", "error", "close"]);

/** Emitter methods that accept an event name. */
const EVENT_METHODS = [
  "on",
  "once",
  "prependListener",
  "prependOnceListener",
  "off",
  "removeAllListeners",
  "emit",
  "listenerCount",
  "listeners",
  "rawListeners",
] as const;

/**
 * A listening server, as returned by `app.listen`. It emits `listening`, `error` and `close` and, on Node, every other
 * event of an `http.Server`.
 *
 * @example Where it listens
 * ```ts
 * import sluice from "@sluice/sluice";
 *
 * const app = sluice();
 * const server = app.listen(0, () => {
 *   console.log(server.port > 0); // true
 *   app.close();
 * });
 * ```
 */
export class Server extends Emitter {
  #platform: PlatformServer;
  #close: (timeoutMs?: number) => Promise<void>;
  #cut: () => void;
  #isOpen: () => boolean;
  #scheme: "http" | "https";
  #finished: Promise<void> | undefined;

  /**
   * Wraps the platform's server; `app.listen` does this.
   *
   * @param platform The platform's server
   * @param close Closes it, and with the last server the application; cuts connections still busy after the given ms
   * @param cut Closes it at once; failures are logged, because the result is not awaited
   * @param isOpen Returns `true` until closing begins
   * @param isSecure Whether it speaks TLS
   */
  constructor(
    platform: PlatformServer,
    close: (timeoutMs?: number) => Promise<void>,
    cut: () => void,
    isOpen: () => boolean,
    isSecure = false,
  ) {
    super();
    this.#platform = platform;
    this.#scheme = isSecure ? "https" : "http";
    this.#close = close;
    this.#cut = cut;
    this.#isOpen = isOpen;
  }

  /** The port it listens on. */
  get port(): number {
    return this.#platform.port;
  }

  /** The address it listens on. */
  get hostname(): string {
    return this.#platform.hostname;
  }

  /**
   * Whether it listens: true once it is bound, until closing begins. On Deno, it is also false while the server tries
   * to listen again, having lost its port because the process ran out of file descriptors.
   */
  get listening(): boolean {
    const { native, listening } = this.#platform;
    return this.#isOpen() && (native?.listening ?? listening) !== false;
  }

  /** A URL that reaches it from this machine. */
  get url(): URL {
    const host = this.hostname === "0.0.0.0" || this.hostname === "::" ? "localhost" : this.hostname;
    return new URL(`${this.#scheme}://${host.includes(":") ? `[${host}]` : host}:${this.port}/`);
  }

  /**
   * Resolves when the server has stopped. Rejects if it could not listen, or could not listen again after losing its
   * port; an unhandled rejection crashes the process.
   */
  get finished(): Promise<void> {
    // a separate promise, which stays unhandled even if the platform's was handled
    return this.#finished ??= this.#platform.finished.then(() => {});
  }

  /** Returns where it listens, like Node's `server.address()`; `null` (not in the type) once closing begins. */
  address(): { address: string; family: "IPv4" | "IPv6"; port: number } {
    if (!this.#isOpen()) return null!;
    return { address: this.hostname, family: this.hostname.includes(":") ? "IPv6" : "IPv4", port: this.port };
  }

  /** Time in ms to keep an idle connection open after a response. On Deno, setting it warns and it reads as 0. */
  declare keepAliveTimeout: number;
  /** Time in ms for a request's headers to arrive. Node only, like {@linkcode requestTimeout}. */
  declare headersTimeout: number;
  /** Time in ms for a whole request to arrive. Node only: elsewhere, setting it warns and it reads as 0. */
  declare requestTimeout: number;
  /** Time in ms that a connection may be silent. Node only, like {@linkcode requestTimeout}. */
  declare timeout: number;
  /** Time in ms within which a client must receive some of the data sent to it; see `sendTimeout` of `app.listen`. */
  declare sendTimeout: number;

  /**
   * Sets {@linkcode Server.timeout}.
   *
   * @param ms The time in ms
   * @param callback Added as a `timeout` listener, which only Node's server supports
   */
  setTimeout(ms = 0, callback?: () => void): this {
    if (callback !== undefined) this.on("timeout", callback);
    this.timeout = ms;
    return this;
  }

  /** Maximum number of concurrent connections. Node only: elsewhere, setting it warns and changes nothing. */
  get maxConnections(): number | undefined {
    return this.#platform.limits.maxConnections;
  }

  set maxConnections(count: number) {
    this.#limit("maxConnections", count);
  }

  /** Maximum number of headers in a request. Node only, like {@linkcode maxConnections}. */
  get maxHeadersCount(): number | undefined {
    return this.#platform.limits.maxHeadersCount;
  }

  set maxHeadersCount(count: number) {
    this.#limit("maxHeadersCount", count);
  }

  /** Maximum number of requests on one connection. Node only, like {@linkcode maxConnections}. */
  get maxRequestsPerSocket(): number | undefined {
    return this.#platform.limits.maxRequestsPerSocket;
  }

  set maxRequestsPerSocket(count: number) {
    this.#limit("maxRequestsPerSocket", count);
  }

  /** Maximum number of concurrent requests on an HTTP/2 connection. Node only, like {@linkcode maxConnections}. */
  get maxStreams(): number | undefined {
    return this.#platform.limits.maxStreams;
  }

  set maxStreams(count: number) {
    this.#limit("maxStreams", count);
  }

  #limit(name: LimitName, value: number): void {
    const { limits } = this.#platform;
    const checked = checkedLimit("server.", name, value);
    if (name in limits) limits[name] = checked;
    else {console.warn(
        `server.${name} = ${value} has no effect: this runtime's server does not support setting that limit`,
      );}
  }

  /**
   * Counts the open connections; Node only.
   *
   * @param callback Receives the count, or on other runtimes an error
   */
  getConnections(callback: (error: Error | null, count?: number) => void): this {
    const { native } = this.#platform;
    const { advice = "only Node counts its server's connections" } = this.#platform;
    if (native !== undefined) native.getConnections(callback);
    else queueMicrotask(() => callback(new Error(`server.getConnections: ${advice}`)));
    return this;
  }

  /**
   * Stops listening, finishes in-flight requests, and closes the application's WebSockets with code 1001. Closing the
   * last server closes the application.
   *
   * @param callback Runs when everything is closed, or with the error: as on Node, `ERR_SERVER_NOT_RUNNING` if closing
   * had already begun
   * @returns The server, as on Node
   */
  close(callback: (error?: Error) => void): this;
  /**
   * The same without a callback.
   *
   * @returns Resolves when everything is closed
   */
  close(callback?: undefined): Promise<void>;
  /** The same with an optional callback. */
  close(callback?: (error?: Error) => void): this | Promise<void>;
  close(callback?: (error?: Error) => void): this | Promise<void> {
    const wasOpen = this.#isOpen();
    const closed = this.#close();
    // ignores other values, as Node does, such as the signal in process.on("SIGTERM", server.close.bind(server))
    if (typeof callback !== "function") return closed;
    // returns no promise here: mocha rejects hooks that use both, as in after((done) => server.close(done))
    closed.then(() => wasOpen ? callback() : callback(notRunning()), callback);
    return this;
  }

  /**
   * Closes the server like {@linkcode Server.close}, when a block with `await using` ends.
   *
   * @returns Settles when everything has ended; at once if the server was already closed
   */
  [Symbol.asyncDispose](): Promise<void> {
    return this.#close();
  }

  /** Cuts all connections, and closes the server if it listens. */
  closeAllConnections(): void {
    this.#cut();
  }

  /** Does nothing: `close` ends idle connections itself. */
  closeIdleConnections(): void {}

  static {
    for (const name of Object.keys(TIMEOUTS) as (keyof typeof TIMEOUTS)[]) {
      Object.defineProperty(this.prototype, name, {
        get(this: Server) {
          return this.#platform.limits[name] ?? 0;
        },
        set(this: Server, ms: number) {
          this.#limit(name, ms);
        },
        configurable: true,
      });
    }
  }

  // on Node, socket.io, ws and graceful shutdown packages listen to the server; some replace existing listeners
  static {
    for (const name of EVENT_METHODS) {
      const here = Server.prototype[name] as (event?: EventName, ...rest: unknown[]) => unknown;
      const value = function (this: Server, event?: EventName, ...rest: unknown[]): unknown {
        const native = event === undefined || OWN_EVENTS.has(event) ? undefined : this.#platform.native;
        if (native === undefined) return here.call(this, event, ...rest);
        const result = (native[name] as typeof here)(event, ...rest);
        return result === native ? this : result;
      };
      Object.defineProperty(Server.prototype, name, { value, writable: true, configurable: true });
    }
  }

  /**
   * Throws for events other than `listening`, `error` and `close` unless there is a Node server.
   *
   * @throws {TypeError} For other events, which would never be emitted
   */
  override [listenedTo](event: EventName): void {
    assertOwnEvent("on", event, this.#platform.advice);
  }

  /**
   * Returns the listeners for an event.
   *
   * @throws {TypeError} For `http.Server` events without such a server: socket.io would take over their listeners
   */
  override listeners(event: EventName): Listener[] {
    assertOwnEvent("listeners", event, this.#platform.advice);
    return super.listeners(event);
  }

  /**
   * Always throws. It exists because socket.io mistakes an object without `listen` for options, and then serves
   * nothing.
   *
   * @throws {Error} Always: the server is already listening
   */
  listen(): never {
    throw new Error("server.listen: the server from app.listen is already listening");
  }

  /** Keeps the process alive while listening, which is the default. */
  ref(): this {
    this.#platform.ref();
    return this;
  }

  /** Lets the process exit even while the server listens. */
  unref(): this {
    this.#platform.unref();
    return this;
  }
}

function notRunning(): Error {
  return Object.assign(new Error("server.close: the server is not running"), { code: "ERR_SERVER_NOT_RUNNING" });
}

const ADVICE =
  "app.listen does not return an http.Server; create one, const server = http.createServer(app), next to " +
  'import "@sluice/sluice/node", and call server.listen(port)';

function assertOwnEvent(method: string, event: EventName, advice = ADVICE): void {
  if (OWN_EVENTS.has(event)) return;
  throw new TypeError(`server.${method}("${String(event)}"): ${advice}`);
}
