import { clientKey as keyOfClient, type ClientKeyOptions } from "@sluice/limiting";
import { peerOf } from "@sluice/shared";

/**
 * What a limiter counts a client by, for keys that consist of more than that: the address of an IPv4 client, and the
 * subnet of an IPv6 client, because it usually has all addresses of one.
 *
 * With `req.ip` in its place, such as in `` `${req.ip}:${user}` ``, each of the 2^64 addresses of one client would have a
 * quota of its own. Put it first: when the memory for keys is full, a limiter tells by the beginning of a key where it
 * comes from.
 *
 * @param req The request, of Sluice or Express; or any object with the client's address as `ip`
 * @param options How many bits of an IPv6 address identify a client
 * @returns For example `203.0.113.7` or `2001:db8::/64`, in one spelling; one key for all whose address is unknown, with
 * a warning
 * @throws {TypeError} If there is no request, or an option is unknown
 * @throws {RangeError} If `ipv6Subnet` is no integer from 1 to 128
 *
 * @example Five attempts for each client and account
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
 * The same for a web request, with what its platform tells about it: Deno's `info`, Bun's `server`, Netlify's context.
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

// Sluice's and Express's requests have an address, and Node's own have headers without methods
function isWebRequest(req: object): req is Request {
  return typeof req === "object" && req !== null && !("ip" in req) &&
    typeof (req as Partial<Request>).headers?.get === "function";
}
