import { clientKey as keyOfClient, type ClientKeyOptions } from "@sluice/limiting";
import { peerOf } from "@sluice/shared";

/**
 * Returns the part of a key that identifies the client, for keys that contain more: an IPv4 client's address, or an
 * IPv6 client's subnet, because the client usually controls every address in it.
 *
 * With `req.ip` instead, as in `` `${req.ip}:${user}` ``, each of a client's 2^64 addresses would get its own quota.
 * Put it first: when the memory for keys is full, the limiter identifies the origin of a key by its start.
 *
 * @param req The request from Sluice or Express, or any object with the client's address as `ip`
 * @param options How many bits of an IPv6 address identify a client
 * @returns For example `203.0.113.7` or `2001:db8::/64`, in canonical form. Clients whose address is unknown share one
 * key, with a warning
 * @throws {TypeError} If there is no request, or an option is unknown
 * @throws {RangeError} If `ipv6Subnet` is not an integer from 1 to 128
 *
 * @example Five attempts per client and account
 * ```ts
 * import sluice from "@sluice/sluice";
 * import { clientKey, rateLimit } from "@sluice/rate-limit";
 *
 * const app = sluice();
 * app.use(sluice.json());
 * // one spelling of a name, as the login compares it; anything may be sent
 * const nameOf = (name: unknown) =>
 *   (typeof name === "string" && name.normalize("NFKC").trim().toLowerCase()) || "no name";
 * app.post("/login", rateLimit({ limit: 5, keyGenerator: (req) => `${clientKey(req)}:${nameOf(req.body?.user)}` }));
 * ```
 */
export function clientKey(req: { readonly ip?: string | undefined }, options?: ClientKeyOptions): string;
/**
 * The same for a web request, with the platform's second argument: Deno's `info`, Bun's `server` or Netlify's context.
 * On other platforms pass the address: `clientKey({ ip: request.headers.get("cf-connecting-ip") ?? undefined })`.
 *
 * @param request The request
 * @param info The platform's second argument, which `fetchLimit` passes to the functions in its options
 * @param options How many bits of an IPv6 address identify a client
 */
export function clientKey(request: Request, info: unknown, options?: ClientKeyOptions): string;
export function clientKey(
  req: { readonly ip?: string | undefined } | Request,
  ...rest: [options?: unknown, own?: ClientKeyOptions]
): string {
  if (!isWebRequest(req)) return keyOfClient(req, rest[0] as ClientKeyOptions | undefined);
  const [info, options] = rest;
  return keyOfClient({ ip: peerOf(info, req).address }, options);
}

// Sluice and Express requests have an address; headers of Node's own requests have no methods
function isWebRequest(req: object): req is Request {
  return typeof req === "object" && req !== null && !("ip" in req) &&
    typeof (req as Partial<Request>).headers?.get === "function";
}
