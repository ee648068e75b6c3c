import { type FrameworkApp, resumeKey } from "../app/framework_app.ts";
import { socketPair, upgradeResponse } from "../platform/cloudflare/cloudflare_platform.ts";
import { WorkerSocket } from "../platform/cloudflare/cloudflare_socket.ts";
import type { Upgrade, UpgradeOptions } from "../platform/shared/platform.ts";
import { exchangeOf } from "../exchange/exchange.ts";
import { connectionsKey } from "../websocket/connections.ts";
import { serveConnection } from "../websocket/serve_connection.ts";
import type { WebSocketConnection } from "../websocket/ws_connection.ts";
import { attach, attached, type Attachment, keptHeaders } from "./socket_attachment.ts";
import type { DurableState, ObjectSocket } from "./durable_state.ts";
import { SocketRoutes } from "./socket_routes.ts";

/** An open connection and its data. */
interface Known {
  readonly raw: ObjectSocket;
  readonly socket: WorkerSocket;
  readonly ws: WebSocketConnection;
  attachment: Attachment;
}

/** One Durable Object's connections; they outlive it while it hibernates. */
export class ObjectSockets {
  readonly #state: DurableState;
  readonly #env: unknown;
  readonly #app: FrameworkApp;
  readonly #headers: readonly string[] | undefined;
  readonly #routes: SocketRoutes;
  /** By socket, and by connection. */
  readonly #known = new WeakMap<ObjectSocket | WebSocketConnection, Known>();

  /**
   * @param state The object's state
   * @param env The bindings
   * @param app The application that the object serves
   * @param headers Names of the request headers to keep
   */
  constructor(state: DurableState, env: unknown, app: FrameworkApp, headers: readonly string[] | undefined) {
    this.#state = state;
    this.#env = env;
    this.#app = app;
    this.#headers = headers;
    this.#routes = new SocketRoutes(app);
  }

  /** Resumes the connections that were open when the object began to hibernate. */
  wake(): void {
    for (const raw of this.#state.getWebSockets() as ObjectSocket[]) {
      const attachment = attached(raw);
      if (attachment !== null) this.#resume(raw, attachment);
    }
    this.#app[connectionsKey].changed = (ws) => this.#keep(this.#known.get(ws as WebSocketConnection));
  }

  #resume(raw: ObjectSocket, attachment: Attachment): void {
    const { url, mount, headers, path, params, protocol, topics, own } = attachment;
    const route = this.#routes.at(attachment.route);
    if (route === undefined) {
      const gone = new Error(`The application has no route "${path}" for a connection that slept`);
      this.#app.reportError(gone, { phase: "websocket" });
      // 1012: the service restarts, reconnect
      return raw.close(1012, "The route was removed");
    }
    const socket = new WorkerSocket(raw);
    const { owner, handlers } = route;
    const request = new Request(url, { headers: headers as [string, string][] });
    const req = owner[resumeKey]({ request, info: this.#env, context: this.#state, mount, params });
    const ws = serveConnection({
      socket: socket as unknown as WebSocket,
      protocol,
      data: { ...own, routePath: path, params, req },
      handlers,
      connections: owner[connectionsKey],
      app: owner,
      resumed: true,
      handled: () => this.#keep(this.#known.get(raw)),
    });
    for (const topic of topics) this.#app[connectionsKey].subscribe(topic, ws);
    this.#remember({ raw, socket, ws, attachment });
  }

  #remember(known: Known): void {
    this.#known.set(known.raw, known).set(known.ws, known);
  }

  /** Accepts a connection. */
  upgrade(options: UpgradeOptions): Upgrade {
    const { client, server } = socketPair();
    const raw = server as ObjectSocket;
    const socket = new WorkerSocket(raw);
    const keep: Upgrade["keep"] = (connection, handlers) => {
      if (this.#known.has(raw)) return this.#keep(this.#known.get(raw));
      const ws = connection as WebSocketConnection;
      const known = { raw, socket, ws, attachment: this.#begin(ws, handlers) };
      this.#remember(known);
      this.#keep(known);
      this.#state.acceptWebSocket(raw);
      queueMicrotask(() => this.#state.waitUntil(Promise.resolve(socket.opened())));
    };
    return { socket: socket as unknown as WebSocket, response: upgradeResponse(client, options), keep };
  }

  #begin({ data, protocol }: WebSocketConnection, handlers: object): Attachment {
    const { req, params, routePath: path } = data;
    const { request, mount } = exchangeOf(req)!.target;
    return {
      sluice: 1,
      route: this.#routes.numberOf(handlers, path),
      path,
      protocol,
      url: request.url,
      mount,
      headers: keptHeaders(request.headers, this.#headers),
      params,
      topics: [],
      own: {},
    };
  }

  #keep(known: Known | undefined): void {
    // a closing connection is never woken
    if (known === undefined || known.ws.readyState > 1) return;
    const { raw, ws, attachment } = known;
    const { routePath: _path, params, req: _req, ...own } = ws.data;
    known.attachment = attach(raw, { ...attachment, params, own, topics: this.#app[connectionsKey].topicsOf(ws) });
  }

  /** Passes on a connection's message; settles when its handler has. */
  async message(raw: ObjectSocket, data: string | ArrayBuffer): Promise<void> {
    await this.#socketOf(raw)?.message(data);
  }

  /** Passes on a connection's close; settles when its handler has. */
  async closed(raw: ObjectSocket, code: number, reason: string): Promise<void> {
    await this.#socketOf(raw)?.closed(code, reason);
  }

  /** Passes on a connection's error; settles when its handlers have. */
  async failed(raw: ObjectSocket, error: unknown): Promise<void> {
    await this.#socketOf(raw)?.failed(error);
  }

  // undefined for a connection closed on waking because its route was removed
  #socketOf(raw: ObjectSocket): WorkerSocket | undefined {
    const known = this.#known.get(raw);
    if (known !== undefined || attached(raw) !== null) return known?.socket;
    throw new TypeError(
      "durableSockets got an event from a socket that no ws() route accepted; override webSocketMessage, " +
        "webSocketClose and webSocketError for sockets of your own, and call super for the rest",
    );
  }
}
