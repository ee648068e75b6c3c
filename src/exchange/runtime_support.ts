import type { TagMaker } from "../http/entity_tag.ts";
import type { FileSystem } from "./file_system.ts";
import type { BodySink, Filling } from "./body_sink.ts";
import type { Peer } from "./peer.ts";

/**
 * Waits for a request's client to disconnect, until the exchange is over.
 *
 * @internal
 */
export interface ClientWatch {
  /** Called when the client has disconnected. */
  hear(): void;
  /** Starts listening after a delay, unless the exchange is over by then. */
  listenLater(listen: () => void): void;
}

/**
 * The part of `node:http` used here.
 *
 * @internal
 */
export interface NodeHttp {
  /** Its request class, to which some packages add methods. */
  readonly IncomingMessage: { readonly prototype: Readonly<Record<string, unknown>> };
  /** Its response class. */
  readonly OutgoingMessage: new () => object;
}

/**
 * The part of a `node:diagnostics_channel` channel used here.
 *
 * @internal
 */
export interface EventChannel {
  /** Whether the channel has subscribers. */
  readonly hasSubscribers: boolean;
  /** Passes a message to the subscribers. */
  publish(message: object): void;
  /** The same, but runs a function with the stores bound to the channel. */
  runStores<T>(message: object, run: () => T): T;
}

/**
 * The channels in a `TracingChannel` from `node:diagnostics_channel`.
 *
 * @internal
 */
export interface TracingChannels {
  /** A call starts. */
  readonly start: EventChannel;
  /** It has returned. */
  readonly end: EventChannel;
  /** The promise it returned has settled. */
  readonly asyncStart: EventChannel;
  /** The call is complete after that. */
  readonly asyncEnd: EventChannel;
  /** It fails. */
  readonly error: EventChannel;
}

/** Codings for compressed bodies, as named in the Compression standard. */
export type InflatedCoding = "gzip" | "deflate" | "brotli";

/** Decompresses bytes. */
export type Inflater = ReadableWritablePair<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>;

/**
 * Reads a request's head.
 *
 * @internal
 */
export interface RequestAccess {
  /**
   * Reads a request header.
   *
   * @param request The request
   * @param name Header name, in any case
   * @returns The value, `null` when the header is absent
   */
  header(request: Request, name: string): string | null;
  /**
   * Visits all of a request's headers.
   *
   * @param request The request
   * @param visitor Called with value and name, which may be repeated and is spelled as the client sent it
   */
  visitHeaders(request: Request, visitor: (value: string, name: string) => void): void;
  /**
   * A request's headers by lowercase name, where the runtime has them in an object that the program may modify.
   *
   * @param request The request
   */
  headers?(request: Request): Record<string, string | string[] | undefined> | null;
  /** Keeps a request's headers readable after its response, where the runtime would release them. */
  keepHeaders?(request: Request): void;
  /**
   * Reads a request's `Host` header if the URL was built from it unchecked. Absent where the server or the platform
   * has checked it.
   *
   * @param request The request
   * @returns The header, `null` if there is none or the URL was not built from one
   */
  joinedHost?(request: Request): string | null;
  /**
   * Returns whether a request came over TLS, where the client may have chosen its URL scheme.
   *
   * @param request The request
   * @param info The platform's second argument
   */
  isEncrypted?(request: Request, info: unknown): boolean;
}

/**
 * Reads a request's body.
 *
 * @internal
 */
export interface RequestBodies {
  /**
   * Returns whether a request has a body that its headers do not announce, where `body` is a stream either way.
   *
   * @param request The request
   */
  hasUnannouncedBody?(request: Request): boolean;
  /**
   * Reads a request's body as a string synchronously if it has already arrived.
   *
   * @param request The request
   * @returns The string, `null` if the body must be read in the usual way
   */
  arrivedText?(request: Request): string | null;
  /**
   * Fills a sink with a request's body, where that is cheaper than through its stream.
   *
   * @param request The request, not yet read
   * @param sink Receives the body
   * @returns Controls for filling; `null` if the body must be read in the usual way
   */
  fillSink?(request: Request, sink: BodySink): Filling | null;
  /** Whether a body is dropped with the response, even the part that has arrived. */
  readonly dropsBodies?: boolean;
  /**
   * Returns whether a request's connection is closed with the response, and reset if its body has not arrived by then.
   * Absent where the runtime always accepts the rest of a body.
   *
   * @param request The request
   * @param info The platform's second argument
   */
  closesAfterResponse?(request: Request, info: unknown): boolean;
  /**
   * Decompresses bodies, on runtimes with something better than `DecompressionStream`.
   *
   * @param coding The coding
   * @returns A pair of streams, `undefined` if the runtime has nothing better for this coding
   */
  inflater?(coding: InflatedCoding): Inflater | undefined;
}

/**
 * Properties of a client connection, and ways to detect its end.
 *
 * @internal
 */
export interface ClientConnections {
  /** Returns a request's sender, from the platform's second argument. */
  peerOf(info: unknown, request: Request): Peer;
  /**
   * Returns the listening address of the server that received a request; `undefined` if unknown. Absent where the
   * runtime does not report it, or the connection itself does.
   *
   * @param info The platform's second argument
   */
  localOf?(info: unknown): Peer | undefined;
  /** Whether the sender is known only while it is connected. */
  readonly forgetsPeer?: boolean;
  /**
   * Whether connections stay open until a response closes them, even while their application is closing. Absent where
   * the server itself notifies the client.
   */
  readonly keepsConnections?: boolean;
  /**
   * Watches for a request's client to disconnect, where reading the signal for every request is too expensive.
   *
   * @param request The request
   * @param watch Notified when the client has disconnected
   * @param listen Listens to the request's signal instead
   */
  watchClient?(request: Request, watch: ClientWatch, listen: () => void): void;
  /**
   * Watches for a request's client to disconnect, where that is cheaper than listening to the request's signal.
   *
   * @param request The request
   * @param watch Notified when the client has disconnected, and perhaps when the response has been sent
   * @returns Whether it watches; otherwise listen to the signal
   */
  onAbort?(request: Request, watch: ClientWatch): boolean;
  /**
   * Returns whether a server keeps a request until it gets its response, even when the client has disconnected.
   *
   * @param request The request
   * @param info The platform's second argument
   */
  awaits?(request: Request, info: unknown): boolean;
  /**
   * Lets a request's connection be silent for as long as the response takes, where the runtime would cut it: event
   * streams may be idle.
   *
   * @param request The request
   * @param info The platform's second argument
   */
  allowSilence?(request: Request, info: unknown): void;
  /**
   * Undoes `allowSilence`.
   *
   * @param request The request
   * @param info The platform's second argument
   * @param isBroken Whether the response was broken off, which makes the connection unusable
   */
  endSilence?(request: Request, info: unknown, isBroken: boolean): void;
}

/**
 * Passes on a response body.
 *
 * @internal
 */
export interface ResponseBodies {
  /**
   * Returns the body of a response returned by a program if the program created it as a stream. The runtime's own
   * bodies, such as files, need not be found: sending them runs none of the program's code.
   *
   * @param response The response; a body that is not a stream is left alone
   */
  returnedBody(response: Response): ReadableStream<Uint8Array> | null;
  /**
   * Passes on a stream with an end that cannot be observed from outside if the runtime has a cheaper way than pulling
   * chunks one by one.
   *
   * @param body The stream
   * @param failed Called with the error when it fails, or cannot be closed
   */
  passedOn?(body: ReadableStream<Uint8Array>, failed: (error: unknown) => void): ReadableStream<Uint8Array>;
  /**
   * Attaches a length to a streamed body, where the runtime ignores the header.
   *
   * @param body The body
   * @param length Its length in bytes
   */
  sized?(body: ReadableStream<Uint8Array>, length: number): ReadableStream<Uint8Array>;
  /**
   * Returns whether the runtime itself reports the error when a body fails while being sent.
   *
   * @param request The request that gets the response
   */
  tellsOfBodies?(request: Request): boolean;
  /** Whether response streams survive their server being cut, so each must be cut separately. */
  readonly leavesStreams?: boolean;
  /** Whether the runtime adds a content type to bytes without one, so browsers download rather than show them. */
  readonly typesBytes?: boolean;
  /** Whether `fetch` decompresses a body but keeps the headers that describe the compressed one. */
  readonly keepsCoding?: boolean;
}

/**
 * The environment of requests: files, variables, event loop, and the available parts of Node.
 *
 * @internal
 */
export interface ProcessSupport {
  /** The file system, `null` if there is none. */
  readonly files: FileSystem | null;
  /** Returns `/` if only that separates directories in paths; otherwise both slashes do, as on Windows. */
  separator(): "/" | undefined;
  /** Returns the environment as handlers see it: a Worker's bindings, or environment variables on other runtimes. */
  environment(info: unknown, context: unknown): Record<string, unknown>;
  /** Whether handlers are stopped after the response, unless the platform is told to wait for them. */
  readonly endsWithResponse: boolean;
  /** Runs a function after the current event loop turn and all its microtasks if the runtime can. */
  nextTurn(run: () => void): void;
  /** Returns the size of the process's JavaScript objects in bytes, including garbage; `undefined` if not reported. */
  heapBytes(): number | undefined;
  /** Returns the total ms the event loop has been idle, where requests may wait without the loop knowing. */
  idleMs?(): number;
  /** Returns bytes as Node passes them: a `Buffer` over the same memory, where the runtime has `Buffer`. */
  nodeBytes(bytes: Uint8Array<ArrayBuffer>): Uint8Array;
  /** Node's HTTP module, if there is one. */
  nodeHttp(): NodeHttp | undefined;
  /**
   * Loads an npm package by name, for view engines that are not registered; `undefined` if it cannot be loaded.
   *
   * @param name The package's name
   */
  loadPackage(name: string): Promise<unknown>;
  /** Returns the channel for publishing handler calls, or `null` if there is none; called on the first request. */
  handlerChannel?(): TracingChannels | null;
  /**
   * Returns whether OpenTelemetry makes the runtime's `fetch` append `traceparent` to the given headers, which would
   * duplicate an existing one; `@sluice/middleware/request-id` calls this.
   *
   * @param manager The registered context manager
   */
  fetchAppendsTrace?(manager: unknown): boolean;
}

/**
 * The runtime as requests and responses use it. Optional members mark where runtimes differ.
 *
 * @internal
 */
export interface RuntimeSupport
  extends TagMaker, RequestAccess, RequestBodies, ClientConnections, ResponseBodies, ProcessSupport {}
