import * as sluice from "@sluice/sluice";
import { detailsOf, formParser, parseSimpleQuery, withDetails } from "@sluice/sluice/profile";
import type { BodyParser } from "@sluice/sluice/types";

/** Parses JSON bodies; `req.body` is `{}` where there is none. */
export const json: typeof sluice.json = (options) => withEmptyBody(sluice.json(options));

/** Reads bodies as bytes; `req.body` is `{}` where there is none. */
export const raw: typeof sluice.raw = (options) => withEmptyBody(sluice.raw(options));

/** Reads text bodies; `req.body` is `{}` where there is none. */
export const text: typeof sluice.text = (options) => withEmptyBody(sluice.text(options));

/** Parses form bodies, with nested names by default, otherwise as Node; `req.body` is `{}` where there is none. */
export const urlencoded: typeof sluice.urlencoded = (options) =>
  withEmptyBody(formParser({ ...options, extended: options?.extended ?? true }, parseSimpleQuery));

function withEmptyBody(parse: BodyParser): BodyParser {
  const parser: BodyParser = (req, res, next) =>
    parse(req, res, (error) => {
      req.body ??= {};
      next(error);
    });
  // packages look for a layer with this name, as Nest does before it adds its own parser
  Object.defineProperty(parser, "name", { value: parse.name });
  return withDetails(parser, detailsOf(parse));
}
