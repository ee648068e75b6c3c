import { bunPlatform } from "./bun.ts";
import { cloudflarePlatform } from "./cloudflare.ts";
import { denoPlatform } from "./deno.ts";
import { genericPlatform } from "./generic.ts";
import type { Platform, Servable } from "./platform.ts";

let detected: Platform | null = null;
let registered: Platform | null = null;

/** The platform this program runs on; looked up once, when it is first asked for. */
export function detectPlatform(): Platform {
  return detected ??= look();
}

/**
 * Makes a platform known that the core does not bring; used where none of its own is recognised.
 *
 * @param platform The platform
 */
export function registerPlatform(platform: Platform): void {
  registered = platform;
  detected = null;
}

/**
 * Makes a platform known like {@linkcode registerPlatform}, unless there is one: for entries that bring less than others.
 *
 * @param platform The platform
 */
export function proposePlatform(platform: Platform): void {
  if (registered === null) registerPlatform(platform);
}

/**
 * Answers a request of Node's servers, which Deno and Bun have too. Without the entry for Node nobody can: the client
 * gets 500, and the log what to do.
 *
 * @param app The application
 * @param req Node's request
 * @param res Node's response
 * @param next Goes on where the application has no answer, if anything does
 */
export function answerNode(app: Servable, req: object, res: NodeResponse, next?: (error?: unknown) => void): void {
  if (registered?.answerNode !== undefined) return registered.answerNode(app, req, res, next);
  console.error(
    'An application in http.createServer, connect or Express takes import "@sluice/sluice/node" beside it, or is ' +
      "handed over as toNodeHandler(app)",
  );
  res.statusCode = 500;
  res.end();
}

/** As much of Node's response as an answer without a body takes. */
export interface NodeResponse {
  /** Status. */
  statusCode: number;
  /** Ends the answer. */
  end(): unknown;
}

function look(): Platform {
  // asked for by name alone: Deno loads its server, in 3 ms, when somebody looks at Deno.serve
  if (has("Deno")) return denoPlatform;
  if (has("Bun")) return bunPlatform;
  if (globalThis.navigator?.userAgent === "Cloudflare-Workers") return cloudflarePlatform;
  return registered ?? genericPlatform;
}

function has(name: string): boolean {
  const runtime = (globalThis as Record<string, unknown>)[name];
  return typeof runtime === "object" && runtime !== null && "serve" in runtime;
}
