/** Maximum seconds that Bun accepts for a timeout. */
const MOST_SECONDS = 255;

/** Time until Bun cuts a connection that is no longer useful, in seconds; it counts in steps of four. */
const AT_ONCE = 1;

/** The part of Bun's server used here. */
interface TimedServer {
  /** Sets how long a request's connection may be idle, in seconds; 0 means no limit. */
  timeout(request: Request, seconds: number): void;
}

/**
 * Converts a time limit for Bun.
 *
 * @param ms The limit in ms; 0 means no limit
 * @returns Seconds, up to the maximum that Bun accepts
 */
export function bunSeconds(ms: number): number {
  return Math.min(Math.ceil(ms / 1000), MOST_SECONDS);
}

/**
 * Controls which connections Bun lets be silent. Bun has one timeout per connection, which starts once the first head
 * has arrived and restarts with every request. It runs while a handler waits, while a response is sent, and afterwards.
 * It is meant only for the last case, so a quiet event stream or a long poll is exempted.
 */
export class IdleTimeout {
  readonly #server: TimedServer;
  /** The timeout that Bun starts at every request. */
  readonly #firstSeconds: number;
  /** How long a connection is kept after a response, in ms; 0 means no limit. */
  keepAliveMs: number;
  /** The last exempted request. */
  #exempt: Request | null = null;

  /**
   * @param server Bun's server
   * @param keepAliveMs How long a connection is kept after a response, in ms, 0 for no limit: the server's initial
   * timeout
   */
  constructor(server: TimedServer, keepAliveMs: number) {
    this.#server = server;
    this.#firstSeconds = bunSeconds(keepAliveMs);
    this.keepAliveMs = keepAliveMs;
  }

  /** Exempts a request whose response is pending or streamed. */
  allow(request: Request): void {
    this.#exempt = request;
    this.#server.timeout(request, 0);
  }

  /** Ends a request's exemption. An aborted response leaves its connection useless. */
  end(request: Request, isBroken: boolean): void {
    this.#exempt = null;
    this.#server.timeout(request, isBroken ? AT_ONCE : bunSeconds(this.keepAliveMs));
  }

  /** Records a request that got its response on the tick it arrived, unless it is exempt. */
  passed(request: Request): void {
    const seconds = bunSeconds(this.keepAliveMs);
    if (seconds !== this.#firstSeconds && this.#exempt !== request) this.#server.timeout(request, seconds);
    this.#exempt = null;
  }
}
