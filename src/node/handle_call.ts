import { ownFetches } from "../dispatch/host_server.ts";
import { isThenable } from "../util/is_thenable.ts";
import type { Servable } from "../platform/shared/platform.ts";
import type { NodeCall } from "./node_call.ts";
import { sendResponse } from "./send_response.ts";

/**
 * Responds to a request; errors are reported, and the client gets 500.
 *
 * @param app The application
 * @param visit The request
 * @param ready Awaited first, if given
 */
export function handleCall(app: Servable, visit: NodeCall, ready?: Promise<void>): void {
  const failed = (error: unknown): void => fail(visit, error);
  if (ready !== undefined) return void ready.then(() => handleCall(app, visit)).catch(failed);
  try {
    const request = ownFetches.has(app.fetch) ? visit.standIn : visit.request;
    const response = app.fetch(request, visit);
    // A synchronous response is sent in the turn in which the request came. Its class is not checked: a package, or a
    // test that imitates a browser, may have replaced the runtime's.
    if (isThenable(response)) response.then((late) => sendResponse(visit, late)).catch(failed);
    else sendResponse(visit, response)?.catch(failed);
  } catch (error) {
    failed(error);
  }
}

function fail(visit: NodeCall, error: unknown): void {
  visit.report(error);
  const { res } = visit;
  if (res.headersSent) return void res.destroy();
  // one of the headers may have caused the error
  for (const name of res.getHeaderNames()) res.removeHeader(name);
  res.writeHead(500).end();
}
