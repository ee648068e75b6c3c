import { EventEmitter } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type Server, ServerResponse } from "node:http";
import {
  createSecureServer,
  type Http2SecureServer,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from "node:http2";
import { Server as NetServer, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { type Linked, LinkedList } from "../util/linked_list.ts";
import {
  type AppFetch,
  type ListenOptions,
  type NativeServer,
  type PlatformServer,
  replacedHandleKey,
  type Routed,
} from "../platform/shared/platform.ts";
import { reportClientErrors } from "./client_errors.ts";
import { ConnectionLimits } from "./connection_limits.ts";
import { receive } from "./handle_call.ts";
import { HostedCall } from "./hosted_call.ts";
import { closeWhenIdle } from "./idle_session.ts";
import { nextTurn } from "./next_turn.ts";
import { NodeCall } from "./node_call.ts";
import { assertSharedPorts, limitServer, type NodeLimits } from "./node_limits.ts";
import { breakOff } from "./send_response.ts";
import { isForSocket, takeUpgrade } from "./take_upgrade.ts";
import type { UpgradeCall } from "./upgrade_call.ts";

/** ms allowed for sending the last responses before connections are cut. */
const LEAVING_MS = 100;

/** An incomplete response. */
class OpenResponse implements Linked<OpenResponse> {
  readonly res: ServerResponse;
  before: OpenResponse | null = null;
  after: OpenResponse | null = null;

  constructor(res: ServerResponse) {
    this.res = res;
  }
}

/** Listens with `node:http` or, given a certificate, with `node:http2`, which also speaks HTTP/1.1. */
export class NodeServer implements PlatformServer {
  readonly ready: Promise<void>;
  readonly finished: Promise<void>;
  readonly limits: NodeLimits;
  readonly #server: Server | Http2SecureServer;
  readonly #requested: Required<Pick<ListenOptions, "port" | "hostname">>;
  readonly #open = new LinkedList<OpenResponse>();
  readonly #upgrades = new Map<Duplex, UpgradeCall>();
  readonly #sessions = new Set<ServerHttp2Session>();
  readonly #connections = new ConnectionLimits(this.#open);
  /** Whether each connection ends with its next response. */
  #isDraining = false;
  /** The last response on each ending connection. */
  readonly #last = new WeakMap<object, ServerResponse>();
  #closing = false;

  /**
   * Listens; whether Node can is known asynchronously.
   *
   * @param handler Handles requests
   * @param options Where to listen
   * @param app Application with the WebSocket routes; upgrades that match none are left to other listeners
   */
  constructor(handler: AppFetch, options: ListenOptions, app: Routed) {
    const { port = 0, hostname = "", cert, key, reusePort = false } = options;
    if (reusePort) assertSharedPorts(process.versions.node);
    this.#requested = { port, hostname };
    const served = { fetch: handler };
    const handle = app[replacedHandleKey] ?? null;
    const listener = (req: IncomingMessage, res: ServerResponse): void => {
      this.#watch(res);
      if (this.#isDraining) this.#endAfter(res);
      if (handle !== null) return void handle(req, res);
      const isTouched = res.statusCode !== 200 || res.getHeaderNames().length > 0 || !isAlone(server, listener);
      receive(served, isTouched ? new HostedCall(req, res) : new NodeCall(req, res));
    };
    const server = this.#server = cert !== undefined && key !== undefined
      ? createSecureServer({ allowHTTP1: true, cert, key }, listener as never)
      : createServer(listener);
    this.limits = limitServer(server, options, this.#connections, this.#sessions);
    const upgrades = this.#upgrades;
    const connections = this.#connections;
    // one listener for all connections, because there may be many
    const forget = function (this: Duplex): void {
      upgrades.delete(this);
      connections.sockets.delete(this as Socket);
    };
    const isClosing = (): boolean => this.#closing;
    server.on("upgrade", (req, socket, head) => {
      // other listeners: a proxy, or a different framework that found the server through req.socket.server
      if (server.listenerCount("upgrade") > 1 && !isForSocket(req, app)) return;
      const call = takeUpgrade(served, req, socket, head, server, app, isClosing);
      if (call === null) return;
      upgrades.set(socket, call);
      // replaces the other listener, because Node reserves space for twenty listeners as soon as there are three
      socket.off("close", connections.closed).on("close", forget);
    });
    server.on("session", (session: ServerHttp2Session) => {
      this.#sessions.add(session);
      session.once("close", () => this.#sessions.delete(session));
      closeWhenIdle(session, this.limits);
    });
    server.on("connection", (socket) => this.#connections.add(socket));
    this.ready = new Promise((resolve, reject) => {
      server.once("listening", () => {
        resolve();
        // errors on a listening server, such as a connection it cannot accept because too many files are open
        server.off("error", reject).on("error", (error) => app.reportError(error, { phase: "server" }));
      });
      // a server closed on the tick in which it was bound never emits `listening`
      server.once("close", resolve);
      server.once("error", reject);
    });

    reportClientErrors(server, app);
    const closed = new Promise<void>((resolve) => server.once("close", () => resolve()));
    this.finished = this.ready.then(() => closed);
    const stop = (): void => this.#connections.stop();
    this.finished.then(stop, stop);
    // without a host name Node binds synchronously, so the port is known when listen() returns
    server.listen({ port, ...(hostname === "" ? {} : { host: hostname }), ...(reusePort ? { reusePort } : {}) });
  }

  #watch(res: ServerResponse): void {
    const open = new OpenResponse(res);
    this.#open.add(open);
    // not once(), which would only add a wrapper
    res.on("close", () => {
      this.#open.delete(open);
      // otherwise idle connections would keep the server open until they time out
      if (this.#closing) nextTurn(() => this.#closeIdle());
    });
  }

  get #address(): { port: number; address: string } | null {
    const address = this.#server.address();
    return typeof address === "object" ? address : null;
  }

  get native(): NativeServer {
    return this.#server as unknown as NativeServer;
  }

  get port(): number {
    return this.#address?.port ?? this.#requested.port;
  }

  get hostname(): string {
    return this.#address?.address ?? (this.#requested.hostname || "::");
  }

  drain(): void {
    this.#isDraining = true;
    this.#sayGoodbye();
    for (const session of this.#sessions) session.close();
  }

  async shutdown(): Promise<void> {
    this.drain();
    this.#closing = true;
    // synchronously if possible, because the program may listen on the same port in its next statement, as with Node's
    // server
    if (!this.#server.listening && !await this.ready.then(() => true, () => false)) return;
    // not http's close(), which treats connections as idle while a slow client is still receiving the response
    NetServer.prototype.close.call(this.#server);
    const upgrades = [...this.#upgrades.values()];
    for (const call of upgrades) call.goAway();
    this.#closeIdle();
    await this.finished;
    // Node's server closes before its last sockets emit `close`, which they do when an event loop turn ends
    await new Promise<void>((resolve) => nextTurn(() => nextTurn(resolve)));
    await Promise.all(upgrades.map((call) => call.told()));
    // it is already closed, except for http's connection check timer
    this.#server.close(() => {});
  }

  // otherwise a client that keeps sending requests would keep the server open, and a request sent just as its
  // connection closes would be lost
  #sayGoodbye(): void {
    for (const { res } of this.#open) this.#endAfter(res);
    for (const socket of this.#upgrades.keys()) this.#keepAfter(socket);
  }

  #endAfter(res: ServerResponse | Http2ServerResponse): void {
    // sends GOAWAY and finishes streams that have begun
    if (!(res instanceof ServerResponse)) return void res.stream.session?.close();
    const { socket } = res.req;
    // the client sent this request before it received GOAWAY
    this.#keepAfter(socket);
    this.#last.set(socket, res);
    res.shouldKeepAlive = false;
  }

  #keepAfter(socket: object): void {
    const last = this.#last.get(socket);
    if (last !== undefined && !last.headersSent) last.shouldKeepAlive = true;
  }

  // for the same reason, not while clients still receive responses; called again after each response
  #closeIdle(): void {
    const isIdleKnown = ![...this.#open].some(({ res }) => isLeaving(res));
    if (isIdleKnown && "closeIdleConnections" in this.#server) this.#server.closeIdleConnections();
    for (const session of this.#sessions) session.close();
  }

  abort(): void {
    const left = [...this.#open].map(({ res }) =>
      new Promise<void>((resolve) => {
        res.once("close", resolve);
        if (res.headersSent) breakOff(res);
        else res.writeHead(503, { "content-length": 19 }).end("Service Unavailable");
      })
    );
    for (const call of this.#upgrades.values()) call.cut();
    // an unfinished upload, or a client that does not read, could prevent a response from being sent
    const timer = setTimeout(() => this.#cut(), LEAVING_MS);
    void Promise.all(left).then(() => {
      clearTimeout(timer);
      this.#cut();
    });
  }

  #cut(): void {
    if ("closeAllConnections" in this.#server) this.#server.closeAllConnections();
    // not the sessions, because a session that has sent GOAWAY would wait for its client
    for (const socket of this.#connections.sockets) socket.destroy();
    for (const call of this.#upgrades.values()) call.drop();
  }

  ref(): void {
    if ("ref" in this.#server) this.#server.ref();
  }

  unref(): void {
    if ("unref" in this.#server) this.#server.unref();
  }
}

// other listeners may have run already, or call this one themselves, as Socket.IO does; agents replace `emit`, and may
// set properties for handlers
function isAlone(server: Server | Http2SecureServer, listener: RequestListener): boolean {
  if (server.emit !== EventEmitter.prototype.emit) return false;
  return server.listenerCount("request") === 1 && server.listenerCount("request", listener) === 1;
}

// the response has ended, but the client has not yet received it; HTTP/2 does not have this problem
function isLeaving(res: ServerResponse): boolean {
  return res instanceof ServerResponse && res.writableEnded && !res.writableFinished && !res.req.socket.destroyed;
}
