import type { IncomingMessage, ServerResponse } from "node:http";
import { isThenable } from "../http/is_thenable.ts";
import { assertServable } from "../platform/assert_servable.ts";
import type { Servable } from "../platform/platform.ts";
import { type NodeNext, NodeVisit } from "./node_visit.ts";
import { sendAnswer } from "./send_answer.ts";

/** A request handler of Node's servers, and a middleware of Express. */
export type NodeHandler = (req: IncomingMessage, res: ServerResponse, next?: NodeNext) => void;

/**
 * Makes an application a handler for a Node server of one's own, or a middleware of Express.
 *
 * Below a mount of Express, the application sees the path behind the mount, the body that Express's parsers have read,
 * what other middleware has put on the request, such as `user` and `session`, `res.locals`, and the headers set so far.
 * Where no layer answers, or an error is left over, `next` goes on if there is one.
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
  const failed = (error: unknown): void => fail(visit.res, error);
  if (ready !== undefined) return void ready.then(() => answerVisit(app, visit)).catch(failed);
  try {
    const response = app.fetch(visit.request, visit);
    // a synchronous application is answered in the turn the request came in; which class its answer is of does not
    // matter, for a package, or a test's imitation of a browser, may have put another in place of the runtime's
    if (isThenable(response)) response.then((late) => sendAnswer(visit, late)).catch(failed);
    else sendAnswer(visit, response)?.catch(failed);
  } catch (error) {
    failed(error);
  }
}

function fail(res: ServerResponse, error: unknown): void {
  console.error(error);
  if (res.headersSent) return void res.destroy();
  // one of them may be what failed
  for (const name of res.getHeaderNames()) res.removeHeader(name);
  res.writeHead(500).end();
}
