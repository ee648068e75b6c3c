/**
 * The current request, its id and its user, available anywhere without passing them through every function.
 * `AsyncLocalStorage` carries them.
 *
 * @example The request id, in a function that is not passed the request
 * ```ts
 * import sluice from "@sluice/sluice";
 * import { context, requestFields } from "@sluice/middleware/context";
 * import { requestId } from "@sluice/middleware/request-id";
 *
 * const note = (message: string) => console.log(JSON.stringify({ message, ...requestFields() }));
 *
 * const app = sluice();
 * app.use(context(), requestId());
 * app.get("/", async (_req, res) => {
 *   await Promise.resolve();
 *   note("asked for"); // {"message":"asked for","id":"…","traceId":"…"}
 *   res.send("Hello");
 * });
 * ```
 *
 * @module
 */
export { context } from "./src/context/context.ts";
export { currentRequest, type RequestFields, requestFields } from "./src/context/current_request.ts";
