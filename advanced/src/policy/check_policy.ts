import { checkInteger, checkNames, type OptionNames, refuseOption } from "@sluice/shared";
import { type CalendarWindow, checkCalendarWindow, usualMs } from "./calendar_window.ts";
import { ALGORITHM_NAMES, type Block, holdsSlots, type Policy } from "./policy.ts";

/** Longest window, in ms: 2^40, about 35 years. It needs no timer. */
const MAX_WINDOW = 2 ** 40;
/** Maximum units per limit. */
export const MAX_LIMIT = 2 ** 31;

const BLOCK_NAMES: OptionNames<Block> = { after: true, forMs: true };

/**
 * Checks a policy.
 *
 * @param policy The policy
 * @param caller Caller name for error messages
 * @throws {TypeError} If a field has the wrong type
 * @throws {RangeError} If a number is out of range, or fields conflict
 */
export function checkPolicy(policy: Policy, caller: string): void {
  checkName(policy.name, "name", caller);
  if (!ALGORITHM_NAMES.includes(policy.algorithm)) {
    refuseOption(caller, "algorithm", `one of ${ALGORITHM_NAMES.join(", ")}`, policy.algorithm);
  }
  checkInteger(caller, "limit", policy.limit, 0, MAX_LIMIT);
  checkOnlyFor(policy, "window", "fixed-window", caller);
  if (policy.window !== undefined) checkCalendar(policy, policy.window, caller);
  checkInteger(caller, "windowMs", policy.windowMs, 1, MAX_WINDOW);
  checkOnlyFor(policy, "burst", "token-bucket", caller);
  checkOnlyFor(policy, "buckets", "sliding-window", caller);
  checkOnlyFor(policy, "align", "fixed-window", caller);
  if (policy.burst !== undefined) checkInteger(caller, "burst", policy.burst, 1, MAX_LIMIT);
  if (policy.buckets !== undefined) checkInteger(caller, "buckets", policy.buckets, 1, 1000);
  if (policy.align !== undefined && policy.align !== "clock" && policy.align !== "first-hit") {
    refuseOption(caller, "align", '"first-hit" or "clock"', policy.align);
  }
  checkDebt(policy, caller);
  checkSums(policy, caller);
  checkDenials(policy, caller);
}

/**
 * Checks a policy name. Headers contain it as a structured-field string (RFC 9651), so it must be visible ASCII.
 *
 * @param name The name
 * @param option The option that contains it
 * @param caller Caller name for error messages
 * @throws {TypeError} If it is not such a string
 */
export function checkName(name: unknown, option: string, caller: string): void {
  if (typeof name === "string" && /^[\x20-\x7e]{1,128}$/.test(name)) return;
  refuseOption(caller, option, "1 to 128 visible ASCII characters", name);
}

function checkOnlyFor(
  policy: Policy,
  option: "burst" | "buckets" | "align" | "window",
  algorithm: Policy["algorithm"],
  caller: string,
): void {
  if (policy[option] === undefined || policy.algorithm === algorithm) return;
  throw new TypeError(`${caller}: option ${option} is for algorithm "${algorithm}", not for "${policy.algorithm}"`);
}

function checkCalendar({ windowMs, align, onDenied }: Policy, window: CalendarWindow, caller: string): void {
  checkCalendarWindow(caller, window);
  if (windowMs !== usualMs(window)) {
    throw new TypeError(`${caller}: options window and windowMs cannot be combined; set one of them`);
  }
  if (align !== undefined) {
    throw new TypeError(`${caller}: options window and align cannot be combined; calendar windows are aligned`);
  }
  if (onDenied === "extend") {
    throw new TypeError(`${caller}: option onDenied "extend" moves windows, which the calendar forbids`);
  }
}

// sums inside an algorithm must stay below 2^53 to be exact
function checkSums({ algorithm, limit, windowMs, burst = limit, maxDebt = 0 }: Policy, caller: string): void {
  if (algorithm !== "token-bucket" && algorithm !== "sliding-approximate") return;
  if ((2 * Math.max(limit, burst) + maxDebt) * windowMs <= Number.MAX_SAFE_INTEGER) return;
  const debt = maxDebt === 0 ? "" : `, maxDebt (${maxDebt})`;
  throw new RangeError(
    `${caller}: options limit (${limit}), burst (${burst})${debt} and windowMs (${windowMs}) are too large together for ` +
      `"${algorithm}"; shorten the window, or use "sliding-window"`,
  );
}

function checkDebt({ maxDebt, onDenied = "free", ...policy }: Policy, caller: string): void {
  if (maxDebt === undefined) return;
  checkInteger(caller, "maxDebt", maxDebt, 0, MAX_LIMIT);
  if (holdsSlots(policy)) {
    throw new TypeError(
      `${caller}: option maxDebt has no meaning for "concurrency", which counts requests in progress and not costs; ` +
        "leave it out",
    );
  }
  if (onDenied === "free") return;
  throw new TypeError(
    `${caller}: options maxDebt and onDenied "${onDenied}" cannot be combined, since debts are what was used; ` +
      'leave out onDenied, or use "free"',
  );
}

function checkDenials(policy: Policy, caller: string): void {
  const { onDenied, block, align } = policy;
  if (onDenied === "extend" && align === "clock") {
    throw new TypeError(`${caller}: option onDenied "extend" moves windows, which align "clock" forbids`);
  }
  if (onDenied !== undefined && !["free", "charge", "extend"].includes(onDenied)) {
    refuseOption(caller, "onDenied", '"free", "charge" or "extend"', onDenied);
  }
  if (holdsSlots(policy) && (onDenied === "charge" || onDenied === "extend")) {
    throw new TypeError(
      `${caller}: option onDenied "${onDenied}" has no meaning for "concurrency"; use "free" or block`,
    );
  }
  if (block === undefined) return;
  if (typeof block !== "object" || block === null) {
    refuseOption(caller, "block", "an object { after, forMs }", block);
  }
  checkNames(`${caller}, block`, block, BLOCK_NAMES);
  checkInteger(caller, "block.after", block.after, 1, MAX_LIMIT);
  checkInteger(caller, "block.forMs", block.forMs, 1, MAX_WINDOW);
}
