import type { TagMaker } from "../http/entity_tag.ts";
import type { FileSystem } from "./file_system.ts";
import type { BodySink, Filling } from "./body_sink.ts";
import type { Peer } from "./peer.ts";

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
 * The used part of a channel of `node:diagnostics_channel`.
 *
 * @internal
 */
export interface EventChannel {
  /** Whether anybody would get a message. */
  readonly hasSubscribers: boolean;
  /** Passes a message to the subscribers. */
  publish(message: object): void;
  /** The same, and runs a function with the stores that are bound to the channel. */
  runStores<T>(message: object, run: () => T): T;
}

/**
 * The channels of a `TracingChannel` of `node:diagnostics_channel`.
 *
 * @internal
 */
export interface TracingChannels {
  /** When a call begins. */
  readonly start: EventChannel;
  /** When it has returned. */
  readonly end: EventChannel;
  /** When the promise it returned has settled. */
  readonly asyncStart: EventChannel;
  /** After that. */
  readonly asyncEnd: EventChannel;
  /** When it fails. */
  readonly error: EventChannel;
}

/** Codings of bodies that are inflated, by their names in the Compression standard. */
export type InflatedCoding = "gzip" | "deflate" | "brotli";

/** Takes coded bytes, and gives back what they mean. */
export type Inflater = ReadableWritablePair<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>;

/**
 * How the head of a request is read.
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
   * Visits all headers of a request.
   *
   * @param request The request
   * @param visitor Called with value and name, perhaps spelled as the client sent it, and repeated
   */
  visitHeaders(request: Request, visitor: (value: string, name: string) => void): void;
  /**
   * The headers of a request by lower-case name, where the runtime has them in an object that the program may change.
   *
   * @param request The request
   */
  headers?(request: Request): Record<string, string | string[] | undefined> | null;
  /** Keeps the headers of a request readable after its response, where the runtime would release them. */
  keepHeaders?(request: Request): void;
  /**
   * Reads the `Host` header of a request whose URL was put together from it, without anybody having looked at it. Absent
   * where the server or the platform has.
   *
   * @param request The request
   * @returns The header, `null` if there is none, or if the URL does not come from a header
   */
  joinedHost?(request: Request): string | null;
  /**
   * Tells whether a request came over TLS, where the scheme of its URL may be the client's invention.
   *
   * @param request The request
   * @param info The platform's second argument
   */
  isEncrypted?(request: Request, info: unknown): boolean;
}

/**
 * How the body of a request is read.
 *
 * @internal
 */
export interface RequestBodies {
  /**
   * Reports whether a request whose headers announce no body has one, where `body` is a stream either way.
   *
   * @param request The request
   */
  hasUnannouncedBody?(request: Request): boolean;
  /**
   * Reads the body of a request as text if it has arrived already, so that nobody has to wait.
   *
   * @param request The request
   * @returns The text, `null` if the body has to be read in the usual way
   */
  arrivedText?(request: Request): string | null;
  /**
   * Fills a sink with the body of a request, where that is cheaper than through its stream.
   *
   * @param request The request, which nobody has begun to read
   * @param sink Takes the body
   * @returns What fills it; `null` if the body has to be read in the usual way
   */
  fillSink?(request: Request, sink: BodySink): Filling | null;
  /** Whether a body is dropped with the response, even what has arrived of it. */
  readonly dropsBodies?: boolean;
  /**
   * Tells whether the connection of a request is closed with the response, and reset if its body has not come by then.
   * Absent where the runtime takes the rest of a body in any case.
   *
   * @param request The request
   * @param info The platform's second argument
   */
  closesAfterResponse?(request: Request, info: unknown): boolean;
  /**
   * Inflates bodies, on runtimes with something better than `DecompressionStream`.
   *
   * @param coding How the bytes are coded
   * @returns A pair of streams, `undefined` if there is nothing better for this coding
   */
  inflater?(coding: InflatedCoding): Inflater | undefined;
}

/**
 * What is known of the connection to a client, and how its end is noticed.
 *
 * @internal
 */
export interface ClientConnections {
  /** The sender of a request, from the platform's second argument. */
  peerOf(info: unknown, request: Request): Peer;
  /**
   * Where the server listens that received a request; `undefined` if it is unknown. Absent where nobody tells, or the
   * connection itself does.
   *
   * @param info The platform's second argument
   */
  localOf?(info: unknown): Peer | undefined;
  /** Whether the sender is known only as long as it is connected. */
  readonly forgetsPeer?: boolean;
  /**
   * Whether connections are kept until a response says otherwise, even while their application is being closed. Absent
   * where the server itself says it.
   */
  readonly keepsConnections?: boolean;
  /**
   * Watches for the client of a request to disconnect, where reading the signal is too expensive to do for every
   * request.
   *
   * @param request The request
   * @param watch Notified when the client is gone
   * @param listen Listens to the request's signal instead
   */
  watchClient?(request: Request, watch: ClientWatch, listen: () => void): void;
  /**
   * Notices that the client of a request disconnects, where that is cheaper than listening to the request's signal.
   *
   * @param request The request
   * @param watch Notified when the client is gone, and perhaps when the response has been sent
   * @returns Whether it will; otherwise listen to the signal
   */
  onLeave?(request: Request, watch: ClientWatch): boolean;
  /**
   * Tells whether a server keeps a request until it is answered, even when the client is gone.
   *
   * @param request The request
   * @param info The platform's second argument
   */
  awaits?(request: Request, info: unknown): boolean;
  /**
   * Lets the connection of a request be silent for as long as its response takes, where the runtime would cut it: event
   * streams may have nothing to say.
   *
   * @param request The request
   * @param info The platform's second argument
   */
  allowSilence?(request: Request, info: unknown): void;
  /**
   * Ends what `allowSilence` began.
   *
   * @param request The request
   * @param info The platform's second argument
   * @param isBroken Whether the response was broken off, so that the connection is of no use any more
   */
  endSilence?(request: Request, info: unknown, isBroken: boolean): void;
}

/**
 * How the body of a response is passed on.
 *
 * @internal
 */
export interface ResponseBodies {
  /**
   * The body of a response that a program returned, if the program made it as a stream. Those of the runtime itself,
   * such as files, need not be found: they are sent without code of the program.
   *
   * @param response The response; a body that is no stream stays as it is
   */
  returnedBody(response: Response): ReadableStream<Uint8Array> | null;
  /**
   * Passes a stream on, where nothing tells from outside how it ends, if the runtime has a cheaper way than a stream of
   * chunks that are asked for one by one.
   *
   * @param body The stream
   * @param failed Called with the error when it fails, or cannot be closed
   */
  passedOn?(body: ReadableStream<Uint8Array>, failed: (error: unknown) => void): ReadableStream<Uint8Array>;
  /**
   * Attaches a length to a streamed body, where the runtime does not take it from the header.
   *
   * @param body The body
   * @param length Its length in bytes
   */
  sized?(body: ReadableStream<Uint8Array>, length: number): ReadableStream<Uint8Array>;
  /**
   * Whether the runtime itself tells the error of a body that fails while it is sent.
   *
   * @param request The request that gets the response
   */
  tellsOfBodies?(request: Request): boolean;
  /** Whether response streams survive a server that is cut, so that each has to be cut separately. */
  readonly leavesStreams?: boolean;
  /**
   * Whether the runtime adds a content type to bytes without one, which makes browsers download what they should show.
   */
  readonly typesBytes?: boolean;
  /** Whether `fetch` decompresses a body, but leaves the headers that describe the compressed one. */
  readonly keepsCoding?: boolean;
}

/**
 * What there is around the requests: files, environment, event loop, and what the runtime has of Node.
 *
 * @internal
 */
export interface ProcessSupport {
  /** The file system, `null` if there is none. */
  readonly files: FileSystem | null;
  /** `/` if only that separates folders in the names of the system's files; otherwise both slashes do, as on Windows. */
  separator(): "/" | undefined;
  /** The environment as handlers see it: a Worker's bindings, on other runtimes the environment variables. */
  environment(info: unknown, context: unknown): Record<string, unknown>;
  /** Whether handlers are stopped after the response, unless the platform is told to wait for them. */
  readonly endsWithResponse: boolean;
  /** Runs something after the present turn of the event loop and all its microtasks, if the runtime can. */
  nextTurn(run: () => void): void;
  /** Bytes of JavaScript objects in the process, garbage included; `undefined` if the runtime does not tell. */
  heapBytes(): number | undefined;
  /** ms that the event loop has waited for something to do so far, where requests may wait without the loop knowing. */
  idleMs?(): number;
  /** Bytes as Node passes them: a `Buffer` over the same memory, where the runtime has `Buffer`. */
  nodeBytes(bytes: Uint8Array<ArrayBuffer>): Uint8Array;
  /** Node's HTTP module, if there is one. */
  nodeHttp(): NodeHttp | undefined;
  /**
   * Loads an npm package by name, for view engines that are not registered; `undefined` if it cannot be loaded.
   *
   * @param name Name of the package
   */
  loadPackage(name: string): Promise<unknown>;
  /** The channel on which calls of handlers are published, `null` for none; asked for when the first request comes. */
  handlerChannel?(): TracingChannels | null;
  /**
   * Whether OpenTelemetry makes the runtime's `fetch` append `traceparent` to the headers that it is given, so that one
   * among them would be a second; `@sluice/middleware/request-id` asks.
   *
   * @param manager The registered context manager
   */
  fetchAppendsTrace?(manager: unknown): boolean;
}

/**
 * What requests and responses need of the runtime. Optional members say in what a runtime differs from the others.
 *
 * @internal
 */
export interface RuntimeSupport
  extends TagMaker, RequestAccess, RequestBodies, ClientConnections, ResponseBodies, ProcessSupport {}
