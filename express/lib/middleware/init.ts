import { FrameworkRequest } from "@sluice/sluice";

/** Continues with the next layer. */
type Next = (error?: unknown) => void;

/**
 * Express 4's first middleware, which turns Node's requests into Express's. Sluice's requests need no conversion.
 *
 * @param _app The application
 */
function init(_app: unknown): (req: object, res: object, next: Next) => void {
  return function expressInit(req, _res, next) {
    if (req instanceof FrameworkRequest) return next();
    next(
      new TypeError("express/lib/middleware/init has no use for requests of Node: pass them to app(req, res, next)"),
    );
  };
}

const exported = { init };

export { exported as "module.exports", exported as default };
