import type { Peer } from "../../exchange/peer.ts";
import type { AppFetch } from "../shared/platform.ts";

/** Facts about a server, which Deno does not report with its requests. */
export interface ServerFacts {
  /** Where it listens. */
  readonly local: Peer;
  /** Whether it uses TLS. */
  readonly isSecure: boolean;
}

/** Key for the facts about the server in Deno's information about a request. */
const factsKey: unique symbol = Symbol("sluice.server");

/** Deno's information about a request. */
interface Info {
  [factsKey]?: ServerFacts;
}

/**
 * Adds facts about the server to every request.
 *
 * @param handler Handles requests
 * @param facts Facts about the server
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

/**
 * Returns the facts about a request's server; `undefined` for the program's own server.
 *
 * @param info Deno's information about the request
 */
export function factsOf(info: unknown): ServerFacts | undefined {
  return (info as Info | null | undefined)?.[factsKey];
}
