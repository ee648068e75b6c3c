import { closedPromiseOf } from "../../util/stream_closed.ts";

/**
 * The body of a response if it is a stream created by the program, on runtimes where reading `body` is cheap. The
 * runtime turns strings, bytes, files and other servers' responses into byte streams; a program's streams usually are
 * not.
 *
 * @param response The response
 * @returns The stream, `null` if there is none
 */
export function returnedBody({ body }: Response): ReadableStream<Uint8Array> | null {
  // a locked stream reveals nothing and cannot be sent
  if (body === null || body.locked) return body;
  // if watching costs nothing, it does not matter who created the stream
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
