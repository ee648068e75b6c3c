import { checkNames, checkType, type OptionNames, refuseOption } from "@sluice/shared";
import type { Limiter } from "../limiter/limiter.ts";
import type { Awaitable } from "../policy/store.ts";
import { hostName } from "./dashboard_guard.ts";

/**
 * An entry in a dashboard: a `Limiter`, or an object with one, such as any framework's `rateLimit(…)`.
 *
 * @example Both kinds
 * ```ts
 * import { Limiter, rateLimit } from "@sluice/rate-limit";
 * import type { DashboardLimiter } from "@sluice/rate-limit/dashboard";
 *
 * const limiters: Record<string, DashboardLimiter> = {
 *   api: rateLimit({ limit: 100 }),
 *   messages: new Limiter({ algorithm: "token-bucket", limit: 10, windowMs: 1000 }),
 * };
 * ```
 */
export type DashboardLimiter = Limiter | {
  /** The limiter. */
  readonly limiter: Limiter;
  /** Resets a key, if it accepts keys that the limiter does not, such as a client's address. */
  resetKey?(key: string): Awaitable<number>;
};

/**
 * Options for a dashboard: `limiters`, and either `secret` or `authorize`.
 *
 * @typeParam Args Arguments of `authorize`
 *
 * @example For administrators who are logged in
 * ```ts ignore
 * const options: DashboardOptions<[req: Request]> = {
 *   limiters: { api },
 *   hosts: ["admin.example.com"],
 *   authorize: (req) => req.session.user?.isAdmin === true,
 * };
 * ```
 */
export interface DashboardOptions<Args extends unknown[]> {
  /** The limiters to show, by display name. */
  readonly limiters: Readonly<Record<string, DashboardLimiter>>;
  /**
   * The dashboard's hosts, without ports, as they appear in `Host`. Requests for other hosts get 403, because a page
   * can make its own host's name resolve to any address (DNS rebinding). The default is this machine: `localhost` and
   * addresses such as `127.0.0.1`, for requests from it that come through no proxy.
   */
  readonly hosts?: readonly string[] | undefined;
  /**
   * A password of 32 characters or more, for example from `openssl rand -base64 32`. Browsers prompt for it, with any
   * user name (HTTP Basic authentication). Compared in constant time. Without it, the response is 401.
   */
  readonly secret?: string | undefined;
  /**
   * Authorizes each request: for the page, its data, or a reset. Only `true`, or a promise of it, lets a request
   * through; other requests get 403. Do not authorize by address: behind a proxy on the same machine, every client has
   * that machine's address.
   */
  authorize?(...args: Args): Awaitable<boolean>;
}

const NAMES: OptionNames<DashboardOptions<unknown[]>> = { limiters: true, hosts: true, secret: true, authorize: true };

/** As for sessions: 32 base64 or hexadecimal digits hold at least 128 random bits. */
const FEWEST_CHARACTERS = 32;

/**
 * Checks a dashboard's options.
 *
 * @param caller Caller name for error messages
 * @param options The options passed
 * @throws {TypeError} If there are no limiters, `secret` and `authorize` are both set or neither is, or a host is
 * invalid
 * @throws {RangeError} If the secret is too short
 */
export function checkDashboardOptions(caller: string, options: unknown): void {
  checkNames(caller, options, NAMES);
  const { limiters, hosts = [], ...guard } = options as Partial<Record<keyof DashboardOptions<unknown[]>, unknown>>;
  checkGuard(caller, guard);
  if (!Array.isArray(hosts)) refuseOption(caller, "hosts", 'a list of host names such as ["admin.example.com"]', hosts);
  for (const host of hosts) {
    if (typeof host === "string" && hostName(host) !== undefined && !/:\d*$/.test(host)) continue;
    refuseOption(caller, "hosts", "a list of host names, without scheme and port", host);
  }
  if (typeof limiters !== "object" || limiters === null || Array.isArray(limiters) || !Object.keys(limiters).length) {
    refuseOption(caller, "limiters", "an object of limiters by name, such as { api: rateLimit(…) }", limiters);
  }
  for (const [name, one] of Object.entries(limiters)) {
    if (typeof limiterOf(one as DashboardLimiter)?.top === "function") continue;
    refuseOption(caller, `limiters.${name}`, "a Limiter, or what rateLimit(…) or fetchLimit(…) returns", one);
  }
}

function checkGuard(caller: string, { secret, authorize }: { secret?: unknown; authorize?: unknown }): void {
  checkType(caller, "secret", secret, "string");
  checkType(caller, "authorize", authorize, "function");
  if ((secret === undefined) === (authorize === undefined)) {
    throw new TypeError(
      `${caller}: give either option secret, or option authorize, a function that decides who may see keys and reset ` +
        "them, such as (req) => req.session.user?.isAdmin === true",
    );
  }
  if (typeof secret !== "string" || secret.length >= FEWEST_CHARACTERS) return;
  // errors never contain the secret
  throw new RangeError(
    `${caller}: option secret has ${secret.length} characters; ${FEWEST_CHARACTERS} or more are needed, such as ` +
      "those of openssl rand -base64 32",
  );
}

/**
 * The limiter to show.
 *
 * @param shown The limiter, or an object with one
 */
export function limiterOf(shown: DashboardLimiter): Limiter {
  return (shown as { limiter?: Limiter } | null)?.limiter ?? shown as Limiter;
}
