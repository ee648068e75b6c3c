import type { IncomingMessage } from "node:http";
import { finished } from "node:stream";

/**
 * The body of Node's request as a web stream that reads a chunk only on demand.
 *
 * When a reader cancels, the rest is discarded, as with Express's parsers. `Readable.toWeb` would destroy the request
 * instead, and with it the connection.
 *
 * @param incoming Node's request
 * @returns The stream
 */
export function incomingBody(incoming: IncomingMessage): ReadableStream<Uint8Array<ArrayBuffer>> {
  let release = (): void => {};
  return new ReadableStream({
    start(controller) {
      const take = (chunk: Uint8Array<ArrayBuffer>): void => {
        incoming.pause();
        // a plain Uint8Array: slice() of a Buffer would not copy
        controller.enqueue(new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength));
      };
      const unwatch = finished(incoming, { writable: false }, (error) => {
        incoming.off("data", take);
        if (error) controller.error(error);
        else controller.close();
      });
      release = () => {
        unwatch();
        incoming.off("data", take);
        // errors while the rest is discarded do not matter
        incoming.on("error", () => {}).resume();
      };
      incoming.pause().on("data", take);
    },
    pull: () => void incoming.resume(),
    cancel: () => release(),
  }, { highWaterMark: 0 });
}
