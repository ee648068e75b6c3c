import { ownFetches } from "../dispatch/host_server.ts";
import { isThenable } from "../util/is_thenable.ts";
import type { Servable } from "../platform/shared/platform.ts";
import type { NodeCall } from "./node_call.ts";
import { sendResponse } from "./send_response.ts";

/**
 * Responds to a request; errors are reported, and the client gets 500.
 *
 * @param app The application
 * @param call The request
 * @param ready Awaited first, if given
 */
export function handleCall(app: Servable, call: NodeCall, ready?: Promise<void>): void {
  const failed = (error: unknown): void => fail(call, error);
  if (ready !== undefined) return void ready.then(() => handleCall(app, call)).catch(failed);
  try {
    const request = ownFetches.has(app.fetch) ? call.standIn : call.request;
    const response = app.fetch(request, call);
    // A synchronous response is sent in the turn in which the request came. Its class is not checked: a package, or a
    // test that imitates a browser, may have replaced the runtime's.
    if (isThenable(response)) response.then((late) => sendResponse(call, late)).catch(failed);
    else sendResponse(call, response)?.catch(failed);
  } catch (error) {
    failed(error);
  }
}

function fail(call: NodeCall, error: unknown): void {
  call.report(error);
  const { res } = call;
  if (res.headersSent) return void res.destroy();
  // one of the headers may have caused the error
  for (const name of res.getHeaderNames()) res.removeHeader(name);
  res.writeHead(500).end();
}
