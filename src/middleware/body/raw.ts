import { type BodyOptions, checkBodyOptions } from "./body_options.ts";
import { type BodyParser, bodyParser } from "./body_parser.ts";

/**
 * Reads bodies as bytes, like Express's `express.raw`: a `Buffer` where the runtime has one, a `Uint8Array` elsewhere.
 *
 * @param options Limit and types
 * @returns The middleware
 * @throws {TypeError} If an option is invalid
 *
 * @example A webhook's signed bytes
 * ```ts
 * import sluice, { raw } from "@sluice/sluice";
 *
 * const app = sluice();
 * app.post("/webhook", raw({ type: "application/json" }), async (req, res) => {
 *   const digest = await crypto.subtle.digest("SHA-256", req.body);
 *   res.json({ bytes: digest.byteLength });
 * });
 * ```
 */
export function raw(options?: BodyOptions): BodyParser {
  return bodyParser(checkBodyOptions("raw", options ?? {}, "application/octet-stream"), {});
}
