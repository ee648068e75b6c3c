import type { EmitterMethods } from "../../util/emitter_methods.ts";
import type { ErrorReporter } from "../../exchange/call_guarded.ts";
import type { OpenStreams } from "../../exchange/open_streams.ts";
import type { RuntimeSupport } from "../../exchange/runtime_support.ts";
import type { openStreamsKey } from "../../exchange/app_like.ts";

/**
 * Where and how to listen, and the server's limits.
 *
 * @example TLS, on an address of this machine only
 * ```ts ignore
 * const [cert, key] = await Promise.all([Deno.readTextFile("cert.pem"), Deno.readTextFile("key.pem")]);
 * app.listen({ port: 443, hostname: "127.0.0.1", cert, key, headersTimeout: 10_000 });
 * ```
 */
export interface ListenOptions extends Partial<ServerTimeouts>, Partial<ServerCounts> {
  /** TCP port; a free one by default or if 0. */
  port?: number;
  /**
   * Address to listen on; all addresses by default. On Deno and Bun, the default is all IPv4 addresses, and `"::"` is
   * all addresses.
   */
  hostname?: string;
  /** Node's name for `hostname`. */
  host?: string;
  /** Closes the server when aborted. */
  signal?: AbortSignal;
  /** Certificate chain in PEM, for TLS. */
  cert?: string;
  /** Private key in PEM, for TLS. */
  key?: string;
  /**
   * Lets several processes share the port; the system distributes connections among them. Needs the `--unstable-net`
   * flag on Deno, Node 22.12, 23.1 or later, and Linux or another system with support.
   */
  reusePort?: boolean;
}

/** Responds to a request; the other arguments are the platform's. */
export type AppFetch = (request: Request, info?: unknown, context?: unknown) => Response | Promise<Response>;

/** An application that can be served. */
export interface Servable {
  /** Responds to a web request. */
  fetch(request: Request, info?: unknown): Response | Promise<Response>;
}

/** An application with routes. It receives its server's errors. */
export interface Routed extends ErrorReporter {
  /** Returns which paths may lead to a WebSocket route. */
  readonly fastMatcher: { leadsToSocket(path: string): boolean };
  /** The server's WebSocket handlers; only on Bun. */
  readonly websocket?: unknown;
  /** The bodies being streamed. */
  readonly [openStreamsKey]: OpenStreams;
  /** The program's replacement for the application's `handle`, which then gets all requests; otherwise `null`. */
  readonly [replacedHandleKey]?: NodeHandle | null;
}

/** Key of a program's replacement for an application's `handle`. */
export const replacedHandleKey: unique symbol = Symbol("sluice.replaced handle");

/** Handles a request from Node's server. */
export type NodeHandle = (req: object, res: object) => unknown;

/**
 * A server's time limits in ms; 0 or `Infinity` means no limit. The names come from Node's `http.Server`, except the
 * last, which comes from nginx.
 */
export interface ServerTimeouts {
  /**
   * Between a response and the next request; behind a load balancer, set it longer than the balancer's own. Default: 5
   * s as in Node, and 60 s on Bun, which accepts at most 255 s. Deno has no limit.
   */
  keepAliveTimeout: number;
  /**
   * For a request's headers. Default: 60 s as in Node, up to Node's next check. Node only: Bun always allows about 12 s
   * for the first request on a connection; Deno has no limit.
   */
  headersTimeout: number;
  /** For a whole request, including its body. Node's default is 300 s; other runtimes have no limit. */
  requestTimeout: number;
  /** Without a byte in either direction. None by default; Node only. */
  timeout: number;
  /**
   * For a client that reads no data, 120 s by default. Each byte it reads restarts the limit; if the runtime does not
   * report that, each piece from a streamed body does.
   */
  sendTimeout: number;
}

/**
 * A server's quantity limits; 0 or `Infinity` means no limit. The names come from Node's `http.Server`, except the
 * last. Node only.
 */
export interface ServerCounts {
  /** Concurrent connections; further ones are closed on arrival. No limit by default. */
  maxConnections: number;
  /** Headers per request; further ones are dropped. Node's default is 2000. */
  maxHeadersCount: number;
  /** Requests per connection; further ones get a 503. No limit by default. */
  maxRequestsPerSocket: number;
  /**
   * Concurrent requests on an HTTP/2 connection, announced as `SETTINGS_MAX_CONCURRENT_STREAMS` (RFC 9113 section
   * 5.1.2); further ones are refused. 128 by default. Deno always allows 200.
   */
  maxStreams: number;
}

/** A limit's name. */
export type LimitName = keyof ServerTimeouts | keyof ServerCounts;

/** Node's server, which supports more than other servers do. */
export interface NativeServer extends EmitterMethods {
  /** Counts the connections. */
  getConnections(callback: (error: Error | null, count: number) => void): unknown;
  /** Whether it is already listening, which Node determines asynchronously. */
  readonly listening: boolean;
}

/** A listening server, as a platform provides it. */
export interface PlatformServer {
  /** Node's own server; absent elsewhere. */
  readonly native?: NativeServer;
  /** Advice on how to get Node's server instead; absent if the usual advice applies. */
  readonly advice?: string;
  /** Whether it uses TLS; absent if the option `cert` shows it. */
  readonly isEncrypted?: boolean;
  /** Only the limits it enforces; each can be changed while it listens. */
  readonly limits: Partial<Record<LimitName, number | undefined>>;
  /** The port it listens on. */
  readonly port: number;
  /** The address it listens on. */
  readonly hostname: string;
  /** Whether it is bound; absent if it stays bound until it is down. */
  readonly listening?: boolean;
  /** Resolves when it listens, rejects if it cannot; absent if that is known synchronously. */
  readonly ready?: Promise<void>;
  /** Resolves when the server is down; rejects if it could not listen, at first or after losing its port. */
  readonly finished: Promise<void>;
  /**
   * Starts closing each connection after its next response, while requests are still accepted. Absent if the responses'
   * own headers suffice.
   */
  drain?(): void;
  /** Stops accepting connections; resolves once in-flight requests have completed. */
  shutdown(): Promise<void>;
  /** Responds with 503 to every request still waiting for its handler. */
  abort(): void;
  /**
   * Cuts everything immediately instead of `shutdown`; for platforms that cannot do so after starting to shut down.
   *
   * @returns Resolves when the server is down
   */
  cut?(): Promise<void>;
  /** Keeps the process alive while listening. */
  ref(): void;
  /** Lets the process end while the server listens. */
  unref(): void;
}

/** How to respond to an upgrade. */
export interface UpgradeOptions {
  /** The selected sub-protocol, if any. */
  protocol?: string | undefined;
  /** Headers set before the upgrade. */
  headers?: Headers | undefined;
  /** Time without a response to pings before a client counts as disconnected, in ms; 0 means never. */
  pingTimeoutMs: number;
  /** Maximum bytes per message; a longer one closes the connection with 1009. */
  maxMessageBytes: number;
  /** The platform's third argument. */
  context?: unknown;
}

/** Data that a platform with hibernation saves for each connection. */
export interface KeptConnection {
  /** The selected sub-protocol, or `""` if there is none. */
  readonly protocol: string;
  /** The value of `ws.data`. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** An accepted WebSocket: the web's `WebSocket`, and the response to the handshake. */
export interface Upgrade {
  /** The server's end of the connection. */
  readonly socket: WebSocket;
  /** The response; some platforms need this very object back. */
  readonly response: Response;
  /**
   * Saves the data that the connection needs after hibernation, on platforms that hibernate. Called when the connection
   * is accepted and after each of its handlers.
   *
   * @throws If a value cannot be saved
   */
  keep?(connection: KeptConnection, handlers: object): void;
}

/** A server's limits under Bun's names. */
export interface ServerLimits {
  /** Idle time before a connection is cut, in seconds; 0 means never. */
  readonly idleTimeout: number;
  /** Maximum bytes per body; a request with a larger one is refused. */
  readonly maxRequestBodySize: number;
}

/** The access to its process that an application needs. */
export interface ProcessAccess {
  /** Name in messages. */
  readonly name: string;
  /** Reads an environment variable; `undefined` if it is not set or must not be read. */
  env(name: string): string | undefined;
  /**
   * Returns how to let the program read an environment variable; `undefined` if `env` can already read it.
   *
   * @param name Name of the variable
   */
  unread?(name: string): string | undefined;
  /**
   * Default for the `env` setting without `NODE_ENV`: Express's `"development"` on runtimes used for development,
   * `"production"` on runtimes that only run deployed programs, where that variable is rarely set.
   */
  defaultEnv(): "development" | "production";
  /** Whether output goes to a terminal with colors. */
  colours(): boolean;
  /**
   * Keeps the isolate or process alive until a promise has settled if it would otherwise stop with the response.
   *
   * @param promise Never rejects
   * @param info The platform's second argument
   * @param context The platform's third argument
   */
  waitUntil(promise: Promise<unknown>, info: unknown, context: unknown): void;
  /** Resolves when the runtime has polled for connections and bytes once more, without sleeping. */
  nextPoll(): Promise<unknown>;
}

/** How the runtime serves an application. */
export interface Servers {
  /** Listens on a port; if the runtime cannot, throws an error with advice. */
  serve(handler: AppFetch, options: ListenOptions, app: Routed): PlatformServer;
  /** The limits that `serve` accepts. */
  readonly listenLimits: readonly LimitName[] | "all";
  /** Limits that the server reads from an exported application; only on Bun. */
  readonly serverLimits?: ServerLimits;
  /** Prepares the runtime for its first response, before clients can connect. */
  prepare?(): void;
  /** Responds to a request that the runtime's server should have rejected, when the URL no longer shows why. */
  refuse?(request: Request): Response | undefined;
  /** Responds to a request from a Node server, for `http.createServer(app)`. */
  handleNodeRequest?(app: Servable, req: object, res: object, next?: (error?: unknown) => void): void;
  /** Whether a function may be the default export; Workers treat every function as a class. */
  readonly callableApps: boolean;
}

/** Creates servers: the platform, or a different engine on the same runtime. */
export type ServerMaker = Pick<Servers, "serve" | "listenLimits"> & Pick<ProcessAccess, "name">;

/** How the runtime accepts WebSockets. */
export interface Upgrades {
  /** Accepts a WebSocket; if the runtime cannot, throws an `HttpError` 501 with advice. */
  upgrade(request: Request, info: unknown, options: UpgradeOptions): Upgrade;
  /**
   * Returns whether the client disconnected while middleware waited, on runtimes where the upgrade would not notice. If
   * it is still connected, the upgrade must follow on the same tick.
   */
  hasDisconnected?(request: Request): Promise<boolean>;
  /** Whether an `Upgrade` header alone makes a handshake, because the runtime itself checks clients' handshakes. */
  readonly bareUpgrades?: boolean;
  /**
   * Creates the server's WebSocket handlers; only on Bun.
   *
   * @param maxMessageBytes Maximum bytes per message: the largest number that any route allows
   */
  socketHandlers?(maxMessageBytes: number): object;
}

/** Everything Sluice needs from a runtime; implemented by one small file per runtime in this folder. */
export interface Platform extends RuntimeSupport, ProcessAccess, Servers, Upgrades {}
