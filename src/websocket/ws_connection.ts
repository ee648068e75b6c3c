import { utf8Length } from "../util/encodings.ts";
import { describe } from "../util/error_text.ts";
import type { FrameworkRequest } from "../request/framework_request.ts";
import type { Any } from "../util/any.ts";
import type { Connections, Member } from "./connections.ts";
import { type ReadyData, SendQueue } from "./send_queue.ts";
import { assertSocketData, mostBytesOf, type SocketData } from "./socket_data.ts";
import { MAX_BUFFERED_BYTES, TOO_SLOW } from "./socket_limits.ts";

/**
 * Data of a connection, for your own values, too.
 *
 * @typeParam Params Type of the path parameters
 */
export interface ConnectionData<Params = Record<string, Any>> {
  /** The path of the route, as it was registered. */
  routePath: string;
  /** Path parameters. */
  params: Params;
  /** The request that became the connection. Its headers, URL and cookies can still be read. */
  req: FrameworkRequest<Params>;
  /** The application's own values. */
  [name: string]: Any;
}

/** Notifications of a connection. */
export interface ConnectionEvents {
  /** A message was passed on, which may have to wait until the client takes it. */
  sent(): void;
  /** The application closed it. */
  closing(code: number, reason: string): void;
  /** A Blob could not be read, so it was not sent. */
  failed(error: unknown): void;
}

/** Most bytes of a close reason (RFC 6455 section 5.5, minus two for the code). */
const LONGEST_REASON = 123;

/**
 * One open WebSocket: the same on every runtime.
 *
 * @typeParam Params Type of `ws.data.params`; inferred from literal paths
 *
 * @example A room
 * ```ts
 * import sluice from "@sluice/sluice";
 *
 * const app = sluice();
 * app.ws("/rooms/:room", {
 *   open: (ws) => ws.subscribe(ws.data.params.room),
 *   message: (ws, text) => ws.publish(ws.data.params.room, text),
 * });
 * ```
 */
export class WebSocketConnection<Params = Record<string, Any>> implements Member {
  /** The request, the parameters, and the application's own values. */
  readonly data: ConnectionData<Params>;
  /** The sub-protocol that was chosen, `""` for none. */
  readonly protocol: string;
  readonly #socket: WebSocket;
  readonly #connections: Connections;
  readonly #events: ConnectionEvents;
  readonly #outgoing: SendQueue;
  // one function for all messages
  readonly #pass = (data: ReadyData): void => {
    if (this.#socket.readyState === 1) this.#socket.send(data);
  };
  readonly #maxBufferedBytes: number;
  /** Bytes that can be sent before so many may wait that they have to be looked at. */
  #room: number;
  #isClosing = false;

  /**
   * Wraps a socket; the framework does this for every upgrade.
   *
   * @param socket The server's end
   * @param protocol The sub-protocol that was chosen
   * @param data The value of `ws.data`
   * @param connections The application's connections
   * @param events Called when something happens
   * @param maxBufferedBytes Bytes that may wait for the client
   */
  constructor(
    socket: WebSocket,
    protocol: string,
    data: ConnectionData<Params>,
    connections: Connections,
    events: ConnectionEvents,
    maxBufferedBytes: number = MAX_BUFFERED_BYTES,
  ) {
    this.#socket = socket;
    this.protocol = protocol;
    this.data = data;
    this.#connections = connections;
    this.#events = events;
    this.#outgoing = new SendQueue((error) => events.failed(error));
    this.#maxBufferedBytes = this.#room = maxBufferedBytes;
  }

  /** 0 connecting, 1 open, 2 closing, 3 closed. */
  get readyState(): number {
    const { readyState } = this.#socket;
    return this.#isClosing && readyState === 1 ? 2 : readyState;
  }

  /** Bytes that wait to be sent. */
  get bufferedAmount(): number {
    return this.#socket.bufferedAmount + this.#outgoing.bytes;
  }

  /**
   * Sends a message. On a connection that is closing or closed, it does nothing. If more than `maxBufferedBytes` wait
   * already, because the client does not read, the connection is closed with 1013 instead.
   *
   * Messages keep their order, even after a `Blob`, which has to be read first.
   *
   * @param data Text or bytes
   * @throws {TypeError} If it is neither
   */
  send(data: SocketData): void {
    assertSocketData("ws.send", data);
    if (this.readyState !== 1) return;
    if (this.#isFull()) return this.close(...TOO_SLOW);
    this.#room -= mostBytesOf(data);
    this.#outgoing.send(data, this.#pass);
    this.#events.sent();
  }

  // looked at now and then only: on Deno, the amount is a call into the runtime
  #isFull(): boolean {
    if (this.#room > 0) return false;
    this.#room = this.#maxBufferedBytes - this.bufferedAmount;
    return this.#room < 0;
  }

  /**
   * Closes the connection after all messages have been sent. Further calls do nothing.
   *
   * @param code 1000; 3000 to 4999 for codes of your own; or another code a server may send, such as 1008
   * @param reason At most 123 bytes
   * @throws {RangeError} If the code must not be sent (RFC 6455 section 7.4), or the reason is too long
   */
  close(code = 1000, reason = ""): void {
    assertCode(code);
    // as the web's WebSocket converts it: an error, for example, which Node's would not take
    const text = String(reason);
    const length = utf8Length(text);
    if (length > LONGEST_REASON) {
      throw new RangeError(`ws.close takes a reason of at most ${LONGEST_REASON} bytes, not ${length}`);
    }
    if (this.readyState > 1) return;
    this.#isClosing = true;
    this.#events.closing(code, text);
    this.#outgoing.after(() => this.#socket.close(code, text));
  }

  /**
   * Subscribes to a topic.
   *
   * @throws {TypeError} If the topic is not a string
   */
  subscribe(topic: string): void {
    this.#connections.subscribe(topic, this);
  }

  /** Unsubscribes from a topic. */
  unsubscribe(topic: string): void {
    this.#connections.unsubscribe(topic, this);
  }

  /** Whether the connection is subscribed to a topic. */
  isSubscribed(topic: string): boolean {
    return this.#connections.isSubscribed(topic, this);
  }

  /**
   * Sends a message to all other subscribers of a topic.
   *
   * @returns How many connections of this process got it
   * @throws {TypeError} If the topic is not a string, or the message neither text nor bytes
   */
  publish(topic: string, data: SocketData): number {
    return this.#connections.publish(topic, data, this);
  }
}

function assertCode(code: number): void {
  const mayBeSent = (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014) || (code >= 3000 && code <= 4999);
  if (Number.isInteger(code) && mayBeSent) return;
  throw new RangeError(`ws.close takes a code of 1000 to 1003, 1007 to 1014 or 3000 to 4999, not ${describe(code)}`);
}
