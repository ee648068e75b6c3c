import { builtinModule, refuseMembers } from "@sluice/shared";
import type { Handler, Next, Request, Response } from "@sluice/sluice";
import { type RequestStorage, requestStorage } from "./current_request.ts";

/** Where runtimes have `AsyncLocalStorage`: in Node's module, or as a global in Next.js's edge runtime. */
interface HasStorage {
  AsyncLocalStorage?: new () => RequestStorage;
}

/**
 * Makes each request the current one for all code that runs on its behalf: `currentRequest()` returns it, lines from
 * the logger that `log` returns have its id, and `traceHeaders()` continues its trace. Mount it first.
 *
 * @returns The middleware
 * @throws {Error} If the runtime has no `AsyncLocalStorage`, such as Workers without `nodejs_compat`
 *
 * @example The user, in a function that is not passed the request
 * ```ts
 * import sluice from "@sluice/sluice";
 * import { context, currentRequest } from "@sluice/middleware/context";
 *
 * const author = () => currentRequest()?.user?.name ?? "nobody";
 *
 * const app = sluice();
 * app.use(context());
 * app.use((req, _res, next) => {
 *   req.user = { name: "Ada" };
 *   next();
 * });
 * app.post("/notes", (_req, res) => res.json({ author: author() }));
 * ```
 */
export function context(): Handler;
export function context(...given: unknown[]): Handler {
  // called for a request it would return a function, and the request would wait forever
  if (given.length > 0) throw new TypeError("context() makes the middleware: register context(), not context");
  const storage = requestStorage(newStorage);
  return function context(req: Request, _res: Response, next: Next): void {
    storage.run(req, next);
  };
}

const READ = "assign to req, and read currentRequest()";

// express-http-context's, and AsyncLocalStorage's
refuseMembers(context, "context", {
  get: READ,
  set: READ,
  run: READ,
  getStore: READ,
  middleware: "write app.use(context())",
});

function newStorage(): RequestStorage {
  const { AsyncLocalStorage } = builtinModule<HasStorage>("node:async_hooks") ?? globalThis as HasStorage;
  if (AsyncLocalStorage !== undefined) return new AsyncLocalStorage();
  throw new Error(
    "context: this runtime has no AsyncLocalStorage; in a Worker, add nodejs_compat to compatibility_flags",
  );
}
