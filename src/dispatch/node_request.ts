import { TARGET_DOUBT } from "../exchange/target_doubt.ts";
import type { Exchange } from "../exchange/exchange.ts";

const MESSAGE = "app.fetch expects a web Request, not one of Node's: pass the application itself, as in " +
  "http.createServer(app)";

/** The part of Node's response used here. */
interface NodeResponse {
  statusCode: number;
  end(): unknown;
}

/**
 * Returns whether a request is Node's, as `http.createServer(app.fetch)` passes it: its URL is a path, and its headers
 * are a plain object.
 *
 * @param exchange The exchange
 */
export function isNodeRequest({ target: { doubt, request } }: Exchange): boolean {
  return doubt === TARGET_DOUBT.alone && typeof (request.headers as { get?: unknown } | undefined)?.get !== "function";
}

/**
 * Responds to such a request with 500 and logs the fix. An error thrown here would be lost on Deno, where `node:http`
 * responds with 400, and would crash the process on Node.
 *
 * @param exchange The exchange; the platform's second argument is Node's response
 * @throws {TypeError} If it is something else
 */
export function refuseNodeRequest(exchange: Exchange): void {
  const res = exchange.info as Partial<NodeResponse> | undefined;
  if (typeof res?.end !== "function") throw new TypeError(MESSAGE);
  console.error(MESSAGE);
  res.statusCode = 500;
  res.end();
  exchange.settle(new Response(null, { status: 500 }));
}
