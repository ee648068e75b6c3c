import { ownFetches } from "../dispatch/host_server.ts";
import { webRequestKey } from "../exchange/web_request.ts";
import { isThenable } from "../util/is_thenable.ts";
import type { Servable } from "../platform/shared/platform.ts";
import type { NodeCall } from "./node_call.ts";
import { isDestroyed } from "./patched_response.ts";
import { breakOff, sendResponse } from "./send_response.ts";

/**
 * Responds to a request, unless its client is known to have disconnected.
 *
 * @param app The application
 * @param call The request
 */
export function receive(app: Servable, call: NodeCall): void {
  const { req, res } = call;
  // Node also treats a client as disconnected if it has sent its request and ended its side, unless the server has
  // `httpAllowHalfOpen`. A destroyed request proves nothing, because reading its body to the end also destroys it.
  if (req.aborted || isDestroyed(res)) return;
  // without a socket, earlier requests on the connection still await their responses
  if (res.socket === null) closeWith(call);
  handleCall(app, call);
}

// when a client disconnects, Node closes the response being sent, but not those queued after it
function closeWith({ req, res }: NodeCall): void {
  req.once("close", () => void (req.aborted && !res.destroyed && res.destroy().emit("close")));
}

/**
 * Responds to a request. Errors are reported, and the client gets 500.
 *
 * @param app The application
 * @param call The request
 * @param ready Awaited first, if given
 */
export function handleCall(app: Servable, call: NodeCall, ready?: Promise<void>): void {
  if (ready !== undefined) return failing(call, ready.then(() => handleCall(app, call)));
  try {
    const request = ownFetches.has(app.fetch) ? call.standIn : call[webRequestKey];
    const response = app.fetch(request, call);
    // A synchronous response is sent on the tick in which the request arrived. Its class is not checked, because a
    // package, or a test that emulates a browser, may have replaced the runtime's.
    if (isThenable(response)) sendLate(call, response);
    else send(call, response);
  } catch (error) {
    fail(call, error);
  }
}

// separate functions, because otherwise every request would allocate the closures' variables
function sendLate(call: NodeCall, response: Promise<Response>): void {
  response.then((late) => send(call, late), (error) => fail(call, error));
}

function send(call: NodeCall, response: Response): void {
  try {
    const sent = sendResponse(call, response);
    if (sent !== undefined) failing(call, sent);
  } catch (error) {
    fail(call, error);
  }
}

function failing(call: NodeCall, work: Promise<void>): void {
  work.catch((error) => fail(call, error));
}

function fail(call: NodeCall, error: unknown): void {
  call.report(error);
  const { res } = call;
  if (res.headersSent) return breakOff(res);
  // a header may have caused the error
  for (const name of res.getHeaderNames()) res.removeHeader(name);
  res.writeHead(500).end();
}
