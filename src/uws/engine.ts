/** A string, or bytes to send as they are. */
export type Bytes = string | Uint8Array | ArrayBuffer;

/** The part of an engine's request used here. It can only be read while its handler runs. */
export interface EngineRequest {
  getUrl(): string;
  getQuery(): string | null | undefined;
  getCaseSensitiveMethod(): string;
  forEach(visitor: (name: string, value: string) => void): void;
}

/** The part of an engine's response used here. It must not be used once it is complete or aborted. */
export interface EngineResponse {
  writeStatus(status: Bytes): unknown;
  writeHeader(name: Bytes, value: Bytes): unknown;
  write(chunk: Bytes): boolean;
  end(body?: Bytes, closeConnection?: boolean): unknown;
  endWithoutBody(): unknown;
  tryEnd(chunk: Bytes, totalSize: number): [ok: boolean, done: boolean];
  getWriteOffset(): number;
  onWritable(handler: (offset: number) => boolean): unknown;
  onAborted(handler: () => void): unknown;
  onData(handler: (chunk: ArrayBuffer, isLast: boolean) => void): unknown;
  pause(): void;
  resume(): void;
  close(): unknown;
  cork(run: () => void): unknown;
  getRemoteAddressAsText(): ArrayBuffer;
  upgrade<Data>(data: Data, key: Bytes, protocol: Bytes, extensions: Bytes, context: unknown): void;
}

/** The part of an engine's WebSocket used here; it must not be used once it is closed. */
export interface EngineSocket<Data> {
  send(message: Bytes, isBinary?: boolean): number;
  end(code?: number, reason?: Bytes): void;
  close(): void;
  ping(): number;
  getBufferedAmount(): number;
  getUserData(): Data;
}

/** Handlers for the WebSockets on an engine's server, and their limits. */
export interface EngineSocketBehavior<Data> {
  maxPayloadLength: number;
  idleTimeout: number;
  maxBackpressure: number;
  sendPingsAutomatically: boolean;
  upgrade(res: EngineResponse, req: EngineRequest, context: unknown): void;
  open(ws: EngineSocket<Data>): void;
  message(ws: EngineSocket<Data>, message: ArrayBuffer, isBinary: boolean): void;
  ping(ws: EngineSocket<Data>): void;
  pong(ws: EngineSocket<Data>): void;
  drain(ws: EngineSocket<Data>): void;
  close(ws: EngineSocket<Data>, code: number, reason: ArrayBuffer): void;
}

/** The part of an engine's server used here. */
export interface EngineApp {
  any(pattern: string, handler: (res: EngineResponse, req: EngineRequest) => void): unknown;
  ws<Data>(pattern: string, behavior: EngineSocketBehavior<Data>): unknown;
  listen(host: string, port: number, options: number, listening: (socket: unknown) => void): unknown;
  listen(port: number, options: number, listening: (socket: unknown) => void): unknown;
  /** Closes the listener and all connections. */
  close(): unknown;
}

/**
 * The part of uWebSockets.js used here. The program installs it and passes it to `serve`.
 *
 * @example
 * ```ts ignore
 * import uWS from "uWebSockets.js";
 *
 * serve(app, { uWS, port: 3000 });
 * ```
 */
export interface Engine {
  /** Creates a server without TLS. */
  App(): unknown;
  /** Creates a server with TLS. */
  SSLApp(options: { key_file_name: string; cert_file_name: string }): unknown;
  /** Closes a listener. */
  us_listen_socket_close(listener: never): void;
  /** Returns a listener's port. */
  us_socket_local_port(listener: never): number;
}
