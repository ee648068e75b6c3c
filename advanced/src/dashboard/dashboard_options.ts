import { checkNames, type OptionNames, refuseOption } from "@sluice/limiting/core";
import type { Limiter } from "../limiter/limiter.ts";
import type { Awaitable } from "../policy/store.ts";

/**
 * What a dashboard shows: a `Limiter`, or what has one, such as `rateLimit(…)` of any framework.
 *
 * @example Of both kinds
 * ```ts
 * import { Limiter, rateLimit } from "@sluice/rate-limit";
 * import type { DashboardLimiter } from "@sluice/rate-limit/dashboard";
 *
 * const limiters: Record<string, DashboardLimiter> = {
 *   api: rateLimit({ max: 100 }),
 *   messages: new Limiter({ algorithm: "token-bucket", max: 10, windowMs: 1000 }),
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
 * Options of a dashboard.
 *
 * @typeParam Args What `authorize` gets
 *
 * @example For whoever is logged in as an administrator
 * ```ts ignore
 * const options: DashboardOptions<[req: Request]> = {
 *   limiters: { api },
 *   authorize: (req) => req.session.user?.isAdmin === true,
 * };
 * ```
 */
export interface DashboardOptions<Args extends unknown[]> {
  /** What is shown, by the name that it is shown with. */
  readonly limiters: Readonly<Record<string, DashboardLimiter>>;
  /**
   * Decides about each request, whether it is for the page, for its data or for a reset. Nothing but `true`, or a promise
   * of it, lets a request through; others get 403.
   */
  authorize(...args: Args): Awaitable<boolean>;
}

const NAMES: OptionNames<DashboardOptions<unknown[]>> = { limiters: true, authorize: true };

/**
 * Checks the options of a dashboard.
 *
 * @param caller Name of the caller for error messages
 * @param options What was given
 * @throws {TypeError} If there are no limiters, or nobody decides who may see them
 */
export function checkDashboardOptions(caller: string, options: unknown): void {
  checkNames(caller, options, NAMES);
  const { limiters, authorize } = options as Partial<Record<keyof DashboardOptions<unknown[]>, unknown>>;
  if (typeof authorize !== "function") {
    refuseOption(
      caller,
      "authorize",
      "a function that decides who may see keys and reset them, such as (req) => req.session.user?.isAdmin === true",
      authorize,
    );
  }
  if (typeof limiters !== "object" || limiters === null || Array.isArray(limiters) || !Object.keys(limiters).length) {
    refuseOption(caller, "limiters", "an object with a limiter by each name, such as { api: rateLimit(…) }", limiters);
  }
  for (const [name, one] of Object.entries(limiters)) {
    if (typeof limiterOf(one as DashboardLimiter)?.top === "function") continue;
    refuseOption(caller, `limiters.${name}`, "a Limiter, or what rateLimit(…) or fetchLimit(…) returns", one);
  }
}

/**
 * The limiter that is shown.
 *
 * @param shown It, or what has it
 */
export function limiterOf(shown: DashboardLimiter): Limiter {
  return (shown as { limiter?: Limiter } | null)?.limiter ?? shown as Limiter;
}
