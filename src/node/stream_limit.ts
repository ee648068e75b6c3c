import type { Server } from "node:http";
import type { Http2SecureServer, ServerHttp2Session } from "node:http2";

/** The largest HTTP/2 setting value, which is Node's default: no limit (RFC 9113 section 6.5.1). */
const NO_LIMIT = 2 ** 32 - 1;

/**
 * Limits the streams on each HTTP/2 connection, and so the handlers that one client can keep running.
 *
 * @param server Node's server; without TLS it has no HTTP/2, so the limit has no effect
 * @param sessions Its open HTTP/2 connections
 * @param most Maximum concurrent streams per connection, 0 for no limit
 */
export function limitStreams(
  server: Server | Http2SecureServer,
  sessions: Iterable<ServerHttp2Session>,
  most: number,
): void {
  if (!("updateSettings" in server)) return;
  const settings = { maxConcurrentStreams: most === 0 ? NO_LIMIT : Math.min(most, NO_LIMIT) };
  server.updateSettings(settings);
  for (const session of sessions) session.settings(settings);
}
