import { AsyncResource } from "node:async_hooks";
import type { IncomingMessage } from "node:http";
import type { BodySink, StopFilling } from "../exchange/body_sink.ts";

/**
 * Fills a sink from Node's request. Through a web stream it would take several times as long, most of it for promises.
 *
 * @param incoming Node's request, which nobody has begun to read
 * @param sink Takes the body
 * @returns Stops; as with Express's parsers, the rest of the body is discarded
 */
export function fillSink(incoming: IncomingMessage, sink: BodySink): StopFilling {
  // Node emits events in the context of the connection, which other requests share
  const context = new AsyncResource("SluiceBody");
  // a plain view: slice() of Node's own Buffer would not copy
  const take = (chunk: Uint8Array<ArrayBuffer>): void =>
    context.runInAsyncScope(sink.take, sink, new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength));
  const fail = (error: Error): void => {
    stop();
    context.runInAsyncScope(sink.fail, sink, error);
  };
  const end = (): void => {
    // over HTTP/2 a body that was cut off ends, and counts as complete
    if (!isComplete(incoming) || incoming.aborted || incoming.errored) {
      return fail(incoming.errored ?? new Error("the client disconnected"));
    }
    stop();
    context.runInAsyncScope(sink.end, sink);
  };
  const stop = (): void => {
    incoming.off("data", take).off("end", end).off("close", end).off("error", fail);
  };
  incoming.on("end", end).on("close", end).on("error", fail).on("data", take);
  return () => {
    stop();
    // errors while the rest is discarded do not matter
    incoming.on("error", () => {}).resume();
  };
}

// a request that a test made up has no parser that would say so, and perhaps no such property
function isComplete({ complete, socket, readableEnded }: Partial<IncomingMessage>): boolean {
  return complete !== false || (!socket && readableEnded === true);
}
