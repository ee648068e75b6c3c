import { ServerResponse } from "node:http";
import { nodeBytes } from "../platform/shared/node_bytes.ts";
import type { FrameworkResponse } from "../response/framework_response.ts";
import { nextTurn } from "./next_turn.ts";

/** A response to send. */
export interface Sent {
  /** Status. */
  readonly status: number;
  /** Reason phrase, empty for the standard one. */
  readonly statusText: string;
  /** Names and values. */
  readonly headers: Iterable<[string, string]>;
  /** The body: complete, a stream, or none. */
  readonly body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>> | null;
  /** Whether to send the headers before the first chunk of the body. */
  readonly early: boolean;
  /** The application's response, with headers as originally set. */
  readonly response: FrameworkResponse | null;
}

/**
 * Returns whether a response's client has disconnected.
 *
 * @param res Node's response
 */
export function isDestroyed(res: { readonly destroyed: boolean; readonly stream?: { destroyed: boolean } }): boolean {
  // HTTP/2 responses do not report a disconnect, but their stream does
  return res.destroyed || res.stream?.destroyed === true;
}

/**
 * Returns whether `end`, `write` or `writeHead` has been replaced: by earlier middleware, such as compression, sessions
 * and loggers, or by a subclass that does not write to a socket, as in serverless-http.
 *
 * @param res Node's response
 */
export function isPatched(res: ServerResponse): boolean {
  // HTTP/2 has a different response class
  const { end, write, writeHead } = res instanceof ServerResponse
    ? ServerResponse.prototype
    : Object.getPrototypeOf(res) as ServerResponse;
  return res.end !== end || res.write !== write || res.writeHead !== writeHead;
}

/**
 * Sends a response through methods that middleware has replaced, calling them as Express does: headers are set one by
 * one and sent implicitly with the first chunk, chunks are Buffers, and there are no callbacks.
 *
 * @param res Node's response
 * @param sent The response
 */
export async function sendPatched(res: ServerResponse, sent: Sent): Promise<void> {
  const { status, statusText, headers, body, early, response } = sent;
  if (!res.headersSent) {
    res.statusCode = status;
    if (statusText !== "") res.statusMessage = statusText;
    const set = (name: string, value: string): void => void res.setHeader(name, asSet(response, name, value));
    for (const [name, value] of headers) set(name, value);
    if (body instanceof Uint8Array && body.length > 0) set("content-length", String(body.length));
  }
  if (body instanceof ReadableStream && res.req.method !== "HEAD") return await pour(body, res, early);
  if (body instanceof Uint8Array && body.length > 0) return void res.end(nodeBytes(body));
  res.end();
  if (body instanceof ReadableStream) await body.cancel();
}

// adapters such as serverless-express pass on values as set: a file's length is a number
function asSet(response: FrameworkResponse | null, name: string, value: string): string | number {
  const given = response?.getHeader(name);
  return typeof given === "number" && String(given) === value ? given : value;
}

async function pour(body: ReadableStream<Uint8Array<ArrayBuffer>>, res: ServerResponse, early: boolean): Promise<void> {
  const reader = body.getReader();
  let begun = false;
  let proceed = (): void => {};
  // one listener for the whole body, because compression moves listeners to its own stream, where they stay
  res.on("drain", () => proceed());
  res.once("close", () => {
    reader.cancel().catch(() => {});
    proceed();
  });
  // not by default, because middleware that buffers the body sets headers at the body's end
  if (early) nextTurn(() => void (begun || isDestroyed(res) || res.flushHeaders()));
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      begun = true;
      // middleware that buffers chunks may return undefined
      const isFull = (res.write(nodeBytes(read.value)) as boolean | undefined) === false;
      if (isFull && !isDestroyed(res)) await new Promise<void>((resolve) => proceed = resolve);
    }
    res.end();
  } catch (error) {
    res.destroy(error as Error);
    throw error;
  }
}
