import type { FrameworkRequest, Untyped } from "../request/framework_request.ts";
import type { Connections, Member, SocketData } from "./connections.ts";

/** What a connection knows of its beginning; put your own values beside it. */
export interface ConnectionData {
  /** The path of the route, as it was registered. */
  routePath: string;
  /** Path parameters. */
  params: Record<string, Untyped>;
  /** The request that became the connection. Its headers, URL and cookies can still be read. */
  req: FrameworkRequest;
  /** The application's own values. */
  [name: string]: Untyped;
}

/** One open WebSocket: the same on every runtime. */
export class WebSocketConnection implements Member {
  /** The request, the parameters, and the application's own values. */
  readonly data: ConnectionData;
  /** The sub-protocol that was chosen, `""` for none. */
  readonly protocol: string;
  #socket: WebSocket;
  #connections: Connections;
  #onBuffered: () => void;

  /**
   * Wraps a socket; the framework does this for every upgrade.
   *
   * @param socket The server's end
   * @param protocol The sub-protocol that was chosen
   * @param data What the connection knows
   * @param connections The application's connections
   * @param onBuffered Runs when a message had to wait
   */
  constructor(
    socket: WebSocket,
    protocol: string,
    data: ConnectionData,
    connections: Connections,
    onBuffered: () => void,
  ) {
    this.#socket = socket;
    this.protocol = protocol;
    this.data = data;
    this.#connections = connections;
    this.#onBuffered = onBuffered;
  }

  /** 0 connecting, 1 open, 2 closing, 3 closed. */
  get readyState(): number {
    return this.#socket.readyState;
  }

  /** Bytes that wait to be sent. */
  get bufferedAmount(): number {
    return this.#socket.bufferedAmount;
  }

  /**
   * Sends a message. On a connection that is closing or closed nothing happens.
   *
   * @param data Text or bytes
   */
  send(data: SocketData): void {
    if (this.#socket.readyState !== 1) return;
    this.#socket.send(data);
    if (this.#socket.bufferedAmount > 0) this.#onBuffered();
  }

  /**
   * Closes the connection.
   *
   * @param code 1000, or 3000 to 4999 for the application's own meanings; the server also uses 1001 and 1011
   * @param reason At most 123 bytes
   */
  close(code = 1000, reason = ""): void {
    this.#socket.close(code, reason);
  }

  /** Follows a topic. */
  subscribe(topic: string): void {
    this.#connections.subscribe(topic, this);
  }

  /** Stops following a topic. */
  unsubscribe(topic: string): void {
    this.#connections.unsubscribe(topic, this);
  }

  /** Tells whether the connection follows a topic. */
  isSubscribed(topic: string): boolean {
    return this.#connections.isSubscribed(topic, this);
  }

  /**
   * Sends a message to everybody else who follows a topic.
   *
   * @returns How many got it
   */
  publish(topic: string, data: SocketData): number {
    return this.#connections.publish(topic, data, this);
  }
}
