import { clientKey, DEFAULT_MESSAGE } from "@sluice/sluice/limiting";
import type { RateLimitOptions } from "./http_options.ts";
import type { RequestLike, ResponseLike, SendingResponse } from "./request_like.ts";

/**
 * The options of a limiter as express-rate-limit tells them to the `init` of a store: complete, by its names. Some stores
 * read more than the window, such as the limit, or what `skipFailedRequests` says.
 *
 * @param options The limiter's options
 * @returns The options; functions that were not given are replaced by what the limiter does
 */
export function counterInitOf<Req>(options: RateLimitOptions<Req>): object {
  const { max = 100, limit = max, ipv6Subnet = 64, statusCode = 429, message = DEFAULT_MESSAGE, validate } = options;
  const { standardHeaders = false, headers = true, legacyHeaders = headers, name, identifier = name } = options;
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  return {
    windowMs: 60_000,
    requestPropertyName: "rateLimit",
    skipFailedRequests: false,
    skipSuccessfulRequests: false,
    requestWasSuccessful: (_req: unknown, res: ResponseLike) => res.statusCode < 400,
    skip: () => false,
    keyGenerator: (req: RequestLike) => clientKey(req, { ipv6Subnet }),
    handler: async (req: never, res: ResponseLike & SendingResponse) => {
      res.statusCode = statusCode;
      res.send((typeof message === "function" ? await message(req, res as never) : message) as string);
    },
    passOnStoreError: false,
    logger: console,
    ...given,
    ...{ limit, ipv6Subnet, statusCode, message, legacyHeaders, identifier },
    standardHeaders: standardHeaders === true ? "draft-6" : standardHeaders,
    validate: typeof validate === "object" ? { default: true, ...validate } : { default: validate ?? true },
  };
}
