import type { IncomingMessage } from "node:http";
import { finished } from "node:stream";

/**
 * The body of Node's request as a web stream that reads chunks only on demand. Until then Node's request is untouched:
 * middleware that only checks for a body may pass the request on to Express, which then reads it.
 *
 * When a reader cancels, the rest is discarded, as with Express's parsers. `Readable.toWeb` would instead destroy the
 * request, and with it the connection.
 */
export class IncomingBody {
  /** The stream. */
  readonly stream: ReadableStream<Uint8Array<ArrayBuffer>>;
  /** Whether any of it was requested, or it was cancelled. */
  isTouched = false;
  readonly #incoming: IncomingMessage;
  #release: (() => void) | null = null;

  /** @param incoming Node's request */
  constructor(incoming: IncomingMessage) {
    this.#incoming = incoming;
    this.stream = new ReadableStream({
      pull: (controller) => this.#pull(controller),
      cancel: () => this.#cancel(),
    }, { highWaterMark: 0 });
  }

  #pull(controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>): void {
    this.isTouched = true;
    this.#release ??= this.#begin(controller);
    this.#incoming.resume();
  }

  #begin(controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>): () => void {
    const incoming = this.#incoming;
    const take = (chunk: Uint8Array<ArrayBuffer>): void => {
      incoming.pause();
      // a plain view, because slice() of Node's own Buffer would not copy
      controller.enqueue(new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    };
    const unwatch = finished(incoming, { writable: false }, (error) => {
      incoming.off("data", take);
      if (error) controller.error(error);
      else controller.close();
    });
    incoming.pause().on("data", take);
    return () => {
      unwatch();
      incoming.off("data", take);
    };
  }

  #cancel(): void {
    this.isTouched = true;
    this.#release?.();
    // ignores errors while the rest is discarded
    this.#incoming.on("error", () => {}).resume();
  }
}
