import { detachedString } from "../util/detached_string.ts";
import { SendQueue } from "./send_queue.ts";
import { assertSocketData, assertTopic, bytesOf, type SocketData } from "./socket_data.ts";
import { Message } from "./waiting_messages.ts";
import { assertBroker, type TopicBroker } from "./topic_broker.ts";

/** Key of an application's connections, for the framework's own use. */
export const connectionsKey: unique symbol = Symbol.for("sluice.connections");

/** Key of the method of a connection that sends a message which others get as well. */
export const deliverKey: unique symbol = Symbol("sluice.deliver");

/** Code and reason with which connections end when their server closes (RFC 6455 section 7.4.1). */
export const GOING_AWAY = [1001, "The server is closing"] as const;

/** The part of a connection that the registry needs. */
export interface Member {
  /** Sends a message. */
  send(data: SocketData): void;
  /**
   * Sends a message that others get as well; `send` does it where this is missing.
   *
   * @internal
   */
  [deliverKey]?(message: Message): void;
  /** Closes the connection. */
  close(code?: number, reason?: string): void;
}

/** Reports an error of topics: of a connection that could not be sent to, or of what carries them elsewhere. */
export type ReportOfTopics = (error: unknown, phase: "websocket" | "broker") => void;

/**
 * The open WebSocket connections of an application and of those mounted on it, and the topics they follow.
 *
 * @example Send something to all who follow a topic
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
  /** The open ones, with the topics of each; `null` as long as it has none. */
  readonly #open = new Map<Member, Set<string> | null>();
  readonly #topics = new Map<string, Set<Member>>();
  readonly #report: ReportOfTopics;
  readonly #outgoing: SendQueue;
  /**
   * Called when the topics of a connection have changed.
   *
   * @internal
   */
  changed: ((member: Member) => void) | null = null;
  /** Whether new connections are refused, because the application is closing. */
  areClosing = false;
  #broker: TopicBroker | null = null;
  #brokerIsOpen = false;

  /**
   * Makes an empty registry; every application has one.
   *
   * @param report Reports errors that nobody waits for
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
   * Removes a connection, from all topics, too.
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
    // mostly a part of a message, which must not be kept as long as the topic
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
   * The topics a connection is subscribed to.
   *
   * @internal
   */
  topicsOf(member: Member): string[] {
    return [...this.#open.get(member) ?? []];
  }

  /**
   * Sends a message to all subscribers of a topic; with a broker, also in other processes.
   *
   * @param topic The topic
   * @param data The message
   * @param except A connection to leave out, usually the sender
   * @returns How many connections of this process got it
   * @throws {TypeError} If the topic is not a string, or the message neither text nor bytes
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
        // otherwise it was closed in place of that, because too much waits for it
        if (members.has(member)) count++;
      } catch (error) {
        // a failure of one connection must not keep the message from the others
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
   * Connects topics with those of the application's other processes through a broker.
   *
   * @param broker The broker, such as `redisTopics(client)` of `@sluice/sluice/redis`
   * @throws {TypeError} If it is not a broker
   * @throws {Error} If there is one already
   *
   * @example Topics across processes
   * ```ts ignore
   * app.connections.use(redisTopics(client));
   * ```
   */
  use(broker: TopicBroker): void {
    assertBroker(broker);
    if (this.#broker !== null) throw new Error("app.connections.use: another broker carries the topics already");
    this.#broker = broker;
    for (const topic of this.#topics.keys()) this.#openBroker()!.subscribe(topic);
  }

  /**
   * Takes over the broker of an application that is being mounted, unless there is one already.
   *
   * @internal
   */
  adopt(child: Connections): void {
    if (this.#broker !== null || child.#broker === null || child.#brokerIsOpen) return;
    this.use(child.#broker);
    child.#broker = null;
  }

  /**
   * Closes the broker's resources; topics go on within this process.
   *
   * @internal
   */
  async closeBroker(): Promise<void> {
    if (this.#brokerIsOpen) await this.#broker!.close();
  }

  // on first use, because mounting an application passes its broker on to the parent before that
  #openBroker(): TopicBroker | null {
    if (this.#broker === null || this.#brokerIsOpen) return this.#broker;
    this.#broker.open({
      deliver: (topic, data) => void this.#deliver(topic, data),
      reportError: (error) => this.#report(error, "broker"),
    });
    // after open(), which throws if another application uses the broker; then nothing may be published to it
    this.#brokerIsOpen = true;
    return this.#broker;
  }
}
