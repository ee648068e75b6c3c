import { utf8Length } from "../util/encodings.ts";
import { describe } from "../util/error_text.ts";
import type { FrameworkRequest } from "../request/framework_request.ts";
import type { Any } from "../util/any.ts";
import { refuseMembers } from "../util/refuse_members.ts";
import { type Connections, deliverKey, type Member } from "./connections.ts";
import { type ReadyData, SendQueue } from "./send_queue.ts";
import { assertSocketData, mostBytesOf, type SocketData } from "./socket_data.ts";
import { MAX_BUFFERED_BYTES, PASSED_BYTES, TOO_SLOW } from "./socket_limits.ts";
import { Message, WaitingMessages } from "./waiting_messages.ts";

/**
 * A connection's data, including your own values.
 *
 * @typeParam Params Type of the path parameters
 */
export interface ConnectionData<Params = Record<string, Any>> {
  /** The route's path as registered. */
  routePath: string;
  /** Path parameters. */
  params: Params;
  /** The request that became the connection. Its headers, URL and cookies remain readable. */
  req: FrameworkRequest<Params>;
  /** The application's own values. */
  [name: string]: Any;
}

/** A connection's callbacks and limits. */
export interface ConnectionEvents {
  /** Maximum bytes that may wait in the process. */
  readonly sendBudget: number;
  /** Connections are being closed because more than `sendBudget` bytes are waiting. */
  overBudget(reason: Error): void;
  /** A message was passed on; it may have to wait for the client to read. */
  sent(): void;
  /** The application closed the connection. */
  closing(code: number, reason: string): void;
  /** A Blob could not be read, so it was not sent. */
  failed(error: unknown): void;
}

/** Key of the method that drops waiting messages, for internal use. */
export const dropKey: unique symbol = Symbol("sluice.drop");

/** Maximum bytes in a close reason (RFC 6455 section 5.5, minus two for the code). */
const LONGEST_REASON = 123;

/**
 * An open WebSocket, with the same API on every runtime.
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
  /** The selected sub-protocol, or `""` if there is none. */
  readonly protocol: string;
  readonly #socket: WebSocket;
  readonly #connections: Connections;
  readonly #events: ConnectionEvents;
  /** Created with the first Blob. */
  #outgoing: SendQueue | null = null;
  readonly #maxBufferedBytes: number;
  /** Bytes that can be passed to the runtime before its buffered amount must be read again. */
  #room: number;
  /** Messages held back because too much is waiting in the runtime. */
  #waiting: WaitingMessages | null = null;
  #isClosing = false;
  /** Code and reason for closing once the waiting messages are sent. */
  #ending: readonly [code: number, reason: string] | null = null;

  /**
   * Wraps a socket; the framework does this for every upgrade.
   *
   * @param socket The server's end
   * @param protocol The selected sub-protocol
   * @param data The value of `ws.data`
   * @param connections The application's connections
   * @param events Callbacks for the connection's events
   * @param maxBufferedBytes Maximum bytes waiting for the client
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
    this.#maxBufferedBytes = maxBufferedBytes;
    this.#room = this.#passable;
  }

  /** 0 connecting, 1 open, 2 closing, 3 closed. */
  get readyState(): number {
    const { readyState } = this.#socket;
    return this.#isClosing && readyState === 1 ? 2 : readyState;
  }

  /** Bytes waiting to be sent. */
  get bufferedAmount(): number {
    return this.#socket.bufferedAmount + (this.#outgoing?.bytes ?? 0) + (this.#waiting?.bytes ?? 0);
  }

  get #passable(): number {
    return Math.min(PASSED_BYTES, this.#maxBufferedBytes);
  }

  /**
   * Sends a message. Does nothing if the connection is closing or closed. If more than `maxBufferedBytes` are already
   * waiting because the client does not read, it closes the connection with 1013 instead.
   *
   * Messages keep their order, even after a `Blob`, which must be read first.
   *
   * @param data A string or bytes
   * @throws {TypeError} If it is neither
   */
  send(data: SocketData): void {
    assertSocketData("ws.send", data);
    this.#send(data, null);
  }

  /**
   * Sends a message that also goes to other connections.
   *
   * @internal
   */
  [deliverKey](message: Message): void {
    this.#send(message.data, message);
  }

  #send(data: SocketData, shared: Message | null): void {
    if (this.readyState !== 1) return;
    if (this.#room <= 0 && this.#isFull()) return this.close(...TOO_SLOW);
    if (this.#outgoing === null && !(data instanceof Blob)) this.#pass(data, shared);
    else this.#queue.send(data, (ready) => this.#pass(ready, null));
    this.#events.sent();
  }

  get #queue(): SendQueue {
    return this.#outgoing ??= new SendQueue((error) => this.#events.failed(error));
  }

  // checked only occasionally, because reading the amount is a call into the runtime on Deno
  #isFull(): boolean {
    const { bufferedAmount } = this.#socket;
    this.#room = this.#passable - bufferedAmount;
    return bufferedAmount + (this.#outgoing?.bytes ?? 0) + (this.#waiting?.heldBytes ?? 0) > this.#maxBufferedBytes;
  }

  #pass(data: ReadyData, shared: Message | null): void {
    if (this.#socket.readyState !== 1) return;
    const hasRoom = this.#room > 0;
    this.#room -= mostBytesOf(data);
    if (this.#waiting === null && hasRoom) return this.#socket.send(data);
    this.#waiting ??= this.#beginWaiting();
    this.#waiting.add(shared ?? new Message(data));
  }

  #beginWaiting(): WaitingMessages {
    const socket = this.#socket;
    const events = this.#events;
    return new WaitingMessages({
      most: events.sendBudget,
      room: () => this.#passable - socket.bufferedAmount,
      isOpen: () => socket.readyState === 1,
      pass: (data) => socket.send(data),
      emptied: () => this.#emptied(),
      evicted: () => {
        this.#emptied();
        this.close(...TOO_SLOW);
      },
      report: (reason) => events.overBudget(reason),
    });
  }

  #emptied(): void {
    this.#waiting = null;
    if (this.#ending !== null) this.#socket.close(...this.#ending);
  }

  /**
   * Drops waiting messages, because the connection is over.
   *
   * @internal
   */
  [dropKey](): void {
    this.#waiting?.drop();
    this.#waiting = null;
  }

  /**
   * Closes the connection once all messages have been sent. Further calls do nothing.
   *
   * @param code 1000; 3000 to 4999 for your own codes; or any other code that a server may send, such as 1008
   * @param reason At most 123 bytes
   * @throws {RangeError} If the code must not be sent (RFC 6455 section 7.4), or the reason is too long
   */
  close(code = 1000, reason = ""): void {
    assertCode(code);
    // converted as the web's WebSocket does; Node's would reject an error, for example
    const text = String(reason);
    const length = utf8Length(text);
    if (length > LONGEST_REASON) {
      throw new RangeError(`ws.close expects a reason of at most ${LONGEST_REASON} bytes, not ${length}`);
    }
    if (this.readyState > 1) return;
    this.#isClosing = true;
    this.#events.closing(code, text);
    if (this.#outgoing === null) this.#end(code, text);
    else this.#outgoing.after(() => this.#end(code, text));
  }

  #end(code: number, reason: string): void {
    if (this.#waiting === null) return this.#socket.close(code, reason);
    this.#ending = [code, reason];
    this.#waiting.close();
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
   * Sends a message to all other subscribers to a topic.
   *
   * @returns Number of connections in this process that got the message
   * @throws {TypeError} If the topic is not a string, or the message is neither a string nor bytes
   */
  publish(topic: string, data: SocketData): number {
    return this.#connections.publish(topic, data, this);
  }
}

function assertCode(code: number): void {
  const mayBeSent = (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014) || (code >= 3000 && code <= 4999);
  if (Number.isInteger(code) && mayBeSent) return;
  throw new RangeError(`ws.close expects a code of 1000 to 1003, 1007 to 1014 or 3000 to 4999, not ${describe(code)}`);
}

const LISTEN = "write app.ws(path, { open(ws) {}, message(ws, data) {}, close(ws) {} })";

// the mistakes of programs written for ws and for browsers
refuseMembers(WebSocketConnection.prototype, "ws", {
  params: "use ws.data.params",
  terminate: "write ws.close()",
  ping: "use app.ws(path, { pingTimeoutMs })",
  on: LISTEN,
  once: LISTEN,
  addEventListener: LISTEN,
  onopen: LISTEN,
  onmessage: LISTEN,
  onclose: LISTEN,
  onerror: LISTEN,
  url: "use ws.data.req.url",
});
