import type { TrustSetting } from "@sluice/limiting";
import { peerOf } from "@sluice/shared";

/** Node's request, as adapters pass it along. */
interface NodeInfo {
  readonly incoming?: { readonly socket?: { readonly remoteAddress?: unknown } };
}

/**
 * Returns the client's address from sources that only the platform can set: the Workers header, identified by `cf`; the
 * `ip` that servers such as srvx add to requests; Node's socket; Deno's `info`; Bun's `server`.
 *
 * @param request The request
 * @param info The platform's second argument
 * @returns The address, `undefined` without a trusted source
 */
export function webAddress(request: Request, info?: unknown): string | undefined {
  const { cf, ip } = request as { cf?: unknown; ip?: unknown };
  if (typeof cf === "object" && cf !== null) return request.headers.get("cf-connecting-ip") ?? undefined;
  if (typeof ip === "string") return ip;
  const address = (info as NodeInfo | null | undefined)?.incoming?.socket?.remoteAddress;
  return typeof address === "string" ? address : peerOf(info, request).address;
}

/** Such an address comes from the platform. The program configures proxies. */
export const PLATFORM_TRUST: TrustSetting = {
  value: false,
  remedy: "give rateLimit a clientAddress that takes the address from what that proxy adds to the header",
};
