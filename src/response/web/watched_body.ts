import { closedPromiseOf } from "../../util/stream_closed.ts";
import type { RuntimeSupport } from "../../exchange/runtime_support.ts";
import { assertUnlocked } from "./sendable.ts";
import { StreamedBody, type StreamedBodyEvents } from "./streamed_body.ts";

/**
 * Watches a response body that the platform sends itself, because no platform reports its failure to the application.
 *
 * @param response The response
 * @param support The runtime, which detects whether the body is a stream
 * @param failed Called with the error when the body fails
 * @throws {TypeError} If the body is being read
 * @returns A replacement to send if the body cannot be watched otherwise; usually `null`
 */
export function watchedBody(
  response: Response,
  support: RuntimeSupport,
  failed: (error: unknown) => void,
): ReadableStream<Uint8Array> | null {
  const body = support.returnedBody(response);
  if (body === null) return null;
  assertUnlocked(body);
  const closed = closedPromiseOf(body);
  if (closed === undefined) {
    return support.passedOn?.(body, failed) ?? new StreamedBody(body, new Watching(failed), support.nextTurn).stream;
  }
  closed.then(undefined, failed);
  return null;
}

/** Not an object literal, see `Emitter`. */
class Watching implements StreamedBodyEvents {
  readonly fail: (error: unknown) => void;
  readonly leftOpen: (error: unknown) => void;

  constructor(failed: (error: unknown) => void) {
    this.fail = failed;
    this.leftOpen = failed;
  }

  finish(): void {}

  abort(): void {}
}
