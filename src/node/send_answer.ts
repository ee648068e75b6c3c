import { ServerResponse, STATUS_CODES } from "node:http";
import { FastResponse, sendNodeResponse } from "srvx/node";
import { isDestroyed, isHooked, sendHooked, type Sent } from "./hooked_response.ts";
import { nextTurn } from "./next_turn.ts";
import { NodeAnswer, type Parts } from "./node_answer.ts";
import type { NodeVisit } from "./node_visit.ts";

const NOTHING: ReadonlySet<string> = new Set();

const NO_BYTES = new Uint8Array();

/** What HTTP/2 forbids (RFC 9113 section 8.2.2): Node throws, and an application need not know what it is served over. */
const CONNECTION_HEADERS: ReadonlySet<string> = new Set([
  "connection",
  "http2-settings",
  "keep-alive",
  "proxy-connection",
  "te",
  "transfer-encoding",
  "upgrade",
]);

/**
 * Sends what an application has answered, unless the request has become something else or nobody waits any more.
 *
 * @param visit The request
 * @param response The answer
 * @returns Settles when it is out; nothing where it was handed over at once
 */
export function sendAnswer(visit: NodeVisit, response: Response): Promise<void> | void {
  if (visit.upgraded) return;
  const { res } = visit;
  // the client left, or somebody else has answered: a timeout, a server being closed
  if (res.writableEnded || isDestroyed(res)) return response.body?.cancel();
  // a handler broke it off before there was an answer, and here that can be done as Node does it
  if (visit.answer?.destroyed && !visit.answer.writableFinished) return void res.destroy();
  visit.request.keepBody();
  const parts = NodeAnswer.partsOf(response);
  if (parts === null || !sendWhole(visit, parts)) return sendResponse(visit, response, parts);
}

// most answers are there as a whole, on a response of Node's that nobody else has touched
function sendWhole({ req, res }: NodeVisit, { body, status, statusText, head, isAscii }: Parts): boolean {
  if (body !== null && typeof body !== "string" && !(body instanceof Uint8Array)) return false;
  // one of HTTP/2 is no ServerResponse; and beside headers that are set already, a second cookie would replace the first
  if (!(res instanceof ServerResponse) || isHooked(res) || res.getHeaderNames().length > 0) return false;
  const sent = body ?? noBody(req.method, status);
  const length = sent === null ? [] : ["content-length", String(Buffer.byteLength(sent))];
  res.writeHead(status, statusText || (STATUS_CODES[status] ?? ""), [...head, ...length]);
  // in one piece with a text, Node would send the head in the encoding of that
  res.end(typeof sent !== "string" || isAscii ? sent : Buffer.from(sent));
  return true;
}

async function sendResponse(visit: NodeVisit, response: Response, parts: Parts | null): Promise<void> {
  const { res } = visit;
  const { status, headers } = response;
  const forbidden = visit.req.httpVersionMajor > 1 ? CONNECTION_HEADERS : NOTHING;
  visit.dropRemoved((name) => headers.has(name) && !forbidden.has(name));
  const cookies = headers.getSetCookie();
  const body = parts === null ? response.body : bodyOf(response, parts);
  // Node keeps the head back until there is something to send behind it, which of a stream of events may take its time
  if (body instanceof ReadableStream) nextTurn(() => void (hasHeadBack(res) && res.flushHeaders()));
  // Node would let the second cookie replace the first, were they among the others
  if (cookies.length > 0) res.setHeader("set-cookie", cookies);
  const sent = {
    status,
    statusText: response.statusText,
    headers: cookies.length === 0 && forbidden === NOTHING
      ? headers
      : [...headers].filter(([name]) => name !== "set-cookie" && !forbidden.has(name)),
  };
  if (isHooked(res)) {
    // a handler that goes on has flushed them, and who listens to events waits for them
    const early = visit.answer?.writableEnded === false ||
      headers.get("content-type")?.startsWith("text/event-stream") === true;
    return await sendHooked(res, { ...sent, body, early });
  }
  sent.statusText ||= STATUS_CODES[status] ?? "";
  await sendNodeResponse(res, new FastResponse(body ?? noBody(visit.req.method, status), sent));
}

// where there might have been one, its length of 0 is said, as everywhere else; Node by itself would send it in chunks
function noBody(method: string | undefined, status: number): Uint8Array<ArrayBuffer> | null {
  return method === "HEAD" || status === 204 || status === 304 ? null : NO_BYTES;
}

// what has left is told by a field of Node's own; HTTP/2 keeps nothing back
function hasHeadBack(res: ServerResponse & { _headerSent?: boolean }): boolean {
  return res._headerSent === false && res.headersSent && !isDestroyed(res);
}

// what is known as a whole leaves at once and with its length; as bytes, for a text would bring a content type along
function bodyOf(response: Response, { body }: Parts): Sent["body"] {
  if (typeof body === "string") return new TextEncoder().encode(body);
  return body instanceof Blob ? response.body : body as Sent["body"];
}
