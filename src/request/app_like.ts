import type { EmitterMethods } from "../http/emitter_methods.ts";
import type { TagMaker } from "../http/entity_tag.ts";
import type { FileSystem } from "../http/file_system.ts";
import type { Peer } from "./peer.ts";

/**
 * Reads the body of a request; see `ReadableBody`.
 *
 * @internal
 */
export interface BodyReading {
  /** Number of chunks read so far. */
  readonly taken: number;
  /** Called when the response is complete. */
  answered(): void;
  /** Discards the rest of the body, unless somebody is reading it. */
  drop(): void;
  /** A copy of the body for a parser that reads it as well; `null` if it is too late for one. */
  beside(): ReadableStream<Uint8Array<ArrayBuffer>> | null;
}

/**
 * A body being streamed.
 *
 * @internal
 */
export interface OpenStream {
  /** Cuts the body. */
  destroy(error: Error): unknown;
}

/**
 * Waits for the client of a request to disconnect, until the exchange is over.
 *
 * @internal
 */
export interface ClientWatch {
  /** Notes that the client is gone. */
  hear(): void;
  /** Begins to listen after a while, unless the exchange is over by then. */
  listenLater(listen: () => void): void;
}

/** Value of a setting, as stored by `app.set(name, value)`. */
// deno-lint-ignore no-explicit-any -- settings hold whatever the user stores, as in Express
export type SettingValue = any;

/**
 * The used part of `node:http`.
 *
 * @internal
 */
export interface NodeHttp {
  /** The class of its requests, to which some packages add methods. */
  readonly IncomingMessage: { readonly prototype: Readonly<Record<string, unknown>> };
  /** The class of its responses. */
  readonly OutgoingMessage: new () => object;
}

/**
 * What requests and responses need of the runtime.
 *
 * @internal
 */
export interface RuntimeSupport extends TagMaker {
  /** The file system, `null` if there is none. */
  readonly files: FileSystem | null;
  /** Whether response streams survive a server that is cut, so that each has to be cut separately. */
  readonly leavesStreams?: boolean;
  /**
   * Whether the runtime adds a content type to bytes without one, which makes browsers download what they should show.
   */
  readonly typesBytes?: boolean;
  /** Whether `fetch` decompresses a body, but leaves the headers that describe the compressed one. */
  readonly keepsCoding?: boolean;
  /** Whether handlers are stopped after the response, unless the platform is told to wait for them. */
  readonly endsWithAnswer: boolean;
  /** The environment as handlers see it: a Worker's bindings, on other runtimes the environment variables. */
  environment(info: unknown): Record<string, unknown>;
  /** Bytes as Node passes them: a `Buffer` over the same memory, where the runtime has `Buffer`. */
  nodeBytes(bytes: Uint8Array<ArrayBuffer>): Uint8Array;
  /** Node's HTTP module, if there is one. */
  nodeHttp(): NodeHttp | undefined;
  /** Runs something after the present turn of the event loop and all its microtasks, if the runtime can. */
  nextTurn(run: () => void): void;
  /**
   * Reads a request header.
   *
   * @param request The request
   * @param name Header name, in any case
   * @returns The value, `null` when the header is absent
   */
  header(request: Request, name: string): string | null;
  /**
   * Visits all headers of a request.
   *
   * @param request The request
   * @param visitor Called with value and name, perhaps spelled as the client sent it, and repeated
   */
  visitHeaders(request: Request, visitor: (value: string, name: string) => void): void;
  /**
   * Reads the body of a request as text if it has arrived already, so that nobody has to wait.
   *
   * @param request The request
   * @returns The text, `null` if the body has to be read in the usual way
   */
  arrivedText?(request: Request): string | null;
  /** The sender of a request, from the platform's second argument. */
  peerOf(info: unknown, request: Request): Peer;
  /** Keeps the headers of a request readable after its response, where the runtime would release them. */
  keepHeaders?(request: Request): void;
  /**
   * Watches for the client of a request to disconnect, where reading the signal is too expensive to do for every
   * request.
   *
   * @param request The request
   * @param watch Notified when the client is gone
   * @param listen Listens to the request's signal instead
   */
  watchClient?(request: Request, watch: ClientWatch, listen: () => void): void;
  /** Inflates brotli, on runtimes whose `DecompressionStream` may not support it. */
  brotliInflater?(): ReadableWritablePair<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>;
  /**
   * Attaches a length to a streamed body, where the runtime does not take it from the header.
   *
   * @param body The body
   * @param length Its length in bytes
   */
  sized?(body: ReadableStream<Uint8Array>, length: number): ReadableStream<Uint8Array>;
}

/** What requests and responses need of the application that handles them. */
export interface AppLike extends EmitterMethods {
  /** Values that every view sees, and whatever a program keeps there for its handlers. */
  locals: Record<string, SettingValue>;
  /** The settings; `get(name)` is the public way to read one. */
  readonly settings: Record<string, SettingValue>;
  /** Path or paths the application is mounted on, `"/"` for the outermost one. */
  readonly mountpath: string | string[];
  /** Reads a setting. */
  get(name: string): SettingValue;
  /** Stores a setting. */
  set(name: string, value: unknown): unknown;
  /** Tells whether a setting is truthy. */
  enabled(name: string): boolean;
  /** Tells whether a setting is falsy. */
  disabled(name: string): boolean;
  /** Sets a setting to `true`. */
  enable(name: string): unknown;
  /** Sets a setting to `false`. */
  disable(name: string): unknown;
  /** Full path the application is mounted at, through all its parents. */
  path(): string;
  /**
   * The runtime.
   *
   * @internal
   */
  readonly runtimeSupport: RuntimeSupport;
  /**
   * Keeps work going after the response: the platform waits for it, and so does closing the application.
   *
   * @internal
   */
  background(work: PromiseLike<unknown>, info: unknown, context: unknown): void;
  /**
   * Upgrades a request to a WebSocket; rejects with an `HttpError` if it is not a valid handshake.
   *
   * @internal
   */
  acceptSocket(req: unknown, res: unknown, route: { path: string; handlers: object }): Promise<void>;
  /**
   * Bodies being streamed, which closing may have to cut.
   *
   * @internal
   */
  readonly openStreams: Set<OpenStream>;
  /**
   * Writes an error to the log, unless the `env` setting is `"test"`.
   *
   * @internal
   */
  logError(error: unknown): void;
  /** Renders a view with the application's engine and locals. */
  render(name: string, options: object, callback: RenderCallback): void;
}

/**
 * A method, so that callbacks may be typed `(error: Error, html: string)`, as in Express's types.
 *
 * @internal
 */
export interface RenderCallbackShape {
  /** The callback. */
  call(error: Error | null, html: string): void;
}

/** Receives a rendered view, or the error that kept it from being rendered. */
export type RenderCallback = RenderCallbackShape["call"];
