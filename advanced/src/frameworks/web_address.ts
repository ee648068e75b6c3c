import type { TrustSetting } from "@sluice/limiting";
import { peerOf } from "@sluice/shared";

/** Node's request, as adapters pass it along. */
interface NodeInfo {
  readonly incoming?: { readonly socket?: { readonly remoteAddress?: unknown } };
}

/**
 * The address of a web request's client, by what only its platform can have put there: the `cf` of Workers, which set
 * the header; the `ip` that servers such as srvx give their requests; Node's socket; Deno's `info`, Bun's `server`.
 *
 * @param request The request
 * @param info What the platform passed along
 * @returns The address, `undefined` if nobody vouches for one
 */
export function webAddress(request: Request, info?: unknown): string | undefined {
  const { cf, ip } = request as { cf?: unknown; ip?: unknown };
  if (typeof cf === "object" && cf !== null) return request.headers.get("cf-connecting-ip") ?? undefined;
  if (typeof ip === "string") return ip;
  const address = (info as NodeInfo | null | undefined)?.incoming?.socket?.remoteAddress;
  return typeof address === "string" ? address : peerOf(info, request).address;
}

/** Such an address is the platform's: proxies are for the program to know. */
export const PLATFORM_TRUST: TrustSetting = {
  value: false,
  remedy: "give rateLimit a clientAddress that takes the address from what that proxy adds to the header",
};
