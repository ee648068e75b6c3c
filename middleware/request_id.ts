/**
 * Request ids: an id for each request, from a proxy or newly generated, and its trace as defined by W3C Trace Context.
 *
 * @example The id in the response, in the log and in outgoing requests
 * ```ts
 * import sluice from "@sluice/sluice";
 * import { requestId, type RequestIdExtras, traceHeaders } from "@sluice/middleware/request-id";
 *
 * const app = sluice();
 * app.use(requestId());
 * app.get("/", async (req, res) => {
 *   const prices = await fetch("https://prices.internal/", { headers: traceHeaders(req), signal: req.signal });
 *   res.json({ id: (req as typeof req & RequestIdExtras).id, prices: await prices.json() });
 * });
 * ```
 *
 * @example Their types, declared once
 * ```ts ignore
 * declare module "@sluice/sluice" {
 *   interface RequestExtras extends RequestIdExtras {}
 * }
 * ```
 *
 * @module
 */
export { requestId, type RequestIdExtras, type RequestIdOptions, traceHeaders } from "./src/request_id/request_id.ts";
export type { TraceContext } from "./src/request_id/trace_context.ts";
