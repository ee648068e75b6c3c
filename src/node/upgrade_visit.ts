import { type IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { HttpError } from "../http/http_error.ts";
import type { Upgrade, UpgradeOptions } from "../platform/platform.ts";
import { type Upgrader, upgraderKey } from "../websocket/accept.ts";
import { HeldSocket } from "./held_socket.ts";
import { NodeSocket, type WsServer, type WsSocket } from "./node_socket.ts";
import { NodeVisit } from "./node_visit.ts";

/** A request to become a WebSocket on its way through an application: it ends as a connection, or with an answer. */
export class UpgradeVisit extends NodeVisit implements Upgrader {
  readonly #socket: Duplex;
  readonly #held: HeldSocket;
  readonly #head: Uint8Array;
  readonly #isClosing: () => boolean;
  #server: WsServer | null = null;
  #upgraded: WsSocket | null = null;

  /**
   * Takes over a socket that Node has let go of.
   *
   * @param req Node's request
   * @param socket Its socket
   * @param head What came behind the request
   * @param isClosing Tells whether it is too late for new connections
   */
  constructor(req: IncomingMessage, socket: Duplex, head: Uint8Array, isClosing: () => boolean) {
    const res = new ServerResponse(req);
    super(req, res, undefined);
    this.#socket = socket;
    this.#head = head;
    this.#isClosing = isClosing;
    this.#held = new HeldSocket(socket);
    res.shouldKeepAlive = false;
    res.once("finish", () => socket.end(() => socket.destroy()));
  }

  /**
   * Waits until the requests in front of it on its connection have been answered.
   *
   * @returns Whether it is still to be answered: the client may have left, the server may be closing
   */
  async turn(): Promise<boolean> {
    if (!await this.#held.freed()) return false;
    // what has been written meanwhile leaves now
    this.res.assignSocket(this.#socket as Socket);
    return !this.res.writableEnded;
  }

  /** Whatever the platform: the socket is one of `node:http`, which Deno and Bun have too. */
  get [upgraderKey](): this {
    return this;
  }

  override get upgraded(): boolean {
    return this.#upgraded !== null;
  }

  /** Gets what speaks the protocol ready, which is loaded when the first client asks for it. */
  async prepare(): Promise<void> {
    const { WebSocketServer } = await import("ws");
    this.#server = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      maxPayload: MAX_MESSAGE,
    });
  }

  /**
   * Answers the handshake, which has been checked.
   *
   * @param _request The request
   * @param _info This visit
   * @param options The chosen protocol and the headers set so far
   * @returns The connection
   * @throws {HttpError} 503 if the server is closing, 400 if the client has gone
   */
  upgrade(_request: Request, _info: unknown, { protocol, headers, pingTimeoutMs }: UpgradeOptions): Upgrade {
    if (this.#isClosing()) throw new HttpError(503, "The server is closing");
    const lines = [...headers ?? []];
    if (protocol !== undefined) lines.push(["sec-websocket-protocol", protocol]);
    const { upgrade, "sec-websocket-key": key } = this.req.headers;
    // the protocol is not for ws to choose, and lists it does not take are fine elsewhere
    const request = { method: "GET", headers: { upgrade, "sec-websocket-key": key, "sec-websocket-version": "13" } };
    const server = this.#server!;
    server.on("headers", (head) => void head.push(...lines.map(([name, value]) => `${name}: ${value}`)));
    server.handleUpgrade(request, this.#socket, this.#head, (ws) => this.#upgraded = ws);
    const ws = this.#upgraded as WsSocket | null;
    if (ws === null) throw new HttpError(400, "The client left before its handshake was answered");
    this.#release();
    const socket = new NodeSocket(ws, this.#socket, pingTimeoutMs) as unknown as WebSocket;
    return { socket, response: upgradedResponse() };
  }

  #release(): void {
    this.#held.release();
    this.res.detachSocket(this.#socket as Socket);
  }

  /** Closes the connection, if it has become one, because the server is closing. */
  goAway(): void {
    this.#upgraded?.close(1001, "The server is closing");
  }

  /** Settles when the connection's handler for its end has been called, at once where there is nothing to tell. */
  async told(): Promise<void> {
    const ws = this.#upgraded;
    if (ws !== null && ws.readyState !== CLOSED) await new Promise<void>((resolve) => ws.on("close", () => resolve()));
  }

  /** Ends its connection, whatever was still to be said. */
  drop(): void {
    this.#socket.destroy();
  }

  /** Ends it now: a connection is cut, a handler that has not answered is answered for. */
  cut(): void {
    if (this.upgraded || this.res.headersSent) this.#socket.destroy();
    else this.res.writeHead(503, { "content-length": 19 }).end("Service Unavailable");
  }
}

/** What ws calls a connection whose end it has told. */
const CLOSED = 3;

/** Bytes a message may have, as on Deno and Bun; more closes with 1009. Left to itself, ws takes 100 MiB. */
const MAX_MESSAGE = 64 * 1024 * 1024;

// Node constructs no response with status 101; the handshake has been answered, so this only tells of it
function upgradedResponse(): Response {
  return Object.defineProperties(new Response(null), {
    status: { value: 101 },
    statusText: { value: "Switching Protocols" },
    ok: { value: false },
  });
}
