/** One client, with its own connection. */
import { Buffer } from "node:buffer";
import { connect, type Socket } from "node:net";
import { frame, OPCODE } from "../../../tests/contracts/frame.ts";
import { HANDSHAKE } from "../../../tests/support/raw_client.ts";
import { passed } from "../../support/passed.ts";
import { LAST, MOUNTS } from "./target.ts";
import type { VisitAction } from "./life.ts";

/** What a client has seen. */
export interface Outcome {
  /** Status, if a head has arrived. */
  readonly status: number | undefined;
  /** The head. */
  readonly head: string;
  /** When the head arrived. */
  readonly headAt: number;
  /** Whether the response is complete: a WebSocket's ends with its Close frame. */
  readonly isWhole: boolean;
  /** The code in the Close frame. */
  readonly code: number | undefined;
  /** When the response was complete, or the connection ended. */
  readonly overAt: number;
  /** When the client disconnected on its own. */
  readonly leftAt: number | undefined;
}

/** Sends one request, or for `again` a second one once it has the first response. */
export class Client {
  /** Resolves when the connection has ended. */
  readonly ended: Promise<void>;
  /** When the last request was sent. */
  sentAt = performance.now();
  /** The last request's number. */
  id: string;
  /** Whether the server has not ended the connection. */
  isOpen = true;
  readonly #action: VisitAction;
  readonly #life: number;
  readonly #socket: Socket;
  #bytes = Buffer.alloc(0);
  #code: number | undefined;
  #headAt = Infinity;
  #overAt = Infinity;
  #leftAt: number | undefined;
  #isWhole = false;
  #isSecond = false;

  /**
   * Connects and sends the request.
   *
   * @param port The server's port on 127.0.0.1
   * @param action The request
   * @param life The application's number
   * @param id The request's number
   */
  constructor(port: number, action: VisitAction, life: number, id: string) {
    this.#action = action;
    this.#life = life;
    this.id = id;
    const socket = this.#socket = connect(port, "127.0.0.1");
    socket.setNoDelay(true);
    this.ended = new Promise((resolve) => socket.on("close", () => resolve()));
    void this.ended.then(() => {
      this.isOpen = false;
      this.#end();
    });
    // it is refused or reset while the server closes
    socket.on("error", () => {});
    socket.on("data", (bytes: Buffer) => this.#read(bytes));
    socket.on("end", () => socket.end());
    void this.#send();
    if (action.leavesMs !== undefined) void passed(action.leavesMs).then(() => this.leave());
  }

  /** What it has seen by now. */
  get outcome(): Outcome {
    const text = this.#bytes.toString("latin1");
    const head = text.slice(0, text.indexOf("\r\n\r\n") + 1);
    return {
      status: head === "" ? undefined : Number(head.split(" ")[1]),
      head,
      headAt: this.#headAt,
      isWhole: this.#isWhole,
      code: this.#code,
      overAt: this.#overAt,
      leftAt: this.#leftAt,
    };
  }

  /** Disconnects, unless the response is complete; on Deno, not during a handshake. */
  leave(): void {
    if (this.#overAt < Infinity) return;
    // if a client leaves just before the 101, Deno's WebSocket never opens or closes, and Deno keeps the connection
    if ("Deno" in globalThis && this.#action.way === "socket" && this.#headAt === Infinity) return;
    this.#leftAt = performance.now();
    this.drop();
  }

  /** Ends the connection. */
  drop(): void {
    this.#socket.destroy();
  }

  async #send(): Promise<void> {
    const { app, way, ms } = this.#action;
    const path = `${MOUNTS[app]}/visit/${this.#life}/${way}/${this.id}/${ms}`;
    const lines = way === "socket" ? HANDSHAKE : way === "upload" ? [`Content-Length: ${LAST.length}`] : [];
    const head = [`${way === "upload" ? "POST" : "GET"} ${path} HTTP/1.1`, "Host: localhost", ...lines, "", ""];
    this.#socket.write(head.join("\r\n"));
    if (way !== "upload") return;
    this.#socket.write(LAST.slice(0, 3));
    await passed(ms);
    if (this.#overAt === Infinity) this.#socket.write(LAST.slice(3));
  }

  #read(bytes: Buffer): void {
    this.#bytes = Buffer.concat([this.#bytes, bytes]);
    if (this.#overAt < Infinity) return;
    const text = this.#bytes.toString("latin1");
    const bodyAt = text.indexOf("\r\n\r\n") + 4;
    if (bodyAt < 4) return;
    if (this.#headAt === Infinity) this.#headAt = performance.now();
    if (text.startsWith("HTTP/1.1 101")) return this.#readFrames(bodyAt);
    const length = /^content-length: (\d+)/im.exec(text)?.[1];
    this.#isWhole = length === undefined
      ? text.endsWith("\r\n0\r\n\r\n") || text.endsWith("\r\n\r\n0\r\n\r\n")
      : text.length >= bodyAt + Number(length);
    if (!this.#isWhole) return;
    const isLast = this.#isSecond || /^connection: close/im.test(text);
    if (this.#action.way !== "again" || isLast) return this.#end();
    this.#isSecond = true;
    void this.#sendAgain();
  }

  async #sendAgain(): Promise<void> {
    this.id += "again";
    this.#isWhole = false;
    this.#bytes = Buffer.alloc(0);
    this.#headAt = Infinity;
    await passed(this.#action.ms);
    this.sentAt = performance.now();
    await this.#send();
  }

  // all frames are short
  #readFrames(start: number): void {
    for (let at = start; at + 2 <= this.#bytes.length; at += 2 + this.#bytes[at + 1]!) {
      const size = this.#bytes[at + 1]!;
      if ((this.#bytes[at]! & 15) !== OPCODE.close || this.#bytes.length < at + 2 + size) continue;
      this.#code = size < 2 ? 1005 : this.#bytes.readUInt16BE(at + 2);
      this.#isWhole = true;
      this.#socket.write(frame(OPCODE.close, this.#bytes.subarray(at + 2, at + 4)));
      return this.#end();
    }
  }

  #end(): void {
    if (this.#overAt === Infinity) this.#overAt = performance.now();
  }
}
