import { ownPlatform } from "./runtimes.ts";
import { genericPlatform } from "./shared/generic_platform.ts";
import type { Platform, Servable } from "./shared/platform.ts";

/** The platform on which this program runs, once determined; reading it is cheaper than a call. */
export let detected: Platform | null = null;
let registered: Platform | null = null;

/** The platform on which this program runs; determined on first use. */
export function detectPlatform(): Platform {
  return detected ??= ownPlatform() ?? registered ?? genericPlatform();
}

/**
 * Registers a platform that is not part of the core. It is used if none from the core is detected.
 *
 * @param platform The platform
 */
export function registerPlatform(platform: Platform): void {
  registered = platform;
  detected = null;
}

/**
 * Registers a platform unless one is already registered: for entries whose platform does less than a different entry's.
 *
 * @param platform The platform
 */
export function proposePlatform(platform: Platform): void {
  if (registered === null) registerPlatform(platform);
}

/**
 * Responds to a request from a Node server; Deno and Bun have such servers too. Requires the entry for Node: without
 * it, the client gets a 500, and the log explains what to do.
 *
 * @param app The application
 * @param req Node's request
 * @param res Node's response
 * @param next Called if the application has no response
 */
export function handleNodeRequest(
  app: Servable,
  req: object,
  res: ServerResponseLike,
  next?: (error?: unknown) => void,
): void {
  if (registered?.handleNodeRequest !== undefined) return registered.handleNodeRequest(app, req, res, next);
  console.error(
    'An application in http.createServer, connect or Express needs import "@sluice/sluice/node", or must be passed ' +
      "as toNodeHandler(app)",
  );
  res.statusCode = 500;
  res.end();
}

/** The part of Node's response used for a response without a body. */
export interface ServerResponseLike {
  /** Status. */
  statusCode: number;
  /** Ends the response. */
  end(): unknown;
}
