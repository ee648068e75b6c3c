import { utf8Length } from "../../util/encodings.ts";
import type { AppLike } from "../../exchange/app_like.ts";
import type { WebBody } from "../../exchange/exchange.ts";
import type { OutgoingHeaders } from "./outgoing_headers.ts";
import { runtimeKey } from "../../util/runtime_key.ts";

/** Whether a response with a status may have a body at all (RFC 9110 section 15). */
export function mayHaveContent(status: number): boolean {
  return status !== 204 && status !== 205 && status !== 304;
}

/**
 * Makes headers and body consistent; the runtime adds the headers that frame the body.
 *
 * @param status Status of the response
 * @param isHead Whether the request is HEAD, which gets the same headers as GET (RFC 9110 section 9.3.2)
 * @param headers A copy of the headers; `Content-Length` and `Transfer-Encoding` are removed or corrected
 * @param body The body
 * @param app The application; it has the runtime
 * @returns The body to send, or `null` if there is none; empty for HEAD
 */
export function frame(
  status: number,
  isHead: boolean,
  headers: OutgoingHeaders,
  body: WebBody,
  app: AppLike,
): WebBody {
  const chunked = headers.has("transfer-encoding");
  headers.delete("transfer-encoding");
  if (!mayHaveContent(status)) {
    // the runtime adds a length of 0, but not for HEAD
    if (!isHead || status !== 205 || headers.get("content-length") !== "0") headers.delete("content-length");
    return null;
  }
  if (isHead) {
    const length = body === null ? -1 : lengthOf(body);
    if (length >= 0 && !chunked) headers.put("content-length", String(length));
    return headers.has("content-length") ? null : nothing();
  }
  if (body instanceof ReadableStream) return chunked ? body : sized(body, headers, app);
  headers.delete("content-length");
  // Runtimes add Content-Length to every body of known length, so chunked needs a stream. Bun recognizes a Blob's
  // stream, sends its length, and adds a content type.
  return chunked ? new Blob([body ?? ""]).stream().pipeThrough(new TransformStream()) : body;
}

function sized(body: ReadableStream<Uint8Array>, headers: OutgoingHeaders, app: AppLike): ReadableStream<Uint8Array> {
  const length = Number(headers.get("content-length") ?? NaN);
  return Number.isSafeInteger(length) && length >= 0 ? app[runtimeKey].sized?.(body, length) ?? body : body;
}

// Without a body runtimes send Content-Length 0, which would be wrong for HEAD. Bun does so even for a stream that ends
// before it is read.
function nothing(): ReadableStream<Uint8Array> {
  return new ReadableStream({ pull: (controller) => controller.close() }, { highWaterMark: 0 });
}

/**
 * A body length.
 *
 * @param body The body
 * @returns Bytes, -1 for a stream
 */
export function lengthOf(body: WebBody): number {
  if (body === null) return 0;
  if (typeof body === "string") return utf8Length(body);
  if (body instanceof Uint8Array) return body.byteLength;
  return body instanceof Blob ? body.size : -1;
}
