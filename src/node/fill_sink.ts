import type { IncomingMessage } from "node:http";
import type { BodySink, Filling } from "../exchange/body_sink.ts";
import { asyncScope } from "../platform/shared/async_scope.ts";

/**
 * Fills a sink from Node's request. A web stream would take several times as long, mostly for promises.
 *
 * @param incoming Node's request, not yet read
 * @param sink Receives the body
 * @returns Controls for filling; as with Express's parsers, the rest of the body is discarded once filling stops
 */
export function fillSink(incoming: IncomingMessage, sink: BodySink): Filling {
  const scope = asyncScope();
  // a plain view, because slice() of Node's own Buffer would not copy
  const take = (chunk: Uint8Array<ArrayBuffer>): void =>
    scope.runInAsyncScope(() => sink.take(new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength)));
  const fail = (error: Error): void => {
    unlisten();
    scope.runInAsyncScope(() => sink.fail(error));
  };
  const end = (): void => {
    // over HTTP/2 a truncated body ends and counts as complete
    if (!isComplete(incoming) || incoming.aborted || incoming.errored) {
      return fail(incoming.errored ?? new Error("the client disconnected"));
    }
    unlisten();
    scope.runInAsyncScope(() => sink.end());
  };
  const unlisten = (): void => {
    incoming.off("data", take).off("end", end).off("close", end).off("error", fail);
  };
  incoming.on("end", end).on("close", end).on("error", fail).on("data", take);
  return {
    stop: () => {
      unlisten();
      // ignores errors while the rest is discarded
      incoming.on("error", () => {}).resume();
    },
    inContext: (run) => scope.runInAsyncScope(run),
  };
}

// a test's mock request has no parser to set `complete`, and may lack the property
function isComplete({ complete, socket, readableEnded }: Partial<IncomingMessage>): boolean {
  return complete !== false || (!socket && readableEnded === true);
}
