import createApp from "@sluice/sluice";

/** A request that may have been parsed. */
interface Asked {
  readonly url?: string;
  query?: unknown;
}

/**
 * Express 4's middleware that parses the query of requests that have none yet.
 *
 * @param options A function that parses a query, instead of Express's extended parser
 */
function query(options?: unknown): (req: Asked, res: object, next: () => void) => void {
  const parse = typeof options === "function"
    ? options as (text: string) => unknown
    : createApp().set("query parser", "extended").get("query parser fn");
  return function query(req, _res, next) {
    req.query ??= parse(/\?([^#]*)/.exec(req.url ?? "")?.[1] ?? "");
    next();
  };
}

export { query as "module.exports", query as default };
