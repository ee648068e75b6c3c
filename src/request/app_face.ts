import type { EmitterMethods } from "../http/emitter_methods.ts";
import type { FileSystem } from "../http/file_system.ts";
import type { Peer } from "./peer.ts";

/** What reads the body of a request. */
export interface BodyReading {
  /** Chunks that were taken until now. */
  readonly taken: number;
  /** The answer has been handed over. */
  answered(): void;
  /** Nobody is going to read on. */
  drop(): void;
  /** The body, for a parser that reads it as well; `null` where it cannot. */
  beside(): ReadableStream<Uint8Array<ArrayBuffer>> | null;
}

/** A body being streamed. */
export interface OpenStream {
  /** Breaks the body off. */
  destroy(error: Error): unknown;
}

/** Hears that the client of a request has left, until the exchange is over. */
export interface ClientWatch {
  /** Notes that the client has left. */
  hear(): void;
  /** Begins to listen in a while, if the exchange is not over by then. */
  listenLater(listen: () => void): void;
}

/** Settings as `app.set(name, value)` stores them; inherited from the parent app through the prototype chain. */
// deno-lint-ignore no-explicit-any -- settings hold whatever the user stores, as in Express
export type SettingValue = any;

/** What a request or a response may ask of the runtime it is on. */
export interface RuntimeFace {
  /** Files, `null` where there are none. */
  readonly files: FileSystem | null;
  /** Whether streams go on that a server was given before it was cut, so that each of them has to be broken off. */
  readonly leavesStreams?: boolean;
  /** Whether bytes are sent with a content type where none was set, which has a browser save what it should show. */
  readonly typesBytes?: boolean;
  /** Whether a handler that has answered is stopped, unless the platform is told to wait for it. */
  readonly endsWithAnswer: boolean;
  /** The environment as handlers see it: a Worker's bindings, elsewhere its variables. */
  environment(info: unknown): Record<string, unknown>;
  /** Bytes as Express users know them: a `Buffer` over the same memory where the runtime has one. */
  nodeBytes(bytes: Uint8Array<ArrayBuffer>): Uint8Array;
  /** The key under which responses of Node's keep their headers, where there are any. */
  nodeHeadersKey(): symbol | undefined;
  /** Runs something when the present turn is over, behind all microtasks where the runtime has such turns. */
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
   * Shows all headers of a request, one after the other.
   *
   * @param request The request
   * @param visitor Gets value and name, perhaps as the client spelled it and more than once
   */
  visitHeaders(request: Request, visitor: (value: string, name: string) => void): void;
  /**
   * Takes the body of a request as text where it is there already, so that nobody has to wait for it.
   *
   * @param request The request
   * @returns The text, `null` where it has to be read in the common way
   */
  arrivedText?(request: Request): string | null;
  /** Tells who sent a request, from what the platform passed beside it. */
  peerOf(info: unknown, request: Request): Peer;
  /** Has the headers of a request stay readable after its answer, where the runtime would take them back with it. */
  keepHeaders?(request: Request): void;
  /**
   * Watches for the client of a request to leave, where asking for its signal costs too much for every one that waits.
   *
   * @param request The request
   * @param watch Hears that the client has left
   * @param listen Listens to the signal
   */
  watchClient?(request: Request, watch: ClientWatch, listen: () => void): void;
  /** Inflates brotli, where the runtime's `DecompressionStream` may not. */
  brotliInflater?(): ReadableWritablePair<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>;
  /**
   * Gives a streamed body its length, where the runtime does not take that from the header.
   *
   * @param body The body
   * @param length Its length in bytes
   */
  sized?(body: ReadableStream<Uint8Array>, length: number): ReadableStream<Uint8Array>;
}

/** What a request or a response may ask of the application that is handling it. */
export interface AppFace extends EmitterMethods {
  /** Values every view of this application sees, and what else a program keeps there for its handlers. */
  locals: Record<string, SettingValue>;
  /** The settings themselves; `get(name)` is the public way to read one. */
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
  /** Canonical path of the application, made of its own and its parents' mount paths. */
  path(): string;
  /** The runtime it is on. */
  readonly runtimeFace: RuntimeFace;
  /** Runs work that goes on after the answer: the platform waits for it, and so does closing the application. */
  background(work: PromiseLike<unknown>, info: unknown, context: unknown): void;
  /** Upgrades a request to a WebSocket, or throws an `HttpError` if it is no proper handshake. */
  acceptSocket(req: unknown, res: unknown, route: { path: string; handlers: object }): Promise<void>;
  /** Bodies being streamed, so that closing can cut them. */
  readonly openStreams: Set<OpenStream>;
  /** Writes an error to the log, unless the `env` setting is `"test"`. */
  logError(error: unknown): void;
  /** Renders a view with the application's engine and locals. */
  render(name: string, options: object, callback: RenderCallback): void;
}

/** Declared as a method, so that a callback may say `(error: Error, html: string)`, as Express's types have it. */
export interface RenderCallbackShape {
  /** The callback. */
  call(error: Error | null, html: string): void;
}

/** Receives a rendered view, or the error that kept it from being rendered. */
export type RenderCallback = RenderCallbackShape["call"];
