import type { IncomingMessage } from "node:http";
import { finished } from "node:stream";

/**
 * The body of Node's request as a web stream that takes a chunk only when it is asked for one.
 *
 * A reader that gives up leaves the rest to be thrown away, as Express's parsers do. `Readable.toWeb` would destroy the
 * request instead, and the connection would never get to its next one.
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
        // a plain view: slice() of Node's own Buffer would not copy
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
        // what still comes in may fail; nobody is interested
        incoming.on("error", () => {}).resume();
      };
      incoming.pause().on("data", take);
    },
    pull: () => void incoming.resume(),
    cancel: () => release(),
  }, { highWaterMark: 0 });
}
