import { noteWarning } from "../../util/development_warning.ts";
import { HttpError } from "../../http/http_error.ts";
import { parseExtendedQuery } from "../../http/nested_query.ts";
import { hasBrackets, type ParsedQuery } from "../../http/query_string.ts";
import { checkBodyOptions, type UrlencodedOptions } from "./body_options.ts";
import { type BodyParser, bodyParser } from "./body_parser.ts";

const FLAT = 'urlencoded: names with brackets, as in "user[name]=x", are not nested; Express 4 nests them: write ' +
  "urlencoded({ extended: true }), or extended: false to keep this";

/**
 * Parses form bodies, like Express's `express.urlencoded`.
 *
 * @param options Limits, types and whether brackets nest
 * @returns The middleware
 * @throws {TypeError} If an option is invalid
 *
 * @example A form
 * ```ts
 * import sluice, { urlencoded } from "@sluice/sluice";
 *
 * const app = sluice();
 * app.post("/login", urlencoded({ extended: false }), (req, res) => res.send(`Hello, ${req.body.name}`));
 * ```
 */
export function urlencoded(options?: UrlencodedOptions): BodyParser {
  return formParser(options ?? {});
}

/** Parses a form whose names are not nested, up to a number of pairs. */
export type FlatParser = (text: string, maxPairs: number) => ParsedQuery;

/**
 * Creates a parser for form bodies.
 *
 * @param given Limits, types and whether brackets nest
 * @param parseFlat Parses forms without nesting; by default, like npm's qs
 */
export function formParser(given: UrlencodedOptions, parseFlat?: FlatParser): BodyParser {
  const checked = checkBodyOptions("urlencoded", given, "application/x-www-form-urlencoded");
  if (!isFormCharset(checked.defaultCharset)) {
    throw new TypeError("option defaultCharset must be either utf-8 or iso-8859-1");
  }
  const { extended = false, parameterLimit = 1000, charsetSentinel = false, interpretNumericEntities = false } = given;
  const depth = extended ? given.depth ?? 32 : 0;
  if (Number.isNaN(Number(parameterLimit)) || parameterLimit < 1) {
    throw new TypeError("option parameterLimit must be a positive number");
  }
  if (Number.isNaN(Number(depth)) || depth < 0) {
    throw new TypeError("option depth must be a zero or a positive number");
  }
  const most = Math.floor(parameterLimit);
  const isChosen = given.extended !== undefined;
  return bodyParser(checked, {
    acceptsCharset: isFormCharset,
    parseText(text, charset) {
      if (text.length === 0) return {};
      if (!isChosen && hasBrackets(text)) noteWarning(FLAT);
      const count = text.split("&", Number.isFinite(most) ? most + 1 : undefined).length;
      if (count > most) throw new HttpError(413, "too many parameters", { type: "parameters.too.many" });
      if (!extended && parseFlat !== undefined) return parseFlat(text, count);
      try {
        return parseExtendedQuery(text, {
          allowPrototypes: true,
          arrayLimit: extended ? Math.max(100, count) : count,
          charset: charset as "utf-8" | "iso-8859-1",
          charsetSentinel,
          depth,
          interpretNumericEntities,
          parameterLimit: most,
          strictDepth: true,
        });
      } catch (cause) {
        if (!(cause instanceof RangeError)) throw cause;
        throw new HttpError(400, "The input exceeded the depth", { cause, type: "querystring.parse.rangeError" });
      }
    },
  });
}

function isFormCharset(charset: string): boolean {
  return charset === "utf-8" || charset === "iso-8859-1";
}
