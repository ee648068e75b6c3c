import { ServerResponse } from "node:http";
import { nodeBytes } from "../platform/generic.ts";
import { nextTurn } from "./next_turn.ts";

/** An answer as it is sent. */
export interface Sent {
  /** Status. */
  readonly status: number;
  /** Reason phrase, empty for the usual one. */
  readonly statusText: string;
  /** Names and values. */
  readonly headers: Iterable<[string, string]>;
  /** All of the body, or its stream, or none. */
  readonly body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>> | null;
  /** Whether the headers leave before there is something of the body. */
  readonly early: boolean;
}

/**
 * Tells whether the client of a response has gone.
 *
 * @param res Node's response
 */
export function isDestroyed(res: ServerResponse & { stream?: { destroyed: boolean } }): boolean {
  // a response of HTTP/2 does not tell, but its stream does
  return res.destroyed || res.stream?.destroyed === true;
}

/**
 * Tells whether a method that sends has been replaced: by middleware in front, such as compression, sessions and loggers,
 * or in a class of responses that go elsewhere than to a socket, such as those of serverless-http.
 *
 * @param res Node's response
 */
export function isHooked(res: ServerResponse): boolean {
  // one of HTTP/2 is no ServerResponse
  const { end, write, writeHead } = res instanceof ServerResponse
    ? ServerResponse.prototype
    : Object.getPrototypeOf(res) as ServerResponse;
  return res.end !== end || res.write !== write || res.writeHead !== writeHead;
}

/**
 * Sends an answer through methods that middleware has replaced, in the way of Express's, for which they were written:
 * headers are set one by one and leave by themselves with the first chunk, chunks are Buffers, and no callback is passed.
 *
 * @param res Node's response
 * @param sent The answer
 */
export async function sendHooked(res: ServerResponse, sent: Sent): Promise<void> {
  const { status, statusText, headers, body, early } = sent;
  if (!res.headersSent) {
    res.statusCode = status;
    if (statusText !== "") res.statusMessage = statusText;
    for (const [name, value] of headers) res.setHeader(name, value);
    if (body instanceof Uint8Array && body.length > 0) res.setHeader("content-length", String(body.length));
  }
  if (body instanceof ReadableStream && res.req.method !== "HEAD") return await pour(body, res, early);
  if (body instanceof Uint8Array && body.length > 0) return void res.end(nodeBytes(body));
  res.end();
  if (body instanceof ReadableStream) await body.cancel();
}

async function pour(body: ReadableStream<Uint8Array<ArrayBuffer>>, res: ServerResponse, early: boolean): Promise<void> {
  const reader = body.getReader();
  let begun = false;
  let proceed = (): void => {};
  // one listener for the whole body: a compression takes them over and would keep each
  res.on("drain", () => proceed());
  res.once("close", () => {
    reader.cancel().catch(() => {});
    proceed();
  });
  // who gathers the body means to set headers at its end
  if (early) nextTurn(() => void (begun || isDestroyed(res) || res.flushHeaders()));
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      begun = true;
      // who keeps the chunks returns nothing
      const isFull = (res.write(nodeBytes(read.value)) as boolean | undefined) === false;
      if (isFull && !isDestroyed(res)) await new Promise<void>((resolve) => proceed = resolve);
    }
    res.end();
  } catch (error) {
    res.destroy(error as Error);
  }
}
