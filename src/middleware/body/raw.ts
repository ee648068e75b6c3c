import { type BodyOptions, checkBodyOptions } from "./body_options.ts";
import { type BodyParser, bodyParser } from "./body_parser.ts";

/**
 * Reads bodies as bytes, as Express's `express.raw`: a `Buffer` where the runtime has one, a `Uint8Array` elsewhere.
 *
 * @param options Limit and types
 * @returns The middleware
 * @throws {TypeError} If an option is not valid
 */
export function raw(options?: BodyOptions): BodyParser {
  return bodyParser(checkBodyOptions("raw", options ?? {}, "application/octet-stream"), {});
}
