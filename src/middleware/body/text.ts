import { type BodyOptions, checkBodyOptions } from "./body_options.ts";
import { type BodyParser, bodyParser } from "./body_parser.ts";

/**
 * Reads text bodies as strings, like Express's `express.text`.
 *
 * @param options Limit, types and default charset
 * @returns The middleware
 * @throws {TypeError} If an option is invalid
 *
 * @example A body as a string
 * ```ts
 * import sluice, { text } from "@sluice/sluice";
 *
 * const app = sluice();
 * app.post("/count", text({ type: "text/*" }), (req, res) => res.json({ letters: req.body.length }));
 * ```
 */
export function text(options?: BodyOptions): BodyParser {
  return bodyParser(checkBodyOptions("text", options ?? {}, "text/plain"), { parseText: (body) => body });
}
