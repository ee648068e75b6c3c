import { createServer, type Server, ServerResponse } from "node:http";
import { createSecureServer, type Http2SecureServer, type ServerHttp2Session } from "node:http2";
import { Server as NetServer } from "node:net";
import { type Linked, LinkedList } from "../util/linked_list.ts";
import type { AppFetch, ListenOptions, NativeServer, PlatformServer, Routed } from "../platform/shared/platform.ts";
import { reportClientErrors } from "./client_errors.ts";
import { ConnectionLimits } from "./connection_limits.ts";
import { closeWhenIdle } from "./idle_session.ts";
import { nextTurn } from "./next_turn.ts";
import { toNodeHandler } from "./node_handler.ts";
import { assertSharedPorts, limitServer, type NodeLimits } from "./node_limits.ts";
import { StreamLimit } from "./stream_limit.ts";
import { isForSocket, takeUpgrade } from "./take_upgrade.ts";
import type { UpgradeCall } from "./upgrade_call.ts";

/**
 * Listens with `node:http`; with a certificate with `node:http2`, which speaks HTTP/1.1 too.
 *
 * @param handler Handles requests
 * @param options Where to listen
 * @param app Has the WebSocket routes; upgrades that lead to none of them are left to other listeners
 * @returns The server; Node finds out asynchronously whether it can listen
 */
export function serveOnNode(handler: AppFetch, options: ListenOptions, app: Routed): PlatformServer {
  return new NodeServer(handler, options, app);
}

/** ms for the last responses to be sent before connections are cut. */
const LEAVING_MS = 100;

/** A response that is not complete. */
class OpenResponse implements Linked<OpenResponse> {
  readonly res: ServerResponse;
  before: OpenResponse | null = null;
  after: OpenResponse | null = null;

  constructor(res: ServerResponse) {
    this.res = res;
  }
}

class NodeServer implements PlatformServer {
  readonly ready: Promise<void>;
  readonly finished: Promise<void>;
  readonly limits: NodeLimits;
  readonly #server: Server | Http2SecureServer;
  readonly #requested: Required<Pick<ListenOptions, "port" | "hostname">>;
  readonly #open = new LinkedList<OpenResponse>();
  readonly #upgrades = new Set<UpgradeCall>();
  readonly #sessions = new Set<ServerHttp2Session>();
  readonly #connections = new ConnectionLimits(this.#open);
  #closing = false;

  constructor(handler: AppFetch, options: ListenOptions, app: Routed) {
    const { port = 0, hostname = "", cert, key, reusePort = false } = options;
    if (reusePort) assertSharedPorts(process.versions.node);
    this.#requested = { port, hostname };
    const handle = toNodeHandler({ fetch: handler });
    const listener = (req: Parameters<typeof handle>[0], res: ServerResponse): void => {
      this.#watch(res);
      // otherwise a client that sends request after request would keep the server open
      if (this.#closing) res.shouldKeepAlive = false;
      handle(req, res);
    };
    const server = this.#server = cert !== undefined && key !== undefined
      ? createSecureServer({ allowHTTP1: true, cert, key }, listener as never)
      : createServer(listener);
    this.limits = limitServer(server, options, this.#connections, new StreamLimit(server, this.#sessions));
    server.on("upgrade", (req, socket, head) => {
      // other listeners: a proxy, or another framework, that found the server through req.socket.server
      if (server.listenerCount("upgrade") > 1 && !isForSocket(req, app)) return;
      const call = takeUpgrade({ fetch: handler }, req, socket, head, server, app, () => this.#closing);
      if (call === null) return;
      this.#upgrades.add(call);
      socket.once("close", () => this.#upgrades.delete(call));
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
        // of a server that listens: if too many files are open, for example, it cannot accept a connection
        server.off("error", reject).on("error", (error) => app.reportError(error, { phase: "server" }));
      });
      // a server that is closed in the turn in which it was bound never emits `listening`
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

  async shutdown(): Promise<void> {
    this.#closing = true;
    this.#sayGoodbye();
    // synchronously if possible: as with Node's own server, the next line may listen on the same port again
    if (!this.#server.listening && !await this.ready.then(() => true, () => false)) return;
    // not http's close(), which treats connections as idle while a slow client is still receiving the response
    NetServer.prototype.close.call(this.#server);
    const upgrades = [...this.#upgrades];
    for (const call of upgrades) call.goAway();
    this.#closeIdle();
    await this.finished;
    // Node's server closes before its last sockets emit `close`
    await Promise.all(upgrades.map((call) => call.told()));
    // it is closed already, except for http's timer that checks connections
    this.#server.close(() => {});
  }

  // `Connection: close` on the last response of each connection keeps the client from sending another request
  #sayGoodbye(): void {
    const last = new Map<object, ServerResponse>();
    for (const { res } of this.#open) last.set(res.req.socket, res);
    for (const { req } of this.#upgrades) last.delete(req.socket);
    for (const res of last.values()) res.shouldKeepAlive = false;
  }

  // for the same reason not while responses are still being received; called again after each
  #closeIdle(): void {
    const isIdleKnown = ![...this.#open].some(({ res }) => isLeaving(res));
    if (isIdleKnown && "closeIdleConnections" in this.#server) this.#server.closeIdleConnections();
    for (const session of this.#sessions) session.close();
  }

  abort(): void {
    const left = [...this.#open].map(({ res }) =>
      new Promise<void>((resolve) => {
        res.once("close", resolve);
        if (res.headersSent) res.destroy();
        else res.writeHead(503, { "content-length": 19 }).end("Service Unavailable");
      })
    );
    for (const call of this.#upgrades) call.cut();
    // an unfinished upload, or a client that does not read, could keep a response from being sent
    const timer = setTimeout(() => this.#cut(), LEAVING_MS);
    void Promise.all(left).then(() => {
      clearTimeout(timer);
      this.#cut();
    });
  }

  #cut(): void {
    if ("closeAllConnections" in this.#server) this.#server.closeAllConnections();
    // not the sessions: one that has sent GOAWAY would wait for its client
    for (const socket of this.#connections.sockets) socket.destroy();
    for (const call of this.#upgrades) call.drop();
  }

  ref(): void {
    if ("ref" in this.#server) this.#server.ref();
  }

  unref(): void {
    if ("unref" in this.#server) this.#server.unref();
  }
}

// ended, but not yet received by the client; HTTP/2 has no such problem
function isLeaving(res: ServerResponse): boolean {
  return res instanceof ServerResponse && res.writableEnded && !res.writableFinished && !res.req.socket.destroyed;
}
