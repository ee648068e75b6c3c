import type { PlatformServer } from "../platform/platform.ts";

/** How an application is closed. */
export interface CloseOptions {
  /** ms after which connections that are still busy are cut; without it they are waited for. */
  timeoutMs?: number;
}

/** A listening server, as `app.listen` returns it. */
export class Server {
  #platform: PlatformServer;
  #close: (options: CloseOptions) => Promise<void>;
  #scheme: "http" | "https";

  /**
   * Wraps a server of the platform; `app.listen` does this.
   *
   * @param platform The platform's server
   * @param close Closes the application
   * @param isSecure Whether it speaks TLS
   */
  constructor(platform: PlatformServer, close: (options: CloseOptions) => Promise<void>, isSecure = false) {
    this.#platform = platform;
    this.#scheme = isSecure ? "https" : "http";
    this.#close = close;
  }

  /** The port it listens on. */
  get port(): number {
    return this.#platform.port;
  }

  /** The address it listens on. */
  get hostname(): string {
    return this.#platform.hostname;
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

  /**
   * Stops listening and answers what is in flight.
   *
   * @param callback Runs when all is over, or with the error
   */
  close(callback?: (error?: Error) => void): Promise<void> {
    const closed = this.#close({});
    if (callback !== undefined) closed.then(() => callback(), callback);
    return closed;
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
