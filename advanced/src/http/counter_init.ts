import { clientKey, DEFAULT_MESSAGE, IPV6_SUBNET, type Validate } from "@sluice/limiting";
import type { RequestLike, ResponseLike, SendingResponse } from "./request_like.ts";

/** Options that differ in name or form in express-rate-limit. */
interface Given {
  readonly limit?: unknown;
  readonly ipv6Subnet?: number | undefined;
  readonly statusCode?: number | undefined;
  readonly message?: unknown;
  readonly validate?: Validate | undefined;
  readonly standardHeaders?: boolean | string | undefined;
  readonly headers?: boolean | undefined;
  readonly legacyHeaders?: boolean | undefined;
  readonly name?: string | undefined;
  readonly identifier?: string | undefined;
}

/**
 * Converts a limiter's options to those that express-rate-limit passes to a store's `init`: the complete set, under its
 * names. Some stores read more than the window, such as the limit or `skipFailedRequests`.
 *
 * @param options The limiter's options
 * @returns The options; missing functions are replaced by the limiter's own behavior
 */
export function counterInitOf(options: Given): object {
  const { limit = 100, ipv6Subnet = IPV6_SUBNET, statusCode = 429, message = DEFAULT_MESSAGE, validate } = options;
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
    handler: async (req: unknown, res: ResponseLike & SendingResponse) => {
      res.statusCode = statusCode;
      res.send((typeof message === "function" ? await message(req, res) : message) as string);
    },
    passOnStoreError: false,
    logger: console,
    ...given,
    ...{ limit, ipv6Subnet, statusCode, message, legacyHeaders, identifier },
    standardHeaders: standardHeaders === true ? "draft-6" : standardHeaders,
    validate: typeof validate === "object" ? { default: true, ...validate } : { default: validate ?? true },
  };
}
