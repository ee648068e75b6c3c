import type { FrameworkApp } from "../app/framework_app.ts";
import type { Server } from "../app/server.ts";
import { assertServable } from "../platform/assert_servable.ts";
import type { ListenOptions } from "../platform/platform.ts";

/**
 * Listens with an application: `app.listen`, which this entry makes work on Node.
 *
 * With a certificate it speaks HTTP/2 and HTTP/1.1. Node binds asynchronously where a host name is given: wait for the
 * callback to know a free port. Without a callback, what keeps it from listening rejects `server.finished`.
 *
 * @param app The application
 * @param options Port, host name and certificate
 * @param callback Runs when listening, or with the error that kept it from doing so
 * @returns The server; `app.close()` ends it
 * @throws {TypeError} If it is no application
 */
export function serve(app: FrameworkApp, options: ListenOptions, callback?: (error?: Error) => void): Server {
  assertServable("serve", app);
  return app.listen(options, callback);
}
