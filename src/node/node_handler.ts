import type { IncomingMessage, ServerResponse } from "node:http";
import { isThenable } from "../http/is_thenable.ts";
import { assertServable } from "../platform/assert_servable.ts";
import type { Servable } from "../platform/platform.ts";
import { isDestroyed } from "./hooked_response.ts";
import { type NodeNext, NodeVisit } from "./node_visit.ts";
import { sendAnswer } from "./send_answer.ts";

/** A request handler of Node's servers, and a middleware of Express. */
export type NodeHandler = (req: IncomingMessage, res: ServerResponse, next?: NodeNext) => void;

/**
 * Turns an application into a handler for your own Node server, or a middleware for Express.
 *
 * Mounted in Express, the application gets the path below the mount, the body that Express's parsers have read, what
 * other middleware has put on the request, such as `user` and `session`, `res.locals`, and the headers set so far. If
 * no layer answers, or an error is not handled, `next` is called, if there is one.
 *
 * A request whose client is known to have left, because the server waited for something before it called the handler,
 * is dropped: no layer runs.
 *
 * @param app The application
 * @returns The handler
 * @throws {TypeError} If it is not an application
 *
 * @example Your own server
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
    if (isAbandoned(req, res)) return;
    // without a socket, earlier requests on the connection are still being answered
    if (res.socket === null) closeWith(req, res);
    answerVisit(app, new NodeVisit(req, res, next));
  };
}

// A client that has sent its request and ended its side counts as gone for Node, too, unless its server was made with
// `httpAllowHalfOpen`. That a request was destroyed says nothing: reading its body to the end does that as well.
function isAbandoned(req: IncomingMessage, res: ServerResponse): boolean {
  return req.aborted || isDestroyed(res);
}

// when a client disconnects, Node closes the response being sent, but not those queued after it
function closeWith(req: IncomingMessage, res: ServerResponse): void {
  req.once("close", () => void (req.aborted && !res.destroyed && res.destroy().emit("close")));
}

/**
 * Answers a request; errors are reported, and the client gets 500.
 *
 * @param app The application
 * @param visit The request
 * @param ready Awaited first, if given
 */
export function answerVisit(app: Servable, visit: NodeVisit, ready?: Promise<void>): void {
  const failed = (error: unknown): void => fail(visit, error);
  if (ready !== undefined) return void ready.then(() => answerVisit(app, visit)).catch(failed);
  try {
    const response = app.fetch(visit.request, visit);
    // A synchronous response is sent in the turn in which the request came. Its class is not checked: a package, or a
    // test that imitates a browser, may have replaced the runtime's.
    if (isThenable(response)) response.then((late) => sendAnswer(visit, late)).catch(failed);
    else sendAnswer(visit, response)?.catch(failed);
  } catch (error) {
    failed(error);
  }
}

function fail(visit: NodeVisit, error: unknown): void {
  visit.report(error);
  const { res } = visit;
  if (res.headersSent) return void res.destroy();
  // one of the headers may have caused the error
  for (const name of res.getHeaderNames()) res.removeHeader(name);
  res.writeHead(500).end();
}
