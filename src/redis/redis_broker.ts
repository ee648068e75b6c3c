import type { Buffer } from "node:buffer";
import { reasonOf } from "../util/error_text.ts";
import type { TopicBroker, TopicHost } from "../websocket/topic_broker.ts";
import type { PubSubClient, Subscriber } from "./pubsub_client.ts";
import { newSender, packed, unpacked } from "./topic_message.ts";

/** Maximum bytes waiting for a slow Redis; other processes miss messages beyond it. */
const MOST_WAITING = 16 * 1024 * 1024;

/** An application's topics in Redis, with a channel for each. */
export class RedisBroker implements TopicBroker {
  readonly #client: PubSubClient;
  readonly #prefix: string;
  readonly #unguard: () => void;
  readonly #sender = newSender();
  readonly #wanted = new Set<string>();
  readonly #held = new Set<string>();
  // This and `#waiting` are replaced with every connection: commands lost with an old one may never settle.
  #changing = new Set<string>();
  #waiting = { bytes: 0 };
  #host: TopicHost | null = null;
  #subscriber: Subscriber | null = null;
  #stopListening: (() => void) | null = null;
  #isAway = false;

  /**
   * @param client The client
   * @param prefix Prefix for the channels
   * @param unguard Called on close, when the client's errors no longer need a listener
   */
  constructor(client: PubSubClient, prefix: string, unguard: () => void) {
    this.#client = client;
    this.#prefix = prefix;
    this.#unguard = unguard;
  }

  open(host: TopicHost): void {
    if (this.#host !== null) {
      throw new Error("redisTopics: this broker is already in use; call redisTopics(client) for each application");
    }
    this.#host = host;
    this.#listen();
  }

  publish(topic: string, data: string | Uint8Array): void {
    const message = packed(this.#sender, data);
    if (!this.#client.isReady()) {
      return this.#failed(new Error("the client is not connected; is client.connect() missing?"));
    }
    const { bytes } = this.#waiting;
    if (bytes > 0 && bytes + message.length > MOST_WAITING) {
      return this.#failed(new Error(`${bytes} bytes are already waiting for Redis`));
    }
    void this.#send(topic, message);
  }

  async #send(topic: string, message: Buffer): Promise<void> {
    const waiting = this.#waiting;
    waiting.bytes += message.length;
    try {
      await this.#client.publish(this.#prefix + topic, message);
      if (waiting.bytes === message.length) this.#isBack();
    } catch (error) {
      this.#failed(error);
    }
    waiting.bytes -= message.length;
  }

  subscribe(topic: string): void {
    this.#wanted.add(topic);
    if (this.#subscriber !== null) return void this.#settle(topic);
    this.#listen();
    this.#subscriber = this.#connect();
    for (const one of this.#wanted) void this.#settle(one);
  }

  #connect(): Subscriber {
    // a subscriber closed while connecting may still report
    const own: Subscriber = this.#client.subscriber({
      ready: () => own === this.#subscriber && this.#followAgain(),
      failed: (error) => own === this.#subscriber && this.#failed(error),
    }, (channel, message) => {
      const { isOwn, data } = unpacked(this.#sender, message);
      if (!isOwn) this.#host?.deliver(channel.slice(this.#prefix.length), data);
    });
    return own;
  }

  unsubscribe(topic: string): void {
    this.#wanted.delete(topic);
    void this.#settle(topic);
  }

  close(): Promise<void> {
    this.#subscriber?.close();
    this.#subscriber = null;
    this.#held.clear();
    this.#stopListening?.();
    this.#stopListening = null;
    this.#unguard();
    return Promise.resolve();
  }

  // Subscriptions may change while a command is in flight, so each topic runs one command at a time until it is
  // settled.
  async #settle(topic: string): Promise<void> {
    const changing = this.#changing;
    if (changing.has(topic)) return;
    changing.add(topic);
    try {
      for (let own = this.#subscriber; own !== null; own = this.#subscriber) {
        const isWanted = this.#wanted.has(topic);
        // without a connection nothing is sent; the next connection sends everything
        if (isWanted === this.#held.has(topic) || !own.isReady()) break;
        await (isWanted ? own.subscribe(this.#prefix + topic) : own.unsubscribe(this.#prefix + topic));
        if (changing !== this.#changing || own !== this.#subscriber) return;
        if (isWanted) this.#held.add(topic);
        else this.#held.delete(topic);
      }
    } catch (error) {
      // retried on the next connection
      if (this.#subscriber !== null && changing === this.#changing) this.#failed(error);
    } finally {
      changing.delete(topic);
    }
  }

  // clients may or may not resubscribe themselves; doing it twice is harmless
  #followAgain(): void {
    // in-flight commands may or may not have run
    for (const topic of this.#changing) this.#held.add(topic);
    this.#changing = new Set();
    for (const topic of this.#wanted) this.#held.delete(topic);
    for (const topic of [...this.#wanted, ...this.#held]) void this.#settle(topic);
    this.#isBack();
  }

  #listen(): void {
    this.#stopListening ??= this.#client.listen({
      ready: () => {
        this.#waiting = { bytes: 0 };
        this.#isBack();
      },
      failed: (error) => this.#failed(error),
    });
  }

  // reported once, not for every message and connection attempt
  #failed(error: unknown): void {
    if (this.#isAway) return;
    this.#isAway = true;
    // without a cause, because the log would show the whole cause
    const reason = reasonOf(error);
    const told = `redisTopics: topics reach the members in this process only, until Redis is back (${reason})`;
    this.#host?.reportError(new Error(told));
  }

  #isBack(): void {
    if (this.#client.isReady() && this.#subscriber?.isReady() !== false) this.#isAway = false;
  }
}
