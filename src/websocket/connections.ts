/** The part of a connection the registry needs. */
export interface Member {
  /** Sends a message. */
  send(data: string | ArrayBuffer | ArrayBufferView<ArrayBuffer> | Blob): void;
  /** Closes the connection. */
  close(code?: number, reason?: string): void;
}

/** What can be sent on a connection. */
export type SocketData = Parameters<Member["send"]>[0];

/** The open WebSocket connections of one application, and the topics they follow. */
export class Connections {
  readonly #open = new Set<Member>();
  readonly #topics = new Map<string, Set<Member>>();

  /** Number of open connections. */
  get size(): number {
    return this.#open.size;
  }

  /** Adds a connection. */
  add(member: Member): void {
    this.#open.add(member);
  }

  /** Takes a connection away, and out of every topic. */
  delete(member: Member): void {
    this.#open.delete(member);
    for (const topic of this.#topics.keys()) this.unsubscribe(topic, member);
  }

  /** Lets a connection follow a topic. */
  subscribe(topic: string, member: Member): void {
    const members = this.#topics.get(topic) ?? new Set();
    this.#topics.set(topic, members.add(member));
  }

  /** Ends a connection's interest in a topic. */
  unsubscribe(topic: string, member: Member): void {
    const members = this.#topics.get(topic);
    members?.delete(member);
    if (members?.size === 0) this.#topics.delete(topic);
  }

  /** Tells whether a connection follows a topic. */
  isSubscribed(topic: string, member: Member): boolean {
    return this.#topics.get(topic)?.has(member) ?? false;
  }

  /**
   * Sends a message to everybody who follows a topic.
   *
   * @param topic The topic
   * @param data The message
   * @param except Who is left out, usually the sender
   * @returns How many got it
   */
  publish(topic: string, data: SocketData, except?: Member): number {
    let count = 0;
    for (const member of this.#topics.get(topic) ?? []) {
      if (member === except) continue;
      member.send(data);
      count++;
    }
    return count;
  }

  /** Closes every connection. */
  closeAll(code: number, reason: string): void {
    for (const member of this.#open) member.close(code, reason);
  }
}
