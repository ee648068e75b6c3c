import type { IncomingMessage } from "node:http";
import { finished } from "node:stream";

/**
 * The body of Node's request as a web stream that takes a chunk only when it is asked for one. Until then Node's request
 * is left as it is: whoever has only looked whether there is a body may go on with Express, which reads it there.
 *
 * A reader that gives up leaves the rest to be thrown away, as Express's parsers do. `Readable.toWeb` would destroy the
 * request instead, and the connection would never get to its next one.
 *
 * @param incoming Node's request
 * @returns The stream
 */
export function incomingBody(incoming: IncomingMessage): ReadableStream<Uint8Array<ArrayBuffer>> {
  let release: (() => void) | null = null;
  const begin = (controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>): () => void => {
    const take = (chunk: Uint8Array<ArrayBuffer>): void => {
      incoming.pause();
      // a plain view: slice() of Node's own Buffer would not copy
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
  };
  return new ReadableStream({
    pull(controller) {
      release ??= begin(controller);
      incoming.resume();
    },
    cancel() {
      release?.();
      // what still comes in may fail; nobody is interested
      incoming.on("error", () => {}).resume();
    },
  }, { highWaterMark: 0 });
}
