import type { Policy } from "../policy/policy.ts";

/**
 * Maximum units in a `"sliding-log"` if the store reads and writes all times with each decision. This blocks Redis for
 * about half a ms, and a larger log would not fit into a Deno KV value.
 */
const MAX_LOG = 4000;

/**
 * Checks that a policy's log is not too long for a store outside the process.
 *
 * @param policy The policy
 * @param caller Store name for error messages
 * @throws {RangeError} If it is
 */
export function checkLog({ algorithm, limit, onDenied, maxDebt = 0 }: Policy, caller: string): void {
  if (algorithm !== "sliding-log") return;
  // charged refusals are also kept, up to the limit once more, and so are debts
  const most = onDenied === "charge" ? MAX_LOG / 2 : Math.max(0, MAX_LOG - maxDebt);
  if (limit <= most) return;
  const withWhat = onDenied === "charge" ? ' with onDenied "charge"' : maxDebt > 0 ? ` with maxDebt ${maxDebt}` : "";
  throw new RangeError(
    `${caller}: option limit of "sliding-log"${withWhat} must be at most ` +
      `${most}, not ${limit}, because each decision reads and writes the time of every unit; use "sliding-window", ` +
      "which never grants more either, and needs a few numbers for any limit",
  );
}
