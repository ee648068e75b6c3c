/**
 * Passes topic messages to the application's other processes; for `app.connections.use`.
 *
 * Connections in this process get messages without it.
 */
export interface TopicBroker {
  /**
   * Starts the broker; called once, on the first subscription or message.
   *
   * @param host Receives messages and errors
   */
  open(host: TopicHost): void;
  /** Sends a message to the other processes; errors go to the host. */
  publish(topic: string, data: string | Uint8Array<ArrayBuffer>): void;
  /** The topic got its first subscriber in this process. */
  subscribe(topic: string): void;
  /** The topic lost its last subscriber in this process. */
  unsubscribe(topic: string): void;
  /** Closes what `open` opened. Calls to `unsubscribe` and new subscriptions may still follow. */
  close(): Promise<void>;
}

/** The application as a broker sees it. */
export interface TopicHost {
  /**
   * Delivers a message from another process to a topic's subscribers; never throws.
   *
   * @param topic The topic
   * @param data A string or bytes
   */
  deliver(topic: string, data: string | Uint8Array<ArrayBuffer>): void;
  /** Reports an error to the application's `error` listeners, with the phase `"broker"`. */
  reportError(error: unknown): void;
}

/** A broker's methods. */
const METHODS = ["open", "publish", "subscribe", "unsubscribe", "close"] as const;

/**
 * Asserts that a value is a broker.
 *
 * @param broker The value
 * @throws {TypeError} If a method is missing
 */
export function assertBroker(broker: unknown): asserts broker is TopicBroker {
  const missing = METHODS.find((name) =>
    typeof (broker as Partial<TopicBroker> | null | undefined)?.[name] !== "function"
  );
  if (missing === undefined) return;
  throw new TypeError(
    `app.connections.use expects a broker such as redisTopics(client); this one has no method "${missing}"`,
  );
}
