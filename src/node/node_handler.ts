import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import { FastResponse, sendNodeResponse } from "srvx/node";
import { assertServable } from "../platform/assert_servable.ts";
import type { Servable } from "../platform/platform.ts";
import { wholeBodyKey } from "../response/outgoing_message.ts";
import { isDestroyed, isHooked, sendHooked } from "./hooked_response.ts";
import { nextTurn } from "./next_turn.ts";
import { type NodeNext, NodeVisit } from "./node_visit.ts";

/** A request handler of Node's servers, and a middleware of Express. */
export type NodeHandler = (req: IncomingMessage, res: ServerResponse, next?: NodeNext) => void;

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
 * Makes an application a handler for a Node server of one's own, or a middleware of Express.
 *
 * Below a mount of Express, the application sees the path behind the mount, the body that Express's parsers have read,
 * and the headers set so far. Where no layer answers, or an error is left over, `next` goes on if there is one.
 *
 * @param app The application
 * @returns The handler
 * @throws {TypeError} If it is no application
 *
 * @example A server of one's own
 * ```ts ignore
 * http.createServer(toNodeHandler(app)).listen(3000);
 * ```
 *
 * @example One part of an Express application
 * ```ts ignore
 * expressApp.use("/api", toNodeHandler(app));
 * ```
 */
export function toNodeHandler(app: Servable): NodeHandler {
  assertServable("toNodeHandler", app);
  return (req, res, next) => {
    // it has a socket only when those in front of it on their connection have been answered
    if (res.socket === null) closeWith(req, res);
    answerVisit(app, new NodeVisit(req, res, next));
  };
}

// when a client leaves, Node closes the answer that is on its way and forgets those that wait behind it
function closeWith(req: IncomingMessage, res: ServerResponse): void {
  req.once("close", () => void (req.aborted && !res.destroyed && res.destroy().emit("close")));
}

/**
 * Answers a request; whatever fails is written to the error output, and 500 to the client.
 *
 * @param app The application
 * @param visit The request
 * @param ready What has to be waited for before, if anything
 */
export function answerVisit(app: Servable, visit: NodeVisit, ready?: Promise<void>): void {
  const { res } = visit;
  (ready === undefined ? answer(app, visit) : ready.then(() => answer(app, visit))).catch((error) => {
    console.error(error);
    if (res.headersSent) return void res.destroy();
    // one of them may be what failed
    for (const name of res.getHeaderNames()) res.removeHeader(name);
    res.writeHead(500).end();
  });
}

// a synchronous application is answered in the turn the request came in
async function answer(app: Servable, visit: NodeVisit): Promise<void> {
  const response = app.fetch(visit.request, visit);
  await send(visit, response instanceof Response ? response : await response);
}

async function send(visit: NodeVisit, response: Response): Promise<void> {
  if (visit.upgraded) return;
  const { res } = visit;
  // the client left, or somebody else has answered: a timeout, a server being closed
  if (res.writableEnded || isDestroyed(res)) return await response.body?.cancel();
  // a handler broke it off before there was an answer, and here that can be done as Node does it
  if (visit.answer?.destroyed) return void res.destroy();
  visit.request.keepBody();
  const { status, headers } = response;
  const forbidden = visit.req.httpVersionMajor > 1 ? CONNECTION_HEADERS : NOTHING;
  visit.dropRemoved((name) => headers.has(name) && !forbidden.has(name));
  const cookies = headers.getSetCookie();
  const whole = wholeBody(visit);
  // Node keeps the head back until there is something to send behind it, which of a stream of events may take its time
  if (whole === null && response.body !== null) nextTurn(() => void (hasHeadBack(res) && res.flushHeaders()));
  // Node would let the second cookie replace the first, were they among the others
  if (cookies.length > 0) res.setHeader("set-cookie", cookies);
  const sent = {
    status,
    statusText: response.statusText,
    headers: cookies.length === 0 && forbidden === NOTHING
      ? headers
      : [...headers].filter(([name]) => name !== "set-cookie" && !forbidden.has(name)),
  };
  const body = whole ?? response.body;
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

// a body known as a whole leaves at once and with its length; as bytes, for a text would bring a content type along
function wholeBody({ answer }: NodeVisit): Uint8Array<ArrayBuffer> | null {
  const body = answer?.[wholeBodyKey] ?? null;
  return typeof body === "string" ? new TextEncoder().encode(body) : body;
}
