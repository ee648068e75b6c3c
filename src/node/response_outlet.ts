import type { ServerResponse } from "node:http";
import { type BodyOutlet, BodyStream } from "../response/web/body_stream.ts";

/** Key under which a response stores its body writer. */
const outletKey: unique symbol = Symbol("outlet");

/** A response with a body written piece by piece. */
interface Written extends ServerResponse {
  [outletKey]?: ResponseOutlet;
}

/** Writes a program's `res.write` body to Node's response, piece by piece, at the client's pace. */
export class ResponseOutlet implements BodyOutlet {
  readonly #res: Written;
  #body: BodyStream | null = null;
  #isOver = false;

  /** @param res Node's response */
  constructor(res: ServerResponse) {
    this.#res = res;
  }

  /**
   * Takes over a body.
   *
   * @param readable Its web stream
   * @returns Whether it has taken over; any other web stream has to be read
   */
  takes(readable: ReadableStream): boolean {
    this.#body = BodyStream.redirect(readable, this);
    return this.#body !== null;
  }

  /** Starts writing once Node has the head. */
  begin(): void {
    this.#res[outletKey] = this;
    this.#res.on("close", onAbort).on("error", onAbort);
    // later, as for a web stream, so all data written in one tick is sent together
    queueMicrotask(() => this.next());
  }

  /** Requests the next piece. */
  next(): void {
    if (!this.#isOver) this.#body!.pull();
  }

  /** Called when the client has disconnected. */
  abort(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#body!.cancel();
    this.#res.destroy();
  }

  enqueue(bytes: Uint8Array): void {
    if (this.#res.write(bytes)) queueMicrotask(() => this.next());
    else this.#res.once("drain", onDrain);
  }

  close(): void {
    this.#isOver = true;
    this.#res.end();
  }

  error(reason?: unknown): void {
    this.#isOver = true;
    this.#res.destroy(reason as Error);
  }
}

// Shared by all responses, because separate ones would hold 200 bytes each while idle.
function onAbort(this: Written): void {
  this[outletKey]!.abort();
}

function onDrain(this: Written): void {
  this[outletKey]!.next();
}
