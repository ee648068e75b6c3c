import { Emitter, listenedTo } from "../http/emitter.ts";
import type { EventName, Listener } from "../http/emitter_methods.ts";
import type { PlatformServer, ServerCounts, ServerTimeouts } from "../platform/platform.ts";

/** What a server tells by itself; the rest of Node's events belongs to Node's server, where there is one. */
const TOLD: ReadonlySet<EventName> = new Set(["listening", "error", "close"]);

/** What asks for an event by its name. */
const ASKING = [
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
 * A listening server, as `app.listen` returns it; it emits `listening`, `error` and `close`, and on Node what else an
 * `http.Server` emits.
 */
export class Server extends Emitter {
  #platform: PlatformServer;
  #close: (timeoutMs?: number) => Promise<void>;
  #isOpen: () => boolean;
  #scheme: "http" | "https";

  /**
   * Wraps a server of the platform; `app.listen` does this.
   *
   * @param platform The platform's server
   * @param close Closes it, and the application where it is the last server; what is busy is cut after so many ms
   * @param isOpen Tells whether nobody has begun to
   * @param isSecure Whether it speaks TLS
   */
  constructor(
    platform: PlatformServer,
    close: (timeoutMs?: number) => Promise<void>,
    isOpen: () => boolean,
    isSecure = false,
  ) {
    super();
    this.#platform = platform;
    this.#scheme = isSecure ? "https" : "http";
    this.#close = close;
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

  /** Whether it listens: not before it is bound, and no longer once it is being closed. */
  get listening(): boolean {
    return this.#isOpen() && this.#platform.native?.listening !== false;
  }

  /** A URL under which it can be reached from this machine. */
  get url(): URL {
    const host = this.hostname === "0.0.0.0" || this.hostname === "::" ? "localhost" : this.hostname;
    return new URL(`${this.#scheme}://${host.includes(":") ? `[${host}]` : host}:${this.port}/`);
  }

  /** Settles when the server is down. */
  get finished(): Promise<void> {
    return this.#platform.finished;
  }

  /** Where it listens, as Node's `server.address()`. */
  address(): { address: string; family: "IPv4" | "IPv6"; port: number } {
    return { address: this.hostname, family: this.hostname.includes(":") ? "IPv6" : "IPv4", port: this.port };
  }

  /** ms that an idle connection is kept, as Node's. Elsewhere the runtime decides: setting it warns, it reads as 0. */
  get keepAliveTimeout(): number {
    return this.#timeout("keepAliveTimeout");
  }

  set keepAliveTimeout(ms: number) {
    this.#limit("keepAliveTimeout", ms);
  }

  /** ms that the headers of a request may take, as Node's. Elsewhere as {@linkcode keepAliveTimeout}. */
  get headersTimeout(): number {
    return this.#timeout("headersTimeout");
  }

  set headersTimeout(ms: number) {
    this.#limit("headersTimeout", ms);
  }

  /** ms that a whole request may take, as Node's. Elsewhere as {@linkcode keepAliveTimeout}. */
  get requestTimeout(): number {
    return this.#timeout("requestTimeout");
  }

  set requestTimeout(ms: number) {
    this.#limit("requestTimeout", ms);
  }

  /** ms that a connection may be silent, as Node's. Elsewhere as {@linkcode keepAliveTimeout}. */
  get timeout(): number {
    return this.#timeout("timeout");
  }

  set timeout(ms: number) {
    this.#limit("timeout", ms);
  }

  /**
   * Sets {@linkcode Server.timeout}.
   *
   * @param ms The time
   * @param callback Listens to `timeout`, and is refused where that is
   */
  setTimeout(ms = 0, callback?: () => void): this {
    if (callback !== undefined) this.on("timeout", callback);
    this.timeout = ms;
    return this;
  }

  #timeout(name: keyof ServerTimeouts): number {
    return this.#platform.native?.[name] ?? 0;
  }

  /** Connections that are accepted at a time, as Node's. Elsewhere setting it warns and changes nothing. */
  get maxConnections(): number | undefined {
    return this.#platform.native?.maxConnections;
  }

  set maxConnections(count: number) {
    this.#limit("maxConnections", count);
  }

  /** Headers that a request may have, as Node's. Elsewhere as {@linkcode maxConnections}. */
  get maxHeadersCount(): number | undefined {
    return this.#platform.native?.maxHeadersCount;
  }

  set maxHeadersCount(count: number) {
    this.#limit("maxHeadersCount", count);
  }

  /** Requests that a connection may bring, as Node's. Elsewhere as {@linkcode maxConnections}. */
  get maxRequestsPerSocket(): number | undefined {
    return this.#platform.native?.maxRequestsPerSocket;
  }

  set maxRequestsPerSocket(count: number) {
    this.#limit("maxRequestsPerSocket", count);
  }

  #limit(name: keyof (ServerTimeouts & ServerCounts), value: number): void {
    if (typeof value !== "number" || !(value >= 0)) {
      const unit = name.startsWith("max") ? "" : " of milliseconds";
      throw new TypeError(`server.${name} must be a number${unit} from 0, not ${String(value)}`);
    }
    const { native } = this.#platform;
    if (native !== undefined) native[name] = value;
    else console.warn(`server.${name} = ${value} changes nothing: only Node lets its server's limits be set`);
  }

  /**
   * Counts the connections, as Node's.
   *
   * @param callback Gets the number, or elsewhere an error, for no other runtime tells
   */
  getConnections(callback: (error: Error | null, count?: number) => void): this {
    const { native } = this.#platform;
    if (native !== undefined) native.getConnections(callback);
    else queueMicrotask(() => callback(new Error("server.getConnections: only Node counts its server's connections")));
    return this;
  }

  /**
   * Stops listening and answers what is in flight, and closes the WebSockets of the application with 1001. The last of
   * its servers closes the application.
   *
   * @param callback Runs when all is over, or with the error: as with Node's, `ERR_SERVER_NOT_RUNNING` where it was
   * closed, or being closed, already
   * @returns The server, as Node's
   */
  close(callback: (error?: Error) => void): this;
  /**
   * The same without a callback.
   *
   * @returns Settles when all is over
   */
  close(callback?: undefined): Promise<void>;
  /** The same where there may be a callback. */
  close(callback?: (error?: Error) => void): this | Promise<void>;
  close(callback?: (error?: Error) => void): this | Promise<void> {
    const wasOpen = this.#isOpen();
    const closed = this.#close();
    if (callback === undefined) return closed;
    // no promise beside it: mocha refuses a hook that is given both, as after((done) => server.close(done))
    closed.then(() => wasOpen ? callback() : callback(notRunning()), callback);
    return this;
  }

  /**
   * Closes the server, as {@linkcode Server.close} does, at the end of the block that says `await using`.
   *
   * @returns Settles when all is over, and at once where it was closed already
   */
  [Symbol.asyncDispose](): Promise<void> {
    return this.#close();
  }

  /** Cuts what is still open; where it listens, it closes. */
  closeAllConnections(): void {
    void this.#close(0);
  }

  /** Accepted: `close` ends idle connections by itself. */
  closeIdleConnections(): void {}

  // socket.io, ws and what shuts a server down are given one: they listen, and some put themselves before who does already
  static {
    for (const name of ASKING) {
      const here = Server.prototype[name] as (event?: EventName, ...rest: unknown[]) => unknown;
      const value = function (this: Server, event?: EventName, ...rest: unknown[]): unknown {
        const native = event === undefined || TOLD.has(event) ? undefined : this.#platform.native;
        if (native === undefined) return here.call(this, event, ...rest);
        const result = (native[name] as typeof here)(event, ...rest);
        return result === native ? this : result;
      };
      Object.defineProperty(Server.prototype, name, { value, writable: true, configurable: true });
    }
  }

  /**
   * Refuses listeners for anything but `listening`, `error` and `close` where there is no server of Node's.
   *
   * @throws {TypeError} For other events, which would never come
   */
  override [listenedTo](event: EventName): void {
    assertTold("on", event);
  }

  /**
   * The listeners of an event.
   *
   * @throws {TypeError} For events of an `http.Server` where there is none: socket.io would take their listeners over
   */
  override listeners(event: EventName): Listener[] {
    assertTold("listeners", event);
    return super.listeners(event);
  }

  /**
   * Refused; it is here because socket.io takes what cannot listen for its options, and then serves nobody.
   *
   * @throws {Error} Always, for it listens already
   */
  listen(): never {
    throw new Error("server.listen: app.listen has made a server that listens already");
  }

  /** Keeps the process alive while listening, as is the default. */
  ref(): this {
    this.#platform.ref();
    return this;
  }

  /** Lets the process end while listening. */
  unref(): this {
    this.#platform.unref();
    return this;
  }
}

function notRunning(): Error {
  return Object.assign(new Error("server.close: the server is not running"), { code: "ERR_SERVER_NOT_RUNNING" });
}

function assertTold(method: string, event: EventName): void {
  if (TOLD.has(event)) return;
  throw new TypeError(
    `server.${method}("${String(event)}"): what app.listen returns is no http.Server; make one, ` +
      'const server = http.createServer(app), beside import "@sluice/sluice/node", and call server.listen(port)',
  );
}
