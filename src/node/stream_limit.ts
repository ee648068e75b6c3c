import type { Server } from "node:http";
import type { Http2SecureServer, ServerHttp2Session } from "node:http2";

/** The largest HTTP/2 setting value, which is Node's default: no limit (RFC 9113 section 6.5.1). */
const NO_LIMIT = 2 ** 32 - 1;

/** Limits the streams on each HTTP/2 connection, and so the handlers that one client can keep running. */
export class StreamLimit {
  readonly #server: Server | Http2SecureServer;
  readonly #sessions: Iterable<ServerHttp2Session>;
  #most = 0;

  /**
   * @param server Node's server; without TLS it has no HTTP/2, so the limit has no effect
   * @param sessions Its open HTTP/2 connections
   */
  constructor(server: Server | Http2SecureServer, sessions: Iterable<ServerHttp2Session>) {
    this.#server = server;
    this.#sessions = sessions;
  }

  /** Maximum concurrent streams per connection, 0 for no limit. */
  get most(): number {
    return this.#most;
  }

  set most(count: number) {
    this.#most = count;
    if (!("updateSettings" in this.#server)) return;
    const settings = { maxConcurrentStreams: count === 0 ? NO_LIMIT : Math.min(count, NO_LIMIT) };
    this.#server.updateSettings(settings);
    for (const session of this.#sessions) session.settings(settings);
  }
}
