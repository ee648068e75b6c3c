/** Most seconds that Bun takes for a timeout. */
const MOST_SECONDS = 255;

/** Seconds in which Bun cuts a connection of no more use; it counts in steps of four. */
const AT_ONCE = 1;

/** The used part of Bun's server. */
interface TimedServer {
  /** Sets the seconds after which the connection of a request is cut if nothing moves on it, 0 for never. */
  timeout(request: Request, seconds: number): void;
}

/**
 * Converts a time limit for Bun.
 *
 * @param ms The limit in ms, 0 for none
 * @returns Seconds, at most as many as Bun takes
 */
export function bunSeconds(ms: number): number {
  return Math.min(Math.ceil(ms / 1000), MOST_SECONDS);
}

/**
 * Tells Bun which connections may be silent. It has one timeout for all of a connection once its first head has come,
 * and begins it anew with every request: while a handler waits, while a response is sent, and afterwards. Only the last
 * of these is meant by it, so a quiet event stream, or a long poll, is exempted.
 */
export class IdleTimeout {
  readonly #server: TimedServer;
  /** What Bun begins with at every request. */
  readonly #firstSeconds: number;
  #keepAliveMs: number;
  /** The request that was exempted last. */
  #exempt: Request | null = null;

  /**
   * @param server Bun's server
   * @param keepAliveMs ms that a connection is kept after a response, 0 for no limit: the timeout that the server was
   * made with
   */
  constructor(server: TimedServer, keepAliveMs: number) {
    this.#server = server;
    this.#firstSeconds = bunSeconds(keepAliveMs);
    this.#keepAliveMs = keepAliveMs;
  }

  /** ms that a connection is kept after a response, 0 for no limit. */
  get keepAliveMs(): number {
    return this.#keepAliveMs;
  }

  set keepAliveMs(ms: number) {
    this.#keepAliveMs = ms;
  }

  /** Exempts a request, whose response is waited for, or streamed. */
  allow(request: Request): void {
    this.#exempt = request;
    this.#server.timeout(request, 0);
  }

  /** Ends the exemption of a request. A response that was broken off leaves a connection behind that is of no use. */
  end(request: Request, isBroken: boolean): void {
    this.#exempt = null;
    this.#server.timeout(request, isBroken ? AT_ONCE : bunSeconds(this.#keepAliveMs));
  }

  /** Notes that a request was answered, in the turn in which it came, unless it is exempt. */
  passed(request: Request): void {
    const seconds = bunSeconds(this.#keepAliveMs);
    if (seconds !== this.#firstSeconds && this.#exempt !== request) this.#server.timeout(request, seconds);
    this.#exempt = null;
  }
}
