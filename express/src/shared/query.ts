import type { CreateApp } from "@sluice/sluice";

/** A request that may have a parsed query. */
interface Asked {
  readonly url?: string;
  query?: unknown;
}

/** A middleware that parses queries. */
export type QueryMiddleware = (req: Asked, res: object, next: () => void) => void;

/**
 * Creates Express 4's `express.query`, which parses the query on requests without a parsed query.
 *
 * @param createApp Creates an application, whose extended parser is the default
 */
export function queryMiddleware(createApp: CreateApp): (parse?: unknown) => QueryMiddleware {
  return function query(given) {
    const parse = typeof given === "function"
      ? given
      : createApp().set("query parser", "extended").get("query parser fn");
    return function query(req, _res, next) {
      req.query ??= (parse as (text: string) => unknown)(/\?([^#]*)/.exec(req.url ?? "")?.[1] ?? "");
      next();
    };
  };
}
