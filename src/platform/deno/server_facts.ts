import type { Peer } from "../../exchange/peer.ts";
import type { AppFetch } from "../shared/platform.ts";

/** What only the server of a request knows: Deno tells neither with the request. */
export interface ServerFacts {
  /** Where it listens. */
  readonly local: Peer;
  /** Whether it speaks TLS. */
  readonly isSecure: boolean;
}

/** Key under which Deno's information about a request keeps what its server knows. */
const factsKey: unique symbol = Symbol("sluice.server");

/** Deno's information about a request. */
interface Info {
  [factsKey]?: ServerFacts;
}

/**
 * Notes with every request what its server knows.
 *
 * @param handler Handles requests
 * @param facts What the server knows
 */
export function noteServer(handler: AppFetch, facts: ServerFacts): AppFetch {
  return (request, info, context) => {
    (info as Info)[factsKey] = facts;
    return handler(request, info, context);
  };
}

/**
 * Where the server of a request listens; `undefined` for a server of the program's own, `Deno.serve(app.fetch)`.
 *
 * @param info Deno's information about the request
 */
export function localOf(info: unknown): Peer | undefined {
  return factsOf(info)?.local;
}

/**
 * Tells whether a request came over TLS. Deno takes over the scheme that a client writes (RFC 9112 section 3.2.2), so
 * its URL counts only with a server of the program's own.
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
