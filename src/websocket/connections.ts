import { detachedString } from "../util/detached_string.ts";
import { SendQueue } from "./send_queue.ts";
import { assertSocketData, assertTopic, bytesOf, type SocketData } from "./socket_data.ts";
import { Message } from "./waiting_messages.ts";
import { assertBroker, type TopicBroker } from "./topic_broker.ts";

/** Key of an application's connections, for internal use. */
export const connectionsKey: unique symbol = Symbol.for("sluice.connections");

/** Key of a connection's method that sends a message shared with other connections. */
export const deliverKey: unique symbol = Symbol("sluice.deliver");

/** Code and reason that close connections when the server closes (RFC 6455 section 7.4.1). */
export const GOING_AWAY = [1001, "The server is closing"] as const;

/** The part of a connection that the registry uses. */
export interface Member {
  /** Sends a message. */
  send(data: SocketData): void;
  /**
   * Sends a message shared with other connections; `send` is used if this is missing.
   *
   * @internal
   */
  [deliverKey]?(message: Message): void;
  /** Closes the connection. */
  close(code?: number, reason?: string): void;
}

/** Reports a topic error: a failed send to a connection, or a failing broker. */
export type ReportOfTopics = (error: unknown, phase: "websocket" | "broker") => void;

/**
 * The open WebSocket connections of an application and its mounted applications, with their topics.
 *
 * @example Send a message to all subscribers of a topic
 * ```ts
 * import sluice from "@sluice/sluice";
 *
 * const app = sluice();
 * app.ws("/prices", { open: (ws) => ws.subscribe("prices") });
 * app.post("/prices/:value", (req, res) => {
 *   app.connections.publish("prices", req.params.value);
 *   res.json({ open: app.connections.size });
 * });
 * ```
 */
export class Connections {
  /** The open connections with their topics; `null` while a connection has none. */
  readonly #open = new Map<Member, Set<string> | null>();
  readonly #topics = new Map<string, Set<Member>>();
  readonly #report: ReportOfTopics;
  readonly #outgoing: SendQueue;
  /**
   * Called when a connection's topics have changed.
   *
   * @internal
   */
  changed: ((member: Member) => void) | null = null;
  /**
   * Sequence number of the last request that may not become a connection, because its server is closing.
   *
   * @internal
   */
  refused = 0;
  #broker: TopicBroker | null = null;
  #brokerIsOpen = false;

  /**
   * Creates an empty registry; every application has one.
   *
   * @param report Reports errors that no caller awaits
   */
  constructor(report: ReportOfTopics = (error) => console.error(error)) {
    this.#report = report;
    this.#outgoing = new SendQueue((error) => report(error, "broker"));
  }

  /** Number of open connections. */
  get size(): number {
    return this.#open.size;
  }

  /**
   * Adds a connection.
   *
   * @internal
   */
  add(member: Member): void {
    if (!this.#open.has(member)) this.#open.set(member, null);
  }

  /**
   * Removes a connection, including from all its topics.
   *
   * @internal
   */
  delete(member: Member): void {
    for (const topic of this.topicsOf(member)) this.unsubscribe(topic, member);
    this.#open.delete(member);
  }

  /**
   * Subscribes a connection to a topic; closed connections are ignored.
   *
   * @throws {TypeError} If the topic is not a string
   */
  subscribe(topic: string, member: Member): void {
    assertTopic("ws.subscribe", topic);
    const followed = this.#open.get(member);
    if (followed === undefined || followed?.has(topic)) return;
    // usually a slice of a message, which must not stay in memory as long as the topic
    const own = detachedString(topic);
    if (followed === null) this.#open.set(member, new Set([own]));
    else followed.add(own);
    this.changed?.(member);
    const members = this.#topics.get(topic);
    if (members !== undefined) return void members.add(member);
    this.#topics.set(own, new Set([member]));
    this.#openBroker()?.subscribe(own);
  }

  /** Unsubscribes a connection from a topic. */
  unsubscribe(topic: string, member: Member): void {
    if (this.#open.get(member)?.delete(topic)) this.changed?.(member);
    const members = this.#topics.get(topic);
    if (members === undefined || !members.delete(member) || members.size > 0) return;
    this.#topics.delete(topic);
    if (this.#brokerIsOpen) this.#broker!.unsubscribe(topic);
  }

  /** Whether a connection is subscribed to a topic. */
  isSubscribed(topic: string, member: Member): boolean {
    return this.#topics.get(topic)?.has(member) ?? false;
  }

  /**
   * The topics to which a connection is subscribed.
   *
   * @internal
   */
  topicsOf(member: Member): string[] {
    return [...this.#open.get(member) ?? []];
  }

  /**
   * Sends a message to all a topic's subscribers; with a broker, also in other processes.
   *
   * @param topic The topic
   * @param data The message
   * @param except A connection to skip, usually the sender
   * @returns Number of connections in this process that got the message
   * @throws {TypeError} If the topic is not a string, or the message is neither a string nor bytes
   */
  publish(topic: string, data: SocketData, except?: Member): number {
    assertTopic("publish", topic);
    assertSocketData("publish", data);
    const broker = this.#openBroker();
    if (broker !== null) {
      this.#outgoing.send(data, (ready) => broker.publish(topic, typeof ready === "string" ? ready : bytesOf(ready)));
    }
    return this.#deliver(topic, data, except);
  }

  #deliver(topic: string, data: SocketData, except?: Member): number {
    const members = this.#topics.get(topic);
    if (members === undefined) return 0;
    let count = 0;
    const message = data instanceof Blob ? null : new Message(data);
    for (const member of members) {
      if (member === except) continue;
      try {
        if (message === null) member.send(data);
        else if (member[deliverKey] !== undefined) member[deliverKey](message);
        else member.send(message.data);
        // otherwise the connection was closed instead, because too much was waiting for it
        if (members.has(member)) count++;
      } catch (error) {
        // one failing connection must not keep the message from the others
        this.#report(error, "websocket");
      }
    }
    return count;
  }

  /** Closes every connection. */
  closeAll(code: number, reason: string): void {
    for (const member of this.#open.keys()) member.close(code, reason);
  }

  /**
   * Shares topics with the application's other processes through a broker.
   *
   * @param broker The broker, such as `redisTopics(client)` from `@sluice/sluice/redis`
   * @throws {TypeError} If it is not a broker
   * @throws {Error} If there already is one
   *
   * @example Topics across processes
   * ```ts ignore
   * app.connections.use(redisTopics(client));
   * ```
   */
  use(broker: TopicBroker): void {
    assertBroker(broker);
    if (this.#broker !== null) throw new Error("app.connections.use: another broker is already in use");
    this.#broker = broker;
    for (const topic of this.#topics.keys()) this.#openBroker()!.subscribe(topic);
  }

  /**
   * Adopts the broker from an application being mounted unless there already is one.
   *
   * @internal
   */
  adopt(child: Connections): void {
    if (this.#broker !== null || child.#broker === null || child.#brokerIsOpen) return;
    this.use(child.#broker);
    child.#broker = null;
  }

  /**
   * Closes the broker's resources; topics keep working within this process.
   *
   * @internal
   */
  async closeBroker(): Promise<void> {
    if (this.#brokerIsOpen) await this.#broker!.close();
  }

  // opened on first use, because mounting an application first passes its broker to the parent
  #openBroker(): TopicBroker | null {
    if (this.#broker === null || this.#brokerIsOpen) return this.#broker;
    this.#broker.open({
      deliver: (topic, data) => void this.#deliver(topic, data),
      reportError: (error) => this.#report(error, "broker"),
    });
    // set after open(), which throws if another application uses the broker; nothing may be published then
    this.#brokerIsOpen = true;
    return this.#broker;
  }
}
