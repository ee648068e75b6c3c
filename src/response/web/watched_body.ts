import { closedPromiseOf } from "../../util/stream_closed.ts";
import type { RuntimeSupport } from "../../exchange/runtime_support.ts";
import { assertUnlocked } from "./sendable.ts";
import { StreamedBody, type StreamedBodyEvents } from "./streamed_body.ts";

/**
 * Watches the body of a response that the platform is going to send by itself, because no platform tells the
 * application when it fails.
 *
 * @param response The response
 * @param support The runtime, which knows whether the body is a stream
 * @param failed Called with the error when it fails
 * @throws {TypeError} If it is being read
 * @returns What has to be sent in place of the body, where it can be seen in no other way; mostly `null`
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

/** Not a literal, as `Emitter` explains. */
class Watching implements StreamedBodyEvents {
  readonly fail: (error: unknown) => void;
  readonly leftOpen: (error: unknown) => void;

  constructor(failed: (error: unknown) => void) {
    this.fail = failed;
    this.leftOpen = failed;
  }

  finish(): void {}

  leave(): void {}
}
