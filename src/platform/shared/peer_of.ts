import { canonicalAddress } from "../../http/ip_address.ts";
import { GenerationalCache } from "../../util/generational_cache.ts";
import type { Peer } from "../../exchange/peer.ts";

/** Cached canonical IPv6 addresses, to avoid parsing them for every request. */
const spellings = /* @__PURE__ */ new GenerationalCache<string>(4096);

// dual-stack sockets report IPv4 clients as mapped addresses; IPv4 addresses are already canonical
function canonical(address: string): string {
  if (!address.includes(":")) return address;
  const known = spellings.get(address);
  if (known !== undefined) return known;
  const spelling = canonicalAddress(address) ?? address;
  spellings.set(address, spelling);
  return spelling;
}

/** How platforms report the peer: Deno's `remoteAddr`, Bun's `requestIP`, and `ip` in Netlify's context. */
interface PeerTold {
  remoteAddr?: { hostname?: unknown; port?: unknown };
  requestIP?: unknown;
  ip?: unknown;
}

/** A method on Bun's server. */
type RequestIP = (this: unknown, request: Request) => { address?: unknown; port?: unknown } | null;

/**
 * The peer, if the platform's second argument has a known shape; otherwise unknown.
 *
 * @param info The platform's second argument
 * @param request The request
 * @returns Its address in canonical form, and its port
 */
export function peerOf(info: unknown, request: Request): Peer {
  try {
    const { remoteAddr = askedPeer(info, request), ip } = (info ?? {}) as PeerTold;
    const { hostname = ip, port } = remoteAddr ?? {};
    if (typeof hostname !== "string") return { address: undefined };
    return { address: canonical(hostname), port: typeof port === "number" ? port : undefined };
  } catch {
    // after the response, Deno throws; a handler that reads this late must not crash the process
    return { address: undefined };
  }
}

// programs written for Bun, and tests, may pass such a server on any runtime
function askedPeer(info: unknown, request: Request): PeerTold["remoteAddr"] {
  const { requestIP } = (info ?? {}) as PeerTold;
  if (typeof requestIP !== "function") return undefined;
  const { address, port } = (requestIP as RequestIP).call(info, request) ?? {};
  return { hostname: address, port };
}
