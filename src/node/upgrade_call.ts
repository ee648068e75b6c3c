import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { HttpError } from "../http/http_error.ts";
import type { Upgrade, UpgradeOptions } from "../platform/shared/platform.ts";
import { type Upgrader, upgraderKey } from "../websocket/accept.ts";
import { GOING_AWAY } from "../websocket/connections.ts";
import { DetachedSocket } from "./detached_socket.ts";
import { loadWs } from "./load_ws.ts";
import { NodeSocket, type WsServer, type WsSocket } from "./node_socket.ts";
import { upgradedResponse } from "../platform/shared/upgraded_response.ts";
import { HostedCall } from "./hosted_call.ts";

/** Stands in for the response to requests that get none; created with the first one. */
let spent: ServerResponse | null = null;

/** An upgrade request handled by an application; it results in a connection or a response. */
export class UpgradeCall extends HostedCall implements Upgrader {
  readonly #socket: Duplex;
  #held: DetachedSocket | null;
  #head: Uint8Array | null;
  readonly #isClosing: () => boolean;
  #Server: (new (options: object) => WsServer) | null = null;
  #upgraded: WsSocket | null = null;

  /**
   * Takes over a socket that Node has detached.
   *
   * @param req Node's request
   * @param socket Its socket
   * @param head Bytes received after the request
   * @param isClosing Returns whether it is too late for new connections
   */
  constructor(req: IncomingMessage, socket: Duplex, head: Uint8Array, isClosing: () => boolean) {
    const res = new ServerResponse(req);
    super(req, res);
    this.#socket = socket;
    this.#head = head;
    this.#isClosing = isClosing;
    this.#held = new DetachedSocket(socket);
    res.shouldKeepAlive = false;
    res.once("finish", () => socket.end(() => socket.destroy()));
  }

  /**
   * Waits until earlier requests on the same connection have completed.
   *
   * @returns Whether it still needs a response: the client may have disconnected, or the server may be closing
   */
  async turn(): Promise<boolean> {
    if (!await this.#held!.freed()) return false;
    // sends all data written during the wait
    this.res.assignSocket(this.#socket as Socket);
    return !this.res.writableEnded;
  }

  /** Itself, on any platform: the socket is from `node:http`, which Deno and Bun also have. */
  get [upgraderKey](): this {
    return this;
  }

  override get upgraded(): boolean {
    return this.#upgraded !== null;
  }

  protected override get outgoing(): Duplex | ServerResponse {
    return this.res === spent ? this.#socket : this.res;
  }

  /** Prepares the WebSocket implementation, which is loaded with the first upgrade. */
  async prepare(): Promise<void> {
    this.#Server = (await loadWs<{ WebSocketServer: new (options: object) => WsServer }>()).WebSocketServer;
  }

  /** Whether the client has disconnected, or the closing server has responded. */
  hasDisconnected(): Promise<boolean> {
    return Promise.resolve(this.#socket.destroyed || this.res.writableEnded);
  }

  /**
   * Responds to the handshake, which has been validated.
   *
   * @param _request The request
   * @param _info This call
   * @param options The selected protocol and the headers set so far
   * @returns The connection
   * @throws {HttpError} 503 if the server is closing, 400 if the client has disconnected
   */
  upgrade(_request: Request, _info: unknown, options: UpgradeOptions): Upgrade {
    const { protocol, headers, pingTimeoutMs, maxMessageBytes } = options;
    if (this.#isClosing()) throw new HttpError(503, "The server is closing");
    const lines = [...headers ?? []];
    if (protocol !== undefined) lines.push(["sec-websocket-protocol", protocol]);
    const { upgrade, "sec-websocket-key": key } = this.req.headers;
    // without the offered protocols: one has been selected, and ws would refuse lists that other runtimes accept
    const request = { method: "GET", headers: { upgrade, "sec-websocket-key": key, "sec-websocket-version": "13" } };
    const server = new this.#Server!({ ...SETTINGS, maxPayload: Math.min(maxMessageBytes, MOST_BYTES) });
    server.on("headers", (head) => {
      head.push(...lines.map(([name, value]) => `${name}: ${value}`));
      // now, before ws adds its listeners: listener lists never shrink, and a connection's may last for days
      this.#release();
    });
    server.handleUpgrade(request, this.#socket, this.#head!, (ws) => this.#upgraded = ws);
    const ws = this.#upgraded as WsSocket | null;
    if (ws === null) throw new HttpError(400, "The client disconnected before its handshake was answered");
    const socket = new NodeSocket(ws, this.#socket, pingTimeoutMs) as unknown as WebSocket;
    return { socket, response: upgradedResponse() };
  }

  // a connection may last for days, and its handshake takes more memory than all its other data
  #release(): void {
    this.#held!.release();
    this.res.detachSocket(this.#socket as Socket);
    this.#held = this.#head = null;
    this.res = spent ??= new ServerResponse(new IncomingMessage(new Socket()));
  }

  /** Closes the connection, if the request has become one, because the server is closing. */
  goAway(): void {
    this.#upgraded?.close(...GOING_AWAY);
  }

  /** Resolves when the connection's `close` handler has been called; at once if there is no connection. */
  async told(): Promise<void> {
    const ws = this.#upgraded;
    if (ws !== null && ws.readyState !== CLOSED) await new Promise<void>((resolve) => ws.on("close", () => resolve()));
  }

  /** Cuts the connection. */
  drop(): void {
    this.#socket.destroy();
  }

  /** Ends the call now: cuts a connection, or responds with 503 in place of a handler that has not responded. */
  cut(): void {
    if (this.upgraded || this.res.headersSent) this.#socket.destroy();
    else this.res.writeHead(503, { "content-length": 19 }).end("Service Unavailable");
  }
}

/** A connection's `readyState` after its `close` event. */
const CLOSED = 3;

/** ws settings for every connection; each has its own ws server, because the maximum message size is a setting. */
const SETTINGS = { noServer: true, clientTracking: false, autoPong: false, perMessageDeflate: false };

/** Maximum for the ws limit in bytes: ws uses only the lower 32 bits of a number. */
const MOST_BYTES = 2 ** 31 - 1;
