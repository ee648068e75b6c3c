/**
 * Carries what is published to a topic to the application's other processes; given to `app.connections.use`.
 *
 * Members of this process are none of its business: they have got the message already.
 */
export interface TopicBroker {
  /**
   * Begins; called once, when the first topic is followed or published to.
   *
   * @param host Where messages and errors go
   */
  open(host: TopicHost): void;
  /** Sends a message to the other processes; what goes wrong goes to the host. */
  publish(topic: string, data: string | Uint8Array<ArrayBuffer>): void;
  /** The topic has a member in this process now. */
  subscribe(topic: string): void;
  /** The topic has no member in this process any more. */
  unsubscribe(topic: string): void;
  /** Lets go of what it opened. Topics may be left after this, and followed again. */
  close(): Promise<void>;
}

/** What a broker is given. */
export interface TopicHost {
  /**
   * Sends a message of another process to the members of a topic; never throws.
   *
   * @param topic The topic
   * @param data Text or bytes
   */
  deliver(topic: string, data: string | Uint8Array<ArrayBuffer>): void;
  /** Writes an error to the application's log. */
  logError(error: unknown): void;
}

/** The methods of a broker. */
const METHODS = ["open", "publish", "subscribe", "unsubscribe", "close"] as const;

/**
 * Refuses what is no broker.
 *
 * @param broker What was given
 * @throws {TypeError} If a method is missing
 */
export function assertBroker(broker: unknown): asserts broker is TopicBroker {
  const missing = METHODS.find((name) =>
    typeof (broker as Partial<TopicBroker> | null | undefined)?.[name] !== "function"
  );
  if (missing === undefined) return;
  throw new TypeError(
    `app.connections.use takes a broker such as redisTopics(client); this one has no method "${missing}"`,
  );
}
