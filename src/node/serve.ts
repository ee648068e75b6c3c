import type { FrameworkApp } from "../app/framework_app.ts";
import type { Server } from "../app/server.ts";
import { assertServable } from "../platform/shared/assert_servable.ts";
import type { ListenOptions } from "../platform/shared/platform.ts";

/**
 * Listens with an application: the same as `app.listen`, which needs this entry on Node.
 *
 * With a certificate it serves HTTP/2 and HTTP/1.1. With a host name, Node binds asynchronously: if the port is 0, read
 * the actual one in the callback. Without a callback, a failure to listen rejects `server.finished`.
 *
 * @param app The application
 * @param options Port, host name and certificate
 * @param callback Runs when the server listens, or with the error that prevented it
 * @returns The server; `app.close()` stops it
 * @throws {TypeError} If it is not an application
 *
 * @example On a port, with a time limit for headers
 * ```ts ignore
 * import sluice from "@sluice/sluice";
 * import { serve } from "@sluice/sluice/node";
 *
 * const app = sluice();
 * app.get("/", (_req, res) => res.send("Hello"));
 * serve(app, { port: 3000, headersTimeout: 10_000 });
 * ```
 */
export function serve(app: FrameworkApp, options: ListenOptions, callback?: (error?: Error) => void): Server {
  assertServable("serve", app);
  return app.listen(options, callback);
}
