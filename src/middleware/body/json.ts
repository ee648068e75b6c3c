import { jsonDepth } from "../../request/body/body_settings.ts";
import { assertDepth } from "../../request/body/body_methods.ts";
import { checkBodyOptions, type JsonOptions } from "./body_options.ts";
import { type BodyParser, bodyParser } from "./body_parser.ts";

const OPENING_BRACE = 0x7b;
const OPENING_BRACKET = 0x5b;

/**
 * Parses JSON bodies, like Express's `express.json`.
 *
 * @param options Limit, types and strictness
 * @returns The middleware. It responds with 400 to invalid JSON, and to JSON nested deeper than the `json depth`
 * setting; with 413 over the limit; and with 415 to an unknown charset or coding
 * @throws {TypeError} If an option is invalid
 *
 * @example A request body
 * ```ts
 * import sluice, { json } from "@sluice/sluice";
 *
 * const app = sluice();
 * app.post("/notes", json({ limit: "10kb" }), (req, res) => res.status(201).json(req.body));
 *
 * const init = { method: "POST", headers: { "content-type": "application/json" }, body: '{"text":"Hello"}' };
 * console.log(await (await app.inject("/notes", init)).json()); // { text: "Hello" }
 * ```
 */
export function json(options?: JsonOptions): BodyParser {
  const { strict = true, reviver } = options ?? {};
  return bodyParser(checkBodyOptions("json", options ?? {}, "application/json"), {
    // RFC 8259 section 8.1
    acceptsCharset: (charset) => charset.startsWith("utf-"),
    parseText(text, _charset, settings) {
      // clients often send the type without a body
      if (text.length === 0) return {};
      if (strict) assertContainer(text);
      const value = JSON.parse(text);
      assertDepth(value, text, jsonDepth(settings));
      // runs last, because revivers are called recursively and may return anything
      return reviver ? JSON.parse(text, reviver) : value;
    },
  });
}

function assertContainer(text: string): void {
  // fast path, because nearly every body starts with one of these
  const code = text.charCodeAt(0);
  if (code === OPENING_BRACE || code === OPENING_BRACKET) return;
  const first = /[^ \t\n\r]/.exec(text);
  if (first === null || first[0] === "{" || first[0] === "[") return;
  throw primitiveError(text, first.index);
}

/** Number of characters beyond which the text's length no longer affects the excerpt in an engine's message. */
const EXCERPT = 24;

/** An error in the engine's own words, as in body-parser, from parsing `#`, which starts no JSON value. */
function primitiveError(text: string, at: number): unknown {
  try {
    return JSON.parse(text.slice(0, at) + "#".repeat(Math.min(text.length - at, EXCERPT)));
  } catch (error) {
    const message = (error as SyntaxError).message.replace(/#+/g, (found) => text.slice(at, at + found.length));
    return new SyntaxError(message);
  }
}
