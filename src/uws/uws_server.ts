import { createServer } from "node:net";
import { deferred } from "../util/deferred.ts";
import { LinkedList } from "../util/linked_list.ts";
import type { AppFetch, PlatformServer, Servable } from "../platform/shared/platform.ts";
import type { Engine, EngineApp, EngineRequest, EngineResponse } from "./engine.ts";
import { send } from "./send_parts.ts";
import { type CallServer, UwsCall } from "./uws_call.ts";
import type { UwsSocket } from "./uws_socket.ts";

/** uSockets' listener option that lets other processes listen on the same port. */
const SHARED_PORT = 0;
const EXCLUSIVE_PORT = 1;

/** The engine's data on a connection. The engine copies properties, which breaks objects with private fields. */
interface Carrier {
  readonly socket: UwsSocket;
}

/** Where to listen, and the engine to use. */
export interface UwsListenOptions {
  /** uWebSockets.js. */
  readonly uWS: Engine;
  /** TCP port; a free one for 0. */
  readonly port: number;
  /** Address; `""` for all addresses. */
  readonly hostname: string;
  /** Whether other processes may listen on the same port. */
  readonly reusePort: boolean;
  /** Files with the certificate chain and its key in PEM, for TLS. */
  readonly tls: { readonly certFile: string; readonly keyFile: string } | null;
  /** Maximum bytes per WebSocket message for the engine. */
  readonly maxMessageBytes: number;
}

/** Listens with uWebSockets.js. */
export class UwsServer implements PlatformServer, CallServer {
  readonly advice = "uWebSockets.js is not an http.Server; listen with app.listen, of @sluice/sluice/node";
  readonly limits = {};
  readonly isEncrypted: boolean;
  readonly hostname: string;
  readonly port: number;
  readonly ready: Promise<void>;
  readonly finished: Promise<void>;
  readonly #uWS: Engine;
  readonly #native: EngineApp;
  readonly #served: Servable;
  /** `null` if it does not listen. */
  #listener: unknown = null;
  readonly #open = new LinkedList<UwsCall>();
  readonly #sockets = new Set<UwsSocket>();
  readonly send = send;
  readonly #over = deferred();
  isDraining = false;
  isClosing = false;
  #isOver = false;

  /**
   * Listens.
   *
   * @param handler Handles requests
   * @param options Where to listen
   */
  constructor(handler: AppFetch, { uWS, port, hostname, reusePort, tls, maxMessageBytes }: UwsListenOptions) {
    this.#uWS = uWS;
    this.#served = { fetch: handler };
    this.isEncrypted = tls !== null;
    this.hostname = hostname || "::";
    this.#native = (tls === null ? uWS.App() : uWS.SSLApp({
      key_file_name: tls.keyFile,
      cert_file_name: tls.certFile,
    })) as EngineApp;
    this.#route(maxMessageBytes);
    const sharing = reusePort ? SHARED_PORT : EXCLUSIVE_PORT;
    const listening = (listener: unknown): void => void (this.#listener = listener || null);
    if (hostname === "") this.#native.listen(port, sharing, listening);
    else this.#native.listen(hostname, port, sharing, listening);
    this.port = this.#listener === null ? port : uWS.us_socket_local_port(this.#listener as never);
    this.ready = this.#listener === null ? refusal(hostname, port) : Promise.resolve();
    this.finished = this.ready.then(() => this.#over.promise);
    this.finished.catch(() => {});
  }

  #route(maxMessageBytes: number): void {
    this.#native.any("/*", (res, req) => this.#receive(res, req, null));
    this.#native.ws<Carrier>("/*", {
      maxPayloadLength: maxMessageBytes,
      // each connection has its own heartbeat with its route's timeout
      idleTimeout: 0,
      sendPingsAutomatically: false,
      // no limit, because the engine silently drops messages beyond it; each connection has its own limit
      maxBackpressure: 0,
      upgrade: (res, req, context) => this.#receive(res, req, context),
      open: (ws) => {
        const socket = ws.getUserData().socket;
        this.#sockets.add(socket);
        socket.opened(ws);
      },
      // the engine reclaims the bytes after the call
      message: (ws, data, isBinary) => ws.getUserData().socket.received(isBinary ? data.slice(0) : textOf(data)),
      ping: (ws) => ws.getUserData().socket.heard(),
      pong: (ws) => ws.getUserData().socket.heard(),
      drain: (ws) => ws.getUserData().socket.drained(),
      close: (ws, code, reason) => {
        const socket = ws.getUserData().socket;
        socket.closed(code, code === 1006 ? "" : textOf(reason), () => {
          this.#sockets.delete(socket);
          this.#endIfIdle();
        });
      },
    });
  }

  #receive(res: EngineResponse, req: EngineRequest, context: unknown): void {
    if (this.#isOver) res.close();
    else new UwsCall(this, res, req, context).handle(this.#served);
  }

  began(call: UwsCall): void {
    this.#open.add(call);
  }

  ended(call: UwsCall): void {
    this.#open.delete(call);
    this.#endIfIdle();
  }

  #endIfIdle(): void {
    if (!this.isClosing || this.#isOver || this.#sockets.size > 0 || !this.#open.isEmpty) return;
    this.#isOver = true;
    // later, because this tick's responses are still to be sent
    setImmediate(() => {
      this.#native.close();
      this.#over.resolve();
    });
  }

  drain(): void {
    this.isDraining = true;
  }

  async shutdown(): Promise<void> {
    this.drain();
    this.isClosing = true;
    if (this.#listener !== null) this.#uWS.us_listen_socket_close(this.#listener as never);
    this.#listener = null;
    this.#endIfIdle();
    await this.finished.catch(() => {});
  }

  abort(): void {
    for (const call of [...this.#open]) call.cut();
    for (const socket of [...this.#sockets]) socket.terminate();
  }

  ref(): void {}

  unref(): never {
    throw new TypeError(`server.unref: ${this.advice}`);
  }
}

// a decoder would strip a byte order mark
function textOf(bytes: ArrayBuffer): string {
  return Buffer.from(bytes).toString();
}

// The engine does not report why it cannot listen, but Node does.
function refusal(hostname: string, port: number): Promise<void> {
  return new Promise((_, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    const where = hostname === "" ? `port ${port}` : `${hostname}:${port}`;
    const unknown = new Error(`serve: uWebSockets.js cannot listen on ${where}, and does not report why`);
    probe.listen({ port, ...(hostname === "" ? {} : { host: hostname }) }, () => probe.close(() => reject(unknown)));
  });
}
