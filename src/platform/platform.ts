import type { EmitterMethods } from "../http/emitter_methods.ts";
import type { RuntimeFace } from "../request/app_face.ts";

/** Where and how to listen. */
export interface ListenOptions {
  /** TCP port, 3000 by default; 0 picks a free one. */
  port?: number;
  /** Address to listen on; all by default, on Deno and Bun all of IPv4, where `"::"` is all. */
  hostname?: string;
  /** The same by Node's name. */
  host?: string;
  /** Closes the server when it aborts. */
  signal?: AbortSignal;
  /** Certificate chain in PEM, for TLS. */
  cert?: string;
  /** Private key in PEM, for TLS. */
  key?: string;
  /** Lets several processes share the port. */
  reusePort?: boolean;
}

/** Answers one request; the other arguments are whatever the platform passes. */
export type FetchHandler = (request: Request, info?: unknown, context?: unknown) => Response | Promise<Response>;

/** What can be served: an application. */
export interface Servable {
  /** Answers a web request. */
  fetch(request: Request, info?: unknown): Response | Promise<Response>;
}

/** Something with routes: an application. */
export interface Routed {
  /** Tells which paths may lead to a socket route. */
  readonly router: { leadsToSocket(path: string): boolean };
}

/** What a server lets connections take, in ms; 0 is no limit. The names are those of Node's `http.Server`. */
export interface ServerTimeouts {
  /** From an answer to the next request: behind a balancer, longer than the balancer's own. Node has 5 s. */
  keepAliveTimeout: number;
  /** For the headers of a request. Node has 60 s. */
  headersTimeout: number;
  /** For the whole of a request. Node has 300 s. */
  requestTimeout: number;
  /** Without a byte in either direction. Node has none. */
  timeout: number;
}

/** How much a server takes at a time; 0 is no limit. The names are those of Node's `http.Server`. */
export interface ServerCounts {
  /** Connections at a time. */
  maxConnections: number;
  /** Headers of a request. Node has 2000. */
  maxHeadersCount: number;
  /** Requests on a connection. */
  maxRequestsPerSocket: number;
}

/** Node's server, which can do more than the others. */
export interface NativeServer extends EmitterMethods, ServerTimeouts, ServerCounts {
  /** Counts the connections. */
  getConnections(callback: (error: Error | null, count: number) => void): unknown;
  /** Whether it listens already: it finds that out asynchronously. */
  readonly listening: boolean;
}

/** A listening server, as a platform provides it. */
export interface PlatformServer {
  /** Node's own; absent elsewhere. */
  readonly native?: NativeServer;
  /** The port it listens on. */
  readonly port: number;
  /** The address it listens on. */
  readonly hostname: string;
  /** Settles when it listens, or with what kept it from doing so; absent where that is known at once. */
  readonly ready?: Promise<void>;
  /** Settles when the server is down. */
  readonly finished: Promise<void>;
  /** Stops accepting; settles when what is in flight has been answered. */
  shutdown(): Promise<void>;
  /** Answers every request that is still waiting for its handler with 503. */
  abort(): void;
  /**
   * Ends everything at once, in place of shutting down: for platforms that cannot any more once that has begun.
   *
   * @returns Settles when the server is down
   */
  cut?(): Promise<void>;
  /** Keeps the process alive while listening. */
  ref(): void;
  /** Lets the process end while listening. */
  unref(): void;
}

/** How an upgrade is to be answered. */
export interface UpgradeOptions {
  /** The sub-protocol that was chosen, if any. */
  protocol?: string | undefined;
  /** Headers set before the upgrade. */
  headers?: Headers | undefined;
  /** ms after which a client that answers no ping is taken for gone, 0 for never. */
  pingTimeoutMs: number;
  /** The platform's third argument. */
  context?: unknown;
}

/** What a platform that keeps connections through a sleep has to know of one. */
export interface KeptConnection {
  /** The sub-protocol that was chosen, `""` for none. */
  readonly protocol: string;
  /** Route, parameters, request, and the application's own values. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** A WebSocket that the platform accepted: the web's `WebSocket`, and the answer that makes it one. */
export interface Upgrade {
  /** The server's end of the connection. */
  readonly socket: WebSocket;
  /** The answer; on some platforms it must reach the server as this very object. */
  readonly response: Response;
  /**
   * Writes down what the connection must still know after a sleep, where the platform may put it to sleep: called when
   * it is accepted, and after each of its handlers.
   *
   * @throws If something cannot be kept
   */
  keep?(connection: KeptConnection, handlers: object): void;
}

/** Limits of a server, by Bun's names for them. */
export interface ServerLimits {
  /** Seconds after which a quiet connection is cut, 0 for never. */
  readonly idleTimeout: number;
  /** Bytes of a body above which a request is refused. */
  readonly maxRequestBodySize: number;
}

/** What a runtime has to offer; one small file each in this folder. */
export interface Platform extends RuntimeFace {
  /** Name for messages. */
  readonly name: string;
  /** What a server must have been given for sockets, where that is not known from the answer; Bun wants it. */
  readonly socketHandlers?: object;
  /** The limits of a server, where it reads them of the application that is exported; Bun does. */
  readonly serverLimits?: ServerLimits;
  /** Whether functions may be exported as the default; Workers take every function for a class. */
  readonly callableApps: boolean;
  /** Whether what is printed appears on a terminal that shows colours. */
  colours(): boolean;
  /** Reads an environment variable; `undefined` where it is unset or may not be read. */
  env(name: string): string | undefined;
  /**
   * Keeps the place a request runs in alive until a promise has settled, where it would end with the answer.
   *
   * @param promise Never rejects
   * @param info The platform's second argument
   * @param context The platform's third argument
   */
  waitUntil(promise: Promise<unknown>, info: unknown, context: unknown): void;
  /**
   * Loads an npm package by name, for view engines that are only named; `undefined` where none can be loaded.
   *
   * @param name Name of the package
   */
  loadPackage(name: string): Promise<unknown>;
  /** Listens on a port; throws where the runtime cannot, naming what to do instead. */
  serve(handler: FetchHandler, options: ListenOptions, app: Routed): PlatformServer;
  /** Answers a request of Node's servers, as the application is called by `http.createServer(app)`. */
  answerNode?(app: Servable, req: object, res: object, next?: (error?: unknown) => void): void;
  /**
   * Tells whether the client of a handshake left while middleware waited, where an upgrade would not find that out. Who
   * is still there is to be upgraded in the same turn.
   */
  hasLeft?(request: Request): Promise<boolean>;
  /** Accepts a WebSocket; throws an `HttpError` 501 where the runtime cannot, naming what to do instead. */
  upgrade(request: Request, info: unknown, options: UpgradeOptions): Upgrade;
}
