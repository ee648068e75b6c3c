import { InOrder } from "./in_order.ts";
import { assertSocketData, assertTopic, bytesOf, type SocketData } from "./socket_data.ts";
import { assertBroker, type TopicBroker } from "./topic_broker.ts";

/** Where the framework finds the connections of an application. */
export const connectionsKey: unique symbol = Symbol.for("sluice.connections");

/** The part of a connection the registry needs. */
export interface Member {
  /** Sends a message. */
  send(data: SocketData): void;
  /** Closes the connection. */
  close(code?: number, reason?: string): void;
}

/** The open WebSocket connections of an application and of those mounted on it, and the topics they follow. */
export class Connections {
  readonly #open = new Map<Member, Set<string>>();
  readonly #topics = new Map<string, Set<Member>>();
  readonly #logError: (error: unknown) => void;
  readonly #outgoing: InOrder;
  /** Is told whose topics have changed. */
  changed: ((member: Member) => void) | null = null;
  /** Whether no more are taken, because the application is being closed. */
  areClosing = false;
  #broker: TopicBroker | null = null;
  #brokerIsOpen = false;

  /**
   * Makes an empty registry; every application has one.
   *
   * @param logError Writes down what goes wrong while nobody waits for it
   */
  constructor(logError: (error: unknown) => void = console.error) {
    this.#logError = logError;
    this.#outgoing = new InOrder(logError);
  }

  /** Number of open connections. */
  get size(): number {
    return this.#open.size;
  }

  /** Adds a connection. */
  add(member: Member): void {
    if (!this.#open.has(member)) this.#open.set(member, new Set());
  }

  /** Takes a connection away, and out of every topic. */
  delete(member: Member): void {
    for (const topic of this.#open.get(member) ?? []) this.unsubscribe(topic, member);
    this.#open.delete(member);
  }

  /**
   * Lets a connection follow a topic; one that is closed follows nothing.
   *
   * @throws {TypeError} If the topic is not a string
   */
  subscribe(topic: string, member: Member): void {
    assertTopic("ws.subscribe", topic);
    const followed = this.#open.get(member);
    if (followed === undefined) return;
    followed.add(topic);
    this.changed?.(member);
    const members = this.#topics.get(topic);
    if (members !== undefined) return void members.add(member);
    this.#topics.set(topic, new Set([member]));
    this.#openBroker()?.subscribe(topic);
  }

  /** Ends a connection's interest in a topic. */
  unsubscribe(topic: string, member: Member): void {
    if (this.#open.get(member)?.delete(topic)) this.changed?.(member);
    const members = this.#topics.get(topic);
    if (members === undefined || !members.delete(member) || members.size > 0) return;
    this.#topics.delete(topic);
    if (this.#brokerIsOpen) this.#broker!.unsubscribe(topic);
  }

  /** Tells whether a connection follows a topic. */
  isSubscribed(topic: string, member: Member): boolean {
    return this.#topics.get(topic)?.has(member) ?? false;
  }

  /** The topics a connection follows. */
  topicsOf(member: Member): string[] {
    return [...this.#open.get(member) ?? []];
  }

  /**
   * Sends a message to everybody who follows a topic, in other processes too where a broker is in use.
   *
   * @param topic The topic
   * @param data The message
   * @param except Who is left out, usually the sender
   * @returns How many of this process got it
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
    let count = 0;
    for (const member of this.#topics.get(topic) ?? []) {
      if (member === except) continue;
      try {
        member.send(data);
        count++;
      } catch (error) {
        // what one connection cannot take shall reach the others
        this.#logError(error);
      }
    }
    return count;
  }

  /** Closes every connection. */
  closeAll(code: number, reason: string): void {
    for (const member of this.#open.keys()) member.close(code, reason);
  }

  /**
   * Lets a broker carry the messages of topics to the other processes of the application, and theirs to this one.
   *
   * @param broker The broker, such as `redisTopics(client)` of `@sluice/sluice/redis`
   * @throws {TypeError} If it is no broker
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

  /** Takes over the broker of an application that is being mounted, unless there is one already. */
  adopt(child: Connections): void {
    if (this.#broker !== null || child.#broker === null || child.#brokerIsOpen) return;
    this.use(child.#broker);
    child.#broker = null;
  }

  /** Lets go of what the broker opened; the topics of this process go on. */
  async closeBroker(): Promise<void> {
    if (this.#brokerIsOpen) await this.#broker!.close();
  }

  // on first use, because a mounted application hands its broker on before that
  #openBroker(): TopicBroker | null {
    if (this.#broker === null || this.#brokerIsOpen) return this.#broker;
    this.#broker.open({
      deliver: (topic, data) => void this.#deliver(topic, data),
      logError: this.#logError,
    });
    // one that refuses, because another application has it, must not carry what is published here
    this.#brokerIsOpen = true;
    return this.#broker;
  }
}
