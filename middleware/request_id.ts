/**
 * A name for each request: the one that a proxy gave it, or a new one; and its trace, as W3C Trace Context has it.
 *
 * @example The id in the response, in the log and in what is asked of others
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
