import { beginHolding, endHolding, type Holder, keepWithinBudget, leaveBudget } from "../exchange/send_budget.ts";
import type { ReadyData } from "./send_queue.ts";
import { byteLengthOf, bytesOf } from "./socket_data.ts";

/**
 * Bytes that a waiting message uses in addition to its data; without them, millions of empty messages would count as
 * nothing.
 */
const MESSAGE_BYTES = 64;

/** Interval between checks whether the client has read anything, in ms: the first and the longest. */
const FIRST_LOOK_MS = 1;
const LAST_LOOK_MS = 256;

/** How long a closing connection waits for its client to read the data already sent, in ms. */
const CLOSING_MS = 30_000;

/** A message for one client, or for all a topic's subscribers, which share it while it waits. */
export class Message {
  /** The data. */
  data: ReadyData;
  #bytes = -1;
  #holders = 0;

  /** @param data A string or bytes */
  constructor(data: ReadyData) {
    this.data = data;
  }

  /** Bytes on the wire, without framing; computed if the message has to wait. */
  get bytes(): number {
    return this.#bytes === -1 ? this.#bytes = byteLengthOf(this.data) : this.#bytes;
  }

  /** Bytes in memory while it waits. */
  get heldBytes(): number {
    return this.bytes + MESSAGE_BYTES;
  }

  /** Keeps the message for one more client. */
  hold(): void {
    if (this.#holders++ > 0) return;
    // the caller may reuse the bytes
    if (typeof this.data !== "string") this.data = bytesOf(this.data).slice();
    beginHolding(this.heldBytes);
  }

  /** Ends `hold` for one client. */
  release(): void {
    if (--this.#holders === 0) endHolding(this.heldBytes);
  }
}

/** The part of a connection that its waiting messages use. */
export interface Outlet {
  /** Maximum bytes that may wait in the process. */
  readonly most: number;
  /** Bytes that the runtime would accept now; 0 or less if it accepts none. */
  room(): number;
  /** Whether the connection can still send. */
  isOpen(): boolean;
  /** Passes a message to the runtime. */
  pass(data: ReadyData): void;
  /** Called once, when no message is waiting any more. */
  emptied(): void;
  /** Called instead of `emptied` if the messages were dropped to free memory for other clients. */
  evicted(): void;
  /** Reports why connections are closed. */
  report(reason: Error): void;
}

/**
 * Messages for a client that reads slowly. They wait here instead of in the runtime, which would copy a message for
 * each client and, like Deno, may keep it until the connection ends.
 */
export class WaitingMessages implements Holder {
  readonly #outlet: Outlet;
  #messages: Message[] = [];
  /** Number of messages passed on. */
  #passed = 0;
  /** Waiting bytes, on the wire. */
  bytes = 0;
  #lookMs = FIRST_LOOK_MS;
  #timer: ReturnType<typeof setTimeout> | undefined = undefined;
  #endsAt = Infinity;

  /** @param outlet Where the messages go */
  constructor(outlet: Outlet) {
    this.#outlet = outlet;
    this.#lookLater();
  }

  /** Bytes in memory, as if no other client waited for the same messages. */
  get heldBytes(): number {
    return this.bytes + (this.#messages.length - this.#passed) * MESSAGE_BYTES;
  }

  /**
   * Adds a message.
   *
   * @param message The message
   */
  add(message: Message): void {
    message.hold();
    this.#messages.push(message);
    this.bytes += message.bytes;
    keepWithinBudget(this, this.#outlet.most, (reason) => this.#outlet.report(reason));
  }

  /** Notes that the connection closes after the last message, or after a deadline if the client reads nothing. */
  close(): void {
    this.#endsAt = performance.now() + CLOSING_MS;
  }

  /** Drops all messages, because the connection is over. */
  drop(): void {
    clearTimeout(this.#timer);
    leaveBudget(this);
    for (let i = this.#passed; i < this.#messages.length; i++) this.#messages[i]!.release();
    this.#messages = [];
    this.bytes = this.#passed = 0;
  }

  /** Drops all messages to free memory for other clients. */
  evict(): void {
    this.drop();
    this.#outlet.evicted();
  }

  #lookLater(): void {
    this.#timer = setTimeout(() => this.#look(), this.#lookMs);
  }

  #look(): void {
    const outlet = this.#outlet;
    if (!outlet.isOpen()) return this.drop();
    for (let room = outlet.room(); room > 0 && this.#passed < this.#messages.length;) {
      const message = this.#messages[this.#passed++]!;
      this.bytes -= message.bytes;
      room -= message.bytes;
      outlet.pass(message.data);
      message.release();
    }
    const isEmpty = this.#passed === this.#messages.length;
    if (isEmpty || performance.now() > this.#endsAt) {
      this.drop();
      return outlet.emptied();
    }
    const hasMoved = this.#passed > 0;
    this.#messages.splice(0, this.#passed);
    this.#passed = 0;
    this.#lookMs = hasMoved ? FIRST_LOOK_MS : Math.min(2 * this.#lookMs, LAST_LOOK_MS);
    this.#lookLater();
  }
}
