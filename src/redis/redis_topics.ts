import type { TopicBroker, TopicHost } from "../websocket/topic_broker.ts";
import type { IoRedisClient, NodeRedisClient, PubSubClient, Subscriber } from "./pubsub_client.ts";
import { pubSubClientOf } from "./pubsub_client.ts";
import { newSender, packed, unpacked } from "./topic_message.ts";
import type { Buffer } from "node:buffer";

/** How topics travel through Redis. */
export interface RedisTopicsOptions {
  /** What the channels of topics begin with, `"sluice:"` by default; another one keeps applications apart. */
  prefix?: string;
}

/** Most bytes that wait for a Redis that takes its time; what is published beyond them is lost to other processes. */
const MOST_WAITING = 16 * 1024 * 1024;

/**
 * Carries topics of WebSockets to the application's other processes through Redis.
 *
 * A message reaches the members in this process at once, as without Redis, and those of other processes at most once:
 * while Redis is away they get nothing, and nothing is sent later. Following comes back with the connection.
 *
 * It publishes through the client, which must be connected, and opens one more connection of its own for following,
 * which `app.close()` ends.
 *
 * @param client A client of `npm:redis` 5 or later, or of `npm:ioredis`
 * @param options What the channels are called
 * @returns What `app.connections.use` takes
 * @throws {TypeError} If the client is neither, or the prefix not a string
 *
 * @example Topics across processes
 * ```ts ignore
 * import { createClient } from "redis";
 * import { redisTopics } from "@sluice/sluice/redis";
 *
 * const client = await createClient({ url: "redis://127.0.0.1:6379" }).connect();
 * app.connections.use(redisTopics(client));
 * ```
 */
export function redisTopics(client: NodeRedisClient | IoRedisClient, options: RedisTopicsOptions = {}): TopicBroker {
  const { prefix = "sluice:" } = options;
  if (typeof prefix !== "string") {
    throw new TypeError(`redisTopics: option prefix must be a string, not ${String(prefix)}`);
  }
  return new RedisTopics(pubSubClientOf(client), prefix);
}

/** One application's topics in Redis: a channel for each. */
class RedisTopics implements TopicBroker {
  readonly #client: PubSubClient;
  readonly #prefix: string;
  readonly #sender = newSender();
  readonly #wanted = new Set<string>();
  readonly #held = new Set<string>();
  readonly #changing = new Set<string>();
  #host: TopicHost | null = null;
  #subscriber: Subscriber | null = null;
  #stopListening: (() => void) | null = null;
  #waiting = 0;
  #isAway = false;

  constructor(client: PubSubClient, prefix: string) {
    this.#client = client;
    this.#prefix = prefix;
  }

  open(host: TopicHost): void {
    if (this.#host !== null) {
      throw new Error("redisTopics: this one is in use already; call redisTopics(client) for each application");
    }
    this.#host = host;
    this.#listen();
  }

  publish(topic: string, data: string | Uint8Array): void {
    const message = packed(this.#sender, data);
    if (!this.#client.isReady()) return this.#failed(new Error("the client is not connected"));
    if (this.#waiting > 0 && this.#waiting + message.length > MOST_WAITING) {
      return this.#failed(new Error(`${this.#waiting} bytes wait for Redis already`));
    }
    void this.#send(topic, message);
  }

  async #send(topic: string, message: Buffer): Promise<void> {
    this.#waiting += message.length;
    try {
      await this.#client.publish(this.#prefix + topic, message);
      if (this.#waiting === message.length) this.#isBack();
    } catch (error) {
      this.#failed(error);
    }
    this.#waiting -= message.length;
  }

  subscribe(topic: string): void {
    this.#wanted.add(topic);
    if (this.#subscriber !== null) return void this.#settle(topic);
    this.#listen();
    this.#subscriber = this.#connect();
    for (const one of this.#wanted) void this.#settle(one);
  }

  #connect(): Subscriber {
    // one that was closed while it was being made may still have something to say
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
    return Promise.resolve();
  }

  // Members come and go while a command is on its way: one command at a time for each topic, until it is as it should be.
  async #settle(topic: string): Promise<void> {
    if (this.#changing.has(topic)) return;
    this.#changing.add(topic);
    try {
      for (let own = this.#subscriber; own !== null; own = this.#subscriber) {
        const isWanted = this.#wanted.has(topic);
        if (isWanted === this.#held.has(topic)) break;
        await (isWanted ? own.subscribe(this.#prefix + topic) : own.unsubscribe(this.#prefix + topic));
        if (own !== this.#subscriber) continue;
        if (isWanted) this.#held.add(topic);
        else this.#held.delete(topic);
      }
    } catch (error) {
      // it is tried again with the next connection
      if (this.#subscriber !== null) this.#failed(error);
    } finally {
      this.#changing.delete(topic);
    }
  }

  // the client may follow again by itself, or be told not to; twice does no harm
  #followAgain(): void {
    for (const topic of this.#wanted) this.#held.delete(topic);
    for (const topic of [...this.#wanted, ...this.#held]) void this.#settle(topic);
    this.#isBack();
  }

  #listen(): void {
    this.#stopListening ??= this.#client.listen({
      ready: () => this.#isBack(),
      failed: (error) => this.#failed(error),
    });
  }

  // told once, not for every message and every attempt to connect
  #failed(error: unknown): void {
    if (this.#isAway) return;
    this.#isAway = true;
    const message = "redisTopics: topics reach the members in this process only, until Redis is back";
    this.#host?.logError(new Error(message, { cause: error }));
  }

  #isBack(): void {
    if (this.#client.isReady() && this.#subscriber?.isReady() !== false) this.#isAway = false;
  }
}
