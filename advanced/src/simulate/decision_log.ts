import type { LoggedLine } from "../stores/logged_memory_store.ts";
import { checkPolicy, MAX_LIMIT } from "../policy/check_policy.ts";
import type { Policy } from "../policy/policy.ts";
import { UnreadableLine } from "./log_record.ts";

/** Maximum keys in a memory store. */
const MOST_KEYS = 2 ** 24;

/** Whether a line is from a limiter's own log. */
export function isDecisionLog(line: string): boolean {
  return /^\{"ms":\d+,"(?:policy|takes|give|settle|reset)":/.test(line);
}

/**
 * Reads a line from a `LoggedMemoryStore`.
 *
 * @param line The line
 * @throws {UnreadableLine} If it is invalid
 */
export function readDecision(line: string): LoggedLine {
  let read: unknown;
  try {
    read = JSON.parse(line);
  } catch {
    throw new UnreadableLine("not JSON");
  }
  if (isLine(read)) return read;
  throw new UnreadableLine("not a line of a decision log");
}

function isLine(value: unknown): value is LoggedLine {
  if (!isObject(value) || !isCount(value.ms)) return false;
  const { takes, times = 1, give, settle, stamp, units, change, reset, policy, maxKeys = 1 } = value;
  if (Array.isArray(takes)) return isCount(times) && times > 0 && areTakes(takes);
  if (give !== undefined) {
    return isObject(give) && isKey(give) && isLimit(give.limit) && isCount(stamp) && isCount(units);
  }
  if (settle !== undefined) {
    return isObject(settle) && isKey(settle) && isLimit(settle.limit) && isCount(stamp) && Number.isSafeInteger(change);
  }
  if (reset !== undefined) return isObject(reset) && typeof reset.policy === "string";
  return isObject(policy) && isPolicy(policy) && isCount(maxKeys) && maxKeys >= 1 && maxKeys <= MOST_KEYS;
}

function areTakes(takes: readonly unknown[]): boolean {
  if (takes.length === 0 || !takes.every(isTake)) return false;
  const all = takes as readonly { policy: string; key: string }[];
  return new Set(all.map(({ policy, key }) => JSON.stringify([policy, key]))).size === all.length;
}

function isPolicy(policy: object): boolean {
  // a store also accepts policies that a limiter rejects, and they can still be replayed
  const { onDenied, ...rest } = policy as Policy;
  try {
    checkPolicy(rest, "policy");
    return onDenied === undefined || ["free", "charge", "extend"].includes(onDenied);
  } catch {
    return false;
  }
}

function isTake(value: unknown): boolean {
  return isObject(value) && isKey(value) && isCount(value.cost) &&
    (value.verdict === "granted" || value.verdict === "refused") &&
    isLimit(value.limit);
}

function isLimit(limit: unknown): boolean {
  return limit === undefined || isCount(limit) && limit <= MAX_LIMIT;
}

function isKey({ policy, key }: Record<string, unknown>): boolean {
  return typeof policy === "string" && typeof key === "string" && key !== "";
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && value as number >= 0;
}
