import { ServerResponse, STATUS_CODES } from "node:http";
import type { ServerHttp2Stream } from "node:http2";
import { FastResponse, sendNodeResponse } from "srvx/node";
import { isDestroyed, isPatched, sendPatched, type Sent } from "./patched_response.ts";
import { nextTurn } from "./next_turn.ts";
import { NodeResponse, type RawResponse } from "./node_response.ts";
import { ResponseOutlet } from "./response_outlet.ts";
import type { NodeCall } from "./node_call.ts";

const NOTHING: ReadonlySet<string> = new Set();

const NO_BYTES = new Uint8Array();

/** Headers that HTTP/2 forbids (RFC 9113 section 8.2.2); Node throws for them. Applications can ignore the version. */
const CONNECTION_HEADERS: ReadonlySet<string> = new Set([
  "connection",
  "http2-settings",
  "keep-alive",
  "proxy-connection",
  "te",
  "transfer-encoding",
  "upgrade",
]);

/** A response, perhaps over HTTP/2. */
interface AnyResponse extends ServerResponse {
  readonly stream?: Pick<ServerHttp2Stream, "close" | "headersSent" | "readableFlowing">;
}

/** RFC 9113 section 7. */
const INTERNAL_ERROR = 2;

/**
 * Sends an application's response, unless the request was upgraded or the client has disconnected.
 *
 * @param call The request
 * @param response The response
 * @returns A promise that settles when it has been sent; nothing if it was passed to Node synchronously
 */
export function sendResponse(call: NodeCall, response: Response): Promise<void> | void {
  if (call.upgraded) return;
  const { res } = call;
  // the client has disconnected, or other code responded: a timeout, or a closing server
  if (res.writableEnded || isDestroyed(res)) return response.body?.cancel();
  // a handler broke off before there was a response; Node can then send none
  if (call.isWithoutResponse) return breakOff(res);
  call.keepBody();
  const parts = NodeResponse.partsOf(response);
  if (parts === null || !(sendWhole(call, parts) || sendWritten(call, parts, response))) {
    return sendWebResponse(call, response, parts);
  }
}

// most bodies are complete, and other code has not touched Node's response
function sendWhole({ req, res }: NodeCall, { body, status, statusText, head, isAscii }: RawResponse): boolean {
  if (body !== null && typeof body !== "string" && !(body instanceof Uint8Array)) return false;
  if (!isUntouched(res)) return false;
  const sent = body ?? noBody(req.method, status);
  // Node garbles a Latin-1 Content-Disposition that follows a Content-Length, and then refuses it; a web response sorts
  if (sent === null && !isAscii) return false;
  const lines = sent === null ? [...head] : head.concat("content-length", String(Buffer.byteLength(sent)));
  res.writeHead(status, statusText || (STATUS_CODES[status] ?? ""), lines);
  // Node would send the head with a string body, in the body's encoding
  res.end(typeof sent !== "string" || isAscii ? sent : Buffer.from(sent));
  return true;
}

// Event streams, and other bodies written piece by piece, may be idle for hours. Without a web stream and its reader
// and headers, they use half the memory.
function sendWritten({ req, res }: NodeCall, parts: RawResponse, response: Response): boolean {
  const { body, status, statusText, head, isAscii } = parts;
  if (!(body instanceof ReadableStream) || req.method === "HEAD" || !isAscii || !isUntouched(res)) return false;
  const outlet = new ResponseOutlet(res);
  if (!outlet.takes(body)) return false;
  NodeResponse.release(response, parts);
  res.writeHead(status, statusText || (STATUS_CODES[status] ?? ""), [...head]);
  flushLater(res);
  outlet.begin();
  return true;
}

// not over HTTP/2, which has a different class, or if headers are already set: a second cookie would replace the first
function isUntouched(res: ServerResponse): boolean {
  return res instanceof ServerResponse && !isPatched(res) && res.getHeaderNames().length === 0;
}

// Node delays the head until there is a chunk to send, which may take long for an event stream
function flushLater(res: ServerResponse): void {
  nextTurn(() => void (hasHeadBack(res) && res.flushHeaders()));
}

async function sendWebResponse(call: NodeCall, response: Response, parts: RawResponse | null): Promise<void> {
  const { res } = call;
  const { status, headers } = response;
  const forbidden = call.req.httpVersionMajor > 1 ? CONNECTION_HEADERS : NOTHING;
  call.dropRemoved((name) => headers.has(name) && !forbidden.has(name));
  const cookies = headers.getSetCookie();
  const body = parts === null ? response.body : bodyOf(response, parts);
  if (body instanceof ReadableStream) flushLater(res);
  else if (status === 205 || noBody(call.req.method, status) === null) stopUpload(res);
  // set separately, because otherwise a second cookie would replace the first
  if (cookies.length > 0) res.setHeader("set-cookie", cookies.length === 1 ? cookies[0]! : cookies);
  const sent = {
    status,
    statusText: response.statusText,
    headers: cookies.length === 0 && forbidden === NOTHING
      ? headers
      : [...headers].filter(([name]) => name !== "set-cookie" && !forbidden.has(name)),
  };
  if (isPatched(res)) {
    // flushed early if the handler is still writing, and for event streams
    const early = call.response?.writableEnded === false ||
      headers.get("content-type")?.startsWith("text/event-stream") === true;
    return await sendPatched(res, { ...sent, body, early, response: call.response });
  }
  sent.statusText ||= STATUS_CODES[status] ?? "";
  await sendNodeResponse(res, new FastResponse(body ?? noBody(call.req.method, status), sent));
}

/**
 * Ends a response before it is complete, so that its client can tell.
 *
 * @param res Node's response
 */
export function breakOff(res: AnyResponse): void {
  // over HTTP/2, `destroy` without an error resets the stream with NO_ERROR: many clients treat such a response as
  // complete, and a client whose upload waits for the server would wait forever
  if (res.stream === undefined) res.destroy();
  else res.stream.close(INTERNAL_ERROR);
}

// over HTTP/2, stops an upload that no code reads, in the turn after a response that cannot have a body; after others,
// Node does so itself
function stopUpload({ stream }: AnyResponse): void {
  if (stream === undefined) return;
  nextTurn(() => void (stream.headersSent && stream.readableFlowing === null && stream.close()));
}

// if there could be a body, `Content-Length: 0` is sent, as on other runtimes; Node itself would use chunked encoding
function noBody(method: string | undefined, status: number): Uint8Array<ArrayBuffer> | null {
  return method === "HEAD" || status === 204 || status === 304 ? null : NO_BYTES;
}

// only an internal field shows whether the head has been sent; HTTP/2 does not delay it
function hasHeadBack(res: ServerResponse & { _headerSent?: boolean }): boolean {
  return res._headerSent === false && res.headersSent && !isDestroyed(res);
}

// a complete body is sent in one piece with its length; as bytes, because a string would add a content type
function bodyOf(response: Response, { body }: RawResponse): Sent["body"] {
  if (typeof body === "string") return new TextEncoder().encode(body);
  return body instanceof Blob ? response.body : body as Sent["body"];
}
