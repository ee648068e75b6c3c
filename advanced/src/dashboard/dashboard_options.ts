import { checkNames, checkType, type OptionNames, refuseOption } from "@sluice/shared";
import type { Limiter } from "../limiter/limiter.ts";
import type { Awaitable } from "../policy/store.ts";
import { hostName } from "./dashboard_guard.ts";

/**
 * What a dashboard shows: a `Limiter`, or what has one, such as `rateLimit(…)` of any framework.
 *
 * @example Of both kinds
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
  /** Forgets a key, if it takes others than the limiter's own, such as the address of a client. */
  resetKey?(key: string): Awaitable<number>;
};

/**
 * Options of a dashboard: `limiters`, and either `secret` or `authorize`.
 *
 * @typeParam Args What `authorize` gets
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
  /** What is shown, by the name that it is shown with. */
  readonly limiters: Readonly<Record<string, DashboardLimiter>>;
  /**
   * Names of the hosts that the dashboard is for, without ports, as `Host` has them when a request arrives. Requests for
   * others get 403, because a page of any host can ask for its own name at any address (DNS rebinding). By default it is
   * for this machine: for `localhost` and addresses such as `127.0.0.1`, asked from there and through no proxy.
   */
  readonly hosts?: readonly string[] | undefined;
  /**
   * A password of 32 characters or more, such as those of `openssl rand -base64 32`. Browsers ask for it, with any user
   * name (HTTP's Basic authentication); it is compared in constant time. Others get 401.
   */
  readonly secret?: string | undefined;
  /**
   * Decides about each request, whether it is for the page, for its data or for a reset. Nothing but `true`, or a promise
   * of it, lets a request through; others get 403. An address is no reason to: behind a proxy on the same machine, every
   * client has the address of that machine.
   */
  authorize?(...args: Args): Awaitable<boolean>;
}

const NAMES: OptionNames<DashboardOptions<unknown[]>> = { limiters: true, hosts: true, secret: true, authorize: true };

/** As for sessions: 32 of base64 or hexadecimal digits hold at least 128 random bits. */
const FEWEST_CHARACTERS = 32;

/**
 * Checks the options of a dashboard.
 *
 * @param caller Name of the caller for error messages
 * @param options What was given
 * @throws {TypeError} If there are no limiters, if not exactly one of `secret` and `authorize` decides who may see them,
 * or a host is none
 * @throws {RangeError} If the secret is too short
 */
export function checkDashboardOptions(caller: string, options: unknown): void {
  checkNames(caller, options, NAMES);
  const { limiters, hosts = [], ...guard } = options as Partial<Record<keyof DashboardOptions<unknown[]>, unknown>>;
  checkGuard(caller, guard);
  if (!Array.isArray(hosts)) refuseOption(caller, "hosts", 'a list of names such as ["admin.example.com"]', hosts);
  for (const host of hosts) {
    if (typeof host === "string" && hostName(host) !== undefined && !/:\d*$/.test(host)) continue;
    refuseOption(caller, "hosts", "a list of names of hosts, without scheme and port", host);
  }
  if (typeof limiters !== "object" || limiters === null || Array.isArray(limiters) || !Object.keys(limiters).length) {
    refuseOption(caller, "limiters", "an object with a limiter by each name, such as { api: rateLimit(…) }", limiters);
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
  // no error shows a secret
  throw new RangeError(
    `${caller}: option secret has ${secret.length} characters; ${FEWEST_CHARACTERS} or more are needed, such as ` +
      "those of openssl rand -base64 32",
  );
}

/**
 * The limiter that is shown.
 *
 * @param shown It, or what has it
 */
export function limiterOf(shown: DashboardLimiter): Limiter {
  return (shown as { limiter?: Limiter } | null)?.limiter ?? shown as Limiter;
}
