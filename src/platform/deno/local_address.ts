import type { Peer } from "../../exchange/peer.ts";
import type { AppFetch } from "../shared/platform.ts";

/** Key under which Deno's information about a request keeps where its server listens; Deno tells only the server. */
const localKey: unique symbol = Symbol("sluice.local");

/** Deno's information about a request. */
interface Info {
  [localKey]?: Peer;
}

/**
 * Notes for every request where its server listens.
 *
 * @param handler Handles requests
 * @param local Address and port; read when a request comes
 */
export function noteLocal(handler: AppFetch, local: Peer): AppFetch {
  return (request, info, context) => {
    (info as Info)[localKey] = local;
    return handler(request, info, context);
  };
}

/**
 * Where the server of a request listens; `undefined` for a server of the program's own, `Deno.serve(app.fetch)`.
 *
 * @param info Deno's information about the request
 */
export function localOf(info: unknown): Peer | undefined {
  return (info as Info | null | undefined)?.[localKey];
}
