import { CONCURRENCY } from "../../algorithms/concurrency_lua.ts";
import {
  FIXED_WINDOW,
  FIXED_WINDOW_CALENDAR,
  FIXED_WINDOW_CALENDAR_DEBTS,
  FIXED_WINDOW_DEBTS,
} from "../../algorithms/fixed_window_lua.ts";
import { SLIDING_APPROXIMATE } from "../../algorithms/sliding_approximate_lua.ts";
import { SLIDING_LOG, SLIDING_LOG_DEBTS } from "../../algorithms/sliding_log_lua.ts";
import { SLIDING_WINDOW, SLIDING_WINDOW_DEBTS } from "../../algorithms/sliding_window_lua.ts";
import { TOKEN_BUCKET } from "../../algorithms/token_bucket_lua.ts";
import type { AlgorithmName } from "../../policy/policy.ts";
import { FLAT_CALENDAR_WINDOW, FLAT_FIXED_WINDOW, FLAT_SLIDING_WINDOW, FLAT_TOKEN_BUCKET } from "./lua/flat.ts";

/** The Lua code of an algorithm for Redis. */
export interface RedisAlgorithm {
  /** The algorithm in Lua. */
  readonly lua: string;
  /** Its short form, if it has one. */
  readonly flat?: string;
  /** Additional code for policies with `maxDebt`, if it is not in `lua`. Other scripts omit it. */
  readonly debts?: string;
  /** The same for policies with calendar windows; `debts` if they also have `maxDebt`. */
  readonly calendar?: { readonly lua: string; readonly flat: string; readonly debts: string };
  /**
   * Suffix for a policy name in its states' keys. Each algorithm has its own keys. Otherwise, processes that use
   * different algorithms for a policy, as during a deployment, would overwrite each other's states and grant without
   * limit.
   */
  readonly ending: string;
}

/** The algorithms by name. Separate from their functions, so that a bundle without Redis contains no Lua. */
export const REDIS_ALGORITHMS: Readonly<Record<AlgorithmName, RedisAlgorithm>> = {
  "fixed-window": {
    ...{ lua: FIXED_WINDOW, flat: FLAT_FIXED_WINDOW, debts: FIXED_WINDOW_DEBTS, ending: "\u0001f" },
    calendar: { lua: FIXED_WINDOW_CALENDAR, flat: FLAT_CALENDAR_WINDOW, debts: FIXED_WINDOW_CALENDAR_DEBTS },
  },
  "sliding-window": { lua: SLIDING_WINDOW, flat: FLAT_SLIDING_WINDOW, debts: SLIDING_WINDOW_DEBTS, ending: "\u0001w" },
  "sliding-log": { lua: SLIDING_LOG, debts: SLIDING_LOG_DEBTS, ending: "\u0001l" },
  "sliding-approximate": { lua: SLIDING_APPROXIMATE, ending: "\u0001a" },
  "token-bucket": { lua: TOKEN_BUCKET, flat: FLAT_TOKEN_BUCKET, ending: "\u0001t" },
  "concurrency": { lua: CONCURRENCY, ending: "\u0001c" },
};
