import { closedPromiseOf } from "../../util/stream_closed.ts";

/**
 * The body of a response if it is a stream that the program made, on runtimes where asking for the body costs little.
 * What the runtime makes of texts and bytes, and of files and responses of other servers, are byte streams; a program's
 * are mostly not, and can be told by that.
 *
 * @param response The response
 * @returns The stream, `null` if there is none
 */
export function returnedBody({ body }: Response): ReadableStream<Uint8Array> | null {
  // of a locked one nothing can be told, and nothing can be sent
  if (body === null || body.locked) return body;
  // where looking on costs nothing, it does not matter whose it is
  return closedPromiseOf(body) === undefined && isByteStream(body) ? null : body;
}

function isByteStream(body: ReadableStream<Uint8Array>): boolean {
  try {
    body.getReader({ mode: "byob" }).releaseLock();
    return true;
  } catch {
    return false;
  }
}
