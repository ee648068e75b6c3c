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

/** The part of the global in older Fastly SDK versions used here. */
interface FastlyGlobals {
  fastly?: { env?: FastlyEnvironment };
}

/**
 * Options for `serveFastly`.
 *
 * @example Environment variables
 * ```ts ignore
 * import { env } from "fastly:env";
 *
 * serveFastly(app, { env });
 * ```
 */
export interface FastlyOptions {
  /** `env` from the `fastly:env` module, for `req.env`; the global `fastly.env` by default, in SDKs that have it. */
  readonly env?: FastlyEnvironment;
}

/**
 * Responds to a Fastly Compute service's `fetch` events with an application. Call it once, at the program's top level.
 *
 * @param app The application
 * @param options Where to read variables
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
    // Fastly must learn in this tick that there may be background work; req.waitUntil may be called at any time
    event.waitUntil(response);
  });
}
