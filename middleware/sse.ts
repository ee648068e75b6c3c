/**
 * Server-sent events: a response that stays open and sends events to an `EventSource` in a page.
 *
 * @example A clock
 * ```ts
 * import sluice from "@sluice/sluice";
 * import { sse } from "@sluice/middleware/sse";
 *
 * const app = sluice();
 *
 * app.get("/clock", (req, res) => {
 *   const events = sse(req, res);
 *   const timer = setInterval(() => events.send({ event: "tick", data: new Date() }), 1000);
 *   events.closed.then(() => clearInterval(timer));
 * });
 * ```
 *
 * @module
 */
export { type EventStream, sse, type SseOptions } from "./src/sse/sse.ts";
export type { ServerSentEvent } from "./src/sse/server_sent_event.ts";
