import { detectPlatform } from "../platform/detect.ts";
import type { AppFetch, Routed } from "../platform/shared/platform.ts";
import type { OpenServer } from "./open_server.ts";
import type { Server } from "./server.ts";

/** Replaces `open_server.ts` in the npm package under the condition `workerd`: Workers do not listen. */
export function openServer(app: Routed, handler: AppFetch): OpenServer {
  // throws an error that names the alternative
  return detectPlatform().serve(handler, {}, app) as never;
}

/** Rethrows the reason why there is no server, with or without a callback. */
export function neverOpened(error: unknown): Server {
  throw error;
}
