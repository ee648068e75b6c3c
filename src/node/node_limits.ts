import type { Server } from "node:http";
import type { Http2SecureServer, ServerHttp2Session } from "node:http2";
import type { ServerCounts, ServerTimeouts } from "../platform/shared/platform.ts";
import { SEND_TIMEOUT_MS } from "../platform/shared/slow_clients.ts";
import { limitStreams } from "./stream_limit.ts";

/** All of a server's limits. */
export type NodeLimits = ServerTimeouts & ServerCounts;

/** The defaults. They repeat Node's own, because its HTTP/2 server has only some of them. */
const DEFAULTS: Readonly<Record<keyof NodeLimits, number | null>> = {
  keepAliveTimeout: 5000,
  headersTimeout: 60_000,
  requestTimeout: 300_000,
  timeout: 0,
  sendTimeout: SEND_TIMEOUT_MS,
  maxConnections: Infinity,
  // Node's representation of its own default, 2000
  maxHeadersCount: null,
  maxRequestsPerSocket: 0,
  maxStreams: 128,
};

/** Interval between Node's connection checks, in ms, unless a limit is shorter. */
const CHECKED_EVERY_MS = 30_000;

/**
 * Sets a server's limits. Node's limits become its properties, and so do our own two.
 *
 * @param server Node's server, before it listens
 * @param given Options with the limits that the program has set
 * @param reading Holds `sendTimeout`
 * @param sessions The server's open HTTP/2 connections
 * @returns The server, as its limits
 */
export function limitServer(
  server: Server | Http2SecureServer,
  given: Partial<NodeLimits>,
  reading: { timeoutMs: number },
  sessions: Iterable<ServerHttp2Session>,
): NodeLimits {
  let maxStreams = 0;
  const shown = { configurable: true, enumerable: true };
  Object.defineProperties(server, {
    sendTimeout: { get: () => reading.timeoutMs, set: (ms) => reading.timeoutMs = ms, ...shown },
    maxStreams: {
      get: () => maxStreams,
      set: (count) => limitStreams(server, sessions, maxStreams = count),
      ...shown,
    },
  });
  const present = server as unknown as NodeLimits & { connectionsCheckingInterval: number };
  for (const name of Object.keys(DEFAULTS) as (keyof NodeLimits)[]) present[name] = given[name] ?? DEFAULTS[name]!;
  const { headersTimeout, requestTimeout } = present;
  // as Node's constructor does; otherwise its check would confuse the two
  if (requestTimeout > 0 && headersTimeout > requestTimeout) present.headersTimeout = requestTimeout;
  const often = [headersTimeout, requestTimeout].filter((ms) => ms > 0).map((ms) => Math.ceil(ms / 2));
  present.connectionsCheckingInterval = Math.min(CHECKED_EVERY_MS, ...often);
  return present;
}

/** The first version in each Node release line that can share a port. */
const SHARING: readonly (readonly [major: number, minor: number])[] = [[22, 12], [23, 1]];

/**
 * Refuses to share a port where Node would ignore the option and listen alone.
 *
 * @param version Node's version
 * @throws {TypeError} If it is too old
 */
export function assertSharedPorts(version: string): void {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major > 23 || SHARING.some(([line, first]) => major === line && minor >= first)) return;
  throw new TypeError(
    `app.listen: reusePort needs Node 22.12, 23.1 or later, not ${version}; node:cluster shares a port on every version ` +
      "(docs/all-cores.md)",
  );
}
