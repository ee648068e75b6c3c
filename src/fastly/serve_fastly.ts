import { assertServable } from "../platform/shared/assert_servable.ts";
import { registerPlatform } from "../platform/detect.ts";
import type { Servable } from "../platform/shared/platform.ts";
import { type FastlyEnvironment, type FastlyInfo, fastlyPlatform } from "./fastly_platform.ts";

/** The part of Fastly Compute's `fetch` event used here. */
interface FastlyEvent extends FastlyInfo {
  readonly request: Request;
  respondWith(response: Response | Promise<Response>): void;
  waitUntil(promise: Promise<unknown>): void;
}

/** The part used here of the global in older versions of Fastly's SDK. */
interface FastlyGlobals {
  fastly?: { env?: FastlyEnvironment };
}

/**
 * Options of `serveFastly`.
 *
 * @example Environment variables
 * ```ts ignore
 * import { env } from "fastly:env";
 *
 * serveFastly(app, { env });
 * ```
 */
export interface FastlyOptions {
  /** `env` of the module `fastly:env`, for `req.env`; the global `fastly.env` by default, in SDKs that have it. */
  readonly env?: FastlyEnvironment;
}

/**
 * Responds to the `fetch` events of a Fastly Compute service with an application. Call it once, at the top level of the
 * program.
 *
 * @param app The application
 * @param options Source of the variables
 * @throws {TypeError} If it is not an application
 *
 * @example A service
 * ```ts ignore
 * import { env } from "fastly:env";
 *
 * serveFastly(app, { env });
 * ```
 */
export function serveFastly(app: Servable, { env }: FastlyOptions = {}): void {
  assertServable("serveFastly", app);
  registerPlatform(fastlyPlatform(() => env ?? (globalThis as FastlyGlobals).fastly?.env));
  addEventListener("fetch", (given) => {
    const event = given as unknown as FastlyEvent;
    const response = Promise.resolve(app.fetch(event.request, event));
    event.respondWith(response);
    // Fastly must learn in this turn that there may be background work; req.waitUntil may be called at any time
    event.waitUntil(response);
  });
}
