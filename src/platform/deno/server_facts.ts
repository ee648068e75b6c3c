import type { Peer } from "../../exchange/peer.ts";
import type { AppFetch } from "../shared/platform.ts";

/** Facts that only the server has; Deno does not report them with the request. */
export interface ServerFacts {
  /** Where it listens. */
  readonly local: Peer;
  /** Whether it uses TLS. */
  readonly isSecure: boolean;
}

/** Key under which Deno's information about a request stores the server's facts. */
const factsKey: unique symbol = Symbol("sluice.server");

/** Deno's information about a request. */
interface Info {
  [factsKey]?: ServerFacts;
}

/**
 * Adds the server's facts to every request.
 *
 * @param handler Handles requests
 * @param facts The server's facts
 */
export function noteServer(handler: AppFetch, facts: ServerFacts): AppFetch {
  return (request, info, context) => {
    (info as Info)[factsKey] = facts;
    return handler(request, info, context);
  };
}

/**
 * Where a request's server listens; `undefined` for the program's own server, `Deno.serve(app.fetch)`.
 *
 * @param info Deno's information about the request
 */
export function localOf(info: unknown): Peer | undefined {
  return factsOf(info)?.local;
}

/**
 * Returns whether a request arrived over TLS. Deno adopts the scheme that a client writes (RFC 9112 section 3.2.2), so
 * the URL counts only with the program's own server.
 *
 * @param request The request
 * @param info Deno's information about it
 */
export function isEncrypted({ url }: Request, info: unknown): boolean {
  return factsOf(info)?.isSecure ?? url.startsWith("https:");
}

function factsOf(info: unknown): ServerFacts | undefined {
  return (info as Info | null | undefined)?.[factsKey];
}
