/**
 * Sluice in Cloudflare's Durable Objects: WebSockets that stay open while their object hibernates.
 *
 * A Worker needs no special entry: `export default app` serves an application, `req.env` holds its bindings,
 * `req.waitUntil(work)` continues after the response, and `app.ws()` accepts WebSockets. A Worker's connections cannot
 * reach each other. In a Durable Object, they can, including through topics, and the object hibernates between
 * messages:
 *
 * @example A chat
 * ```ts ignore
 * import sluice from "@sluice/sluice";
 * import { durableSockets } from "@sluice/sluice/workers";
 *
 * export class Room extends durableSockets(() => {
 *   const room = sluice();
 *   room.ws("/rooms/:room", {
 *     open(ws) {
 *       ws.data.name = ws.data.req.query.name;
 *       ws.subscribe("all");
 *     },
 *     message: (ws, text) => void ws.publish("all", `${ws.data.name}: ${text}`),
 *   });
 *   return room;
 * }) {}
 *
 * const app = sluice();
 * app.get("/rooms/:room", (req) => {
 *   const { ROOM } = req.env;
 *   return ROOM.get(ROOM.idFromName(req.params.room)).fetch(req.request);
 * });
 * export default app;
 * ```
 *
 * @module
 */
// every program imports it, so bundlers keep what the entries share in one module (docs/decisions/0013-start.md)
import "./mod.ts";
export type { ResumedRequest } from "./src/app/framework_app.ts";
export type {
  DurableSockets,
  DurableSocketsBase,
  DurableSocketsOptions,
  PlainObject,
} from "./src/workers/durable_object.ts";
export { durableSockets } from "./src/workers/durable_sockets.ts";
export type { DurableState } from "./src/workers/durable_state.ts";
