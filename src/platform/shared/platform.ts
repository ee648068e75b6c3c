import type { EmitterMethods } from "../../util/emitter_methods.ts";
import type { ErrorReporter } from "../../exchange/call_guarded.ts";
import type { OpenStreams } from "../../exchange/open_streams.ts";
import type { RuntimeSupport } from "../../exchange/runtime_support.ts";
import type { openStreamsKey } from "../../exchange/app_like.ts";

/**
 * Where and how to listen, and the limits of the server.
 *
 * @example TLS, on an address of this machine alone
 * ```ts ignore
 * const [cert, key] = await Promise.all([Deno.readTextFile("cert.pem"), Deno.readTextFile("key.pem")]);
 * app.listen({ port: 443, hostname: "127.0.0.1", cert, key, headersTimeout: 10_000 });
 * ```
 */
export interface ListenOptions extends Partial<ServerTimeouts>, Partial<ServerCounts> {
  /** TCP port; a free one by default, as for 0. */
  port?: number;
  /** Address to listen on; all by default. On Deno and Bun the default is all IPv4 addresses, and `"::"` is all. */
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
   * Lets several processes share the port; the system spreads connections over them. Deno needs its flag
   * `--unstable-net` for it, Node version 22.12, 23.1 or later, and all of them Linux, or another system that can.
   */
  reusePort?: boolean;
}

/** Responds to a request; the other arguments are the platform's. */
export type AppFetch = (request: Request, info?: unknown, context?: unknown) => Response | Promise<Response>;

/** Something that can be served: an application. */
export interface Servable {
  /** Responds to a web request. */
  fetch(request: Request, info?: unknown): Response | Promise<Response>;
}

/** Something with routes: an application. It gets the errors of its server. */
export interface Routed extends ErrorReporter {
  /** Tells which paths may lead to a WebSocket route. */
  readonly fastMatcher: { leadsToSocket(path: string): boolean };
  /** Handlers that the server needs for WebSockets; only on Bun. */
  readonly websocket?: unknown;
  /** Bodies being streamed. */
  readonly [openStreamsKey]: OpenStreams;
  /** What a program has put in place of the application's `handle`, which then gets all requests; otherwise `null`. */
  readonly [replacedHandleKey]?: NodeHandle | null;
}

/** Key of what a program has put in place of an application's `handle`. */
export const replacedHandleKey: unique symbol = Symbol("sluice.replaced handle");

/** Handles a request of Node's server. */
export type NodeHandle = (req: object, res: object) => unknown;

/**
 * Time limits of a server in ms; 0 or `Infinity` for none. The names are those of Node's `http.Server`, and nginx's for
 * the last.
 */
export interface ServerTimeouts {
  /**
   * From a response to the next request; behind a load balancer, longer than the balancer's own. The default is 5 s as
   * in Node, and 60 s on Bun, which takes at most 255 s. Deno has no limit.
   */
  keepAliveTimeout: number;
  /**
   * For the headers of a request. The default is 60 s as in Node, to the next of Node's checks. Only on Node: Bun always
   * takes about 12 s for the first request of a connection, Deno has no limit.
   */
  headersTimeout: number;
  /** For a whole request, its body included. Node's default is 300 s; other runtimes have none. */
  requestTimeout: number;
  /** Without a byte in either direction. None by default, and only on Node. */
  timeout: number;
  /**
   * For a client that takes nothing of what was sent to it, 120 s by default. Each byte that the client takes starts
   * it anew; where the runtime does not tell that, each piece of a streamed body does.
   */
  sendTimeout: number;
}

/**
 * Quantity limits of a server; 0 or `Infinity` for none. The names are those of Node's `http.Server`, except the last.
 * Only on Node.
 */
export interface ServerCounts {
  /** Connections at a time; further ones are closed as they come. None by default. */
  maxConnections: number;
  /** Headers of a request; further ones are left out. Node's default is 2000. */
  maxHeadersCount: number;
  /** Requests on a connection; a further one is answered with 503. None by default. */
  maxRequestsPerSocket: number;
  /**
   * Requests of an HTTP/2 connection at a time, announced as `SETTINGS_MAX_CONCURRENT_STREAMS` (RFC 9113 section 5.1.2);
   * further ones are refused. 128 by default. Deno always takes 200.
   */
  maxStreams: number;
}

/** The name of a limit. */
export type LimitName = keyof ServerTimeouts | keyof ServerCounts;

/** Node's server, which can do more than the others. */
export interface NativeServer extends EmitterMethods {
  /** Counts the connections. */
  getConnections(callback: (error: Error | null, count: number) => void): unknown;
  /** Whether it listens already, which Node finds out asynchronously. */
  readonly listening: boolean;
}

/** A listening server, as a platform provides it. */
export interface PlatformServer {
  /** Node's own; absent elsewhere. */
  readonly native?: NativeServer;
  /** What has Node's server in its place; absent where the usual advice is right. */
  readonly advice?: string;
  /** Whether it speaks TLS; absent where the option `cert` tells. */
  readonly isEncrypted?: boolean;
  /** The limits it keeps, and no others; each may be set while it listens. */
  readonly limits: Partial<Record<LimitName, number | undefined>>;
  /** The port it listens on. */
  readonly port: number;
  /** The address it listens on. */
  readonly hostname: string;
  /** Whether it is bound; absent where it always is until it is down. */
  readonly listening?: boolean;
  /** Resolves when it listens, rejects if it cannot; absent where that is known synchronously. */
  readonly ready?: Promise<void>;
  /** Resolves when the server is down; rejects if it could not listen, or not again after it had lost its port. */
  readonly finished: Promise<void>;
  /**
   * Begins to end connections, each after its next response, while requests are still accepted. Absent where
   * responses say so by themselves, and nothing else is to be done.
   */
  drain?(): void;
  /** Stops accepting connections; resolves when the requests in flight have been answered. */
  shutdown(): Promise<void>;
  /** Responds to every request that is still waiting for its handler with 503. */
  abort(): void;
  /**
   * Cuts everything right away, instead of `shutdown`; for platforms that cannot once a shutdown has begun.
   *
   * @returns Resolves when the server is down
   */
  cut?(): Promise<void>;
  /** Keeps the process alive while listening. */
  ref(): void;
  /** Lets the process end although the server listens. */
  unref(): void;
}

/** How an upgrade is to be answered. */
export interface UpgradeOptions {
  /** The sub-protocol that was chosen, if any. */
  protocol?: string | undefined;
  /** Headers set before the upgrade. */
  headers?: Headers | undefined;
  /** ms after which a client that does not respond to pings counts as gone, 0 for never. */
  pingTimeoutMs: number;
  /** Bytes of a message; the connection is closed with 1009 if one is longer. */
  maxMessageBytes: number;
  /** The platform's third argument. */
  context?: unknown;
}

/** What a platform that keeps connections through a sleep saves of each. */
export interface KeptConnection {
  /** The sub-protocol that was chosen, `""` for none. */
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
   * Saves what the connection needs after a sleep, on platforms where it may sleep: called when it is accepted, and
   * after each of its handlers.
   *
   * @throws If something cannot be saved
   */
  keep?(connection: KeptConnection, handlers: object): void;
}

/** Limits of a server, under Bun's names. */
export interface ServerLimits {
  /** Seconds after which an idle connection is cut, 0 for never. */
  readonly idleTimeout: number;
  /** Bytes of a body above which a request is refused. */
  readonly maxRequestBodySize: number;
}

/** What an application needs of its process. */
export interface ProcessAccess {
  /** Name in messages. */
  readonly name: string;
  /** Reads an environment variable; `undefined` if it is not set, or must not be read. */
  env(name: string): string | undefined;
  /**
   * Tells how to let the program read an environment variable; `undefined` if it can. Then `env` returns what is set.
   *
   * @param name Name of the variable
   */
  unread?(name: string): string | undefined;
  /**
   * The `env` setting where `NODE_ENV` is not set: Express's `"development"` on runtimes on which programs are developed,
   * `"production"` where they only run once deployed, and mostly nobody sets that variable.
   */
  defaultEnv(): "development" | "production";
  /** Whether output goes to a terminal with colours. */
  colours(): boolean;
  /**
   * Keeps the isolate or process alive until a promise has settled, where it would stop with the response.
   *
   * @param promise Never rejects
   * @param info The platform's second argument
   * @param context The platform's third argument
   */
  waitUntil(promise: Promise<unknown>, info: unknown, context: unknown): void;
  /** Resolves when the runtime has looked for connections and bytes once more, without having slept. */
  nextPoll(): Promise<unknown>;
}

/** How the runtime serves an application. */
export interface Servers {
  /** Listens on a port; where the runtime cannot, throws an error that says what to do instead. */
  serve(handler: AppFetch, options: ListenOptions, app: Routed): PlatformServer;
  /** The limits that `serve` takes. */
  readonly listenLimits: readonly LimitName[] | "all";
  /** Limits that the server reads from an exported application; only for Bun. */
  readonly serverLimits?: ServerLimits;
  /** Makes what the runtime needs for its first response, before clients can connect. */
  prepare?(): void;
  /** Responds to a request that the runtime's server ought to have refused, where its URL does not show that any more. */
  refuse?(request: Request): Response | undefined;
  /** Responds to a request of a Node server, for `http.createServer(app)`. */
  handleNodeRequest?(app: Servable, req: object, res: object, next?: (error?: unknown) => void): void;
  /** Whether a function may be the default export; Workers take every function for a class. */
  readonly callableApps: boolean;
}

/** What makes servers: the platform, or another engine on the same runtime. */
export type ServerMaker = Pick<Servers, "serve" | "listenLimits"> & Pick<ProcessAccess, "name">;

/** How the runtime accepts WebSockets. */
export interface Upgrades {
  /** Accepts a WebSocket; where the runtime cannot, throws an `HttpError` 501 that says what to do instead. */
  upgrade(request: Request, info: unknown, options: UpgradeOptions): Upgrade;
  /**
   * Tells whether the client of a handshake disconnected while middleware waited, where an upgrade would not notice. If
   * not, the upgrade must follow in the same turn.
   */
  hasLeft?(request: Request): Promise<boolean>;
  /** Whether the header `Upgrade` is enough for a handshake, because the runtime itself checks those of clients. */
  readonly bareUpgrades?: boolean;
  /**
   * Makes the handlers that the server needs for WebSockets; only for Bun.
   *
   * @param maxMessageBytes Bytes of a message: the largest number that any route allows
   */
  socketHandlers?(maxMessageBytes: number): object;
}

/** What Sluice needs of a runtime; one small file for each in this folder. */
export interface Platform extends RuntimeSupport, ProcessAccess, Servers, Upgrades {}
