import { describe } from "./error_text.ts";

/** Maximum timer delay in ms; a longer one would fire at once. */
export const LONGEST_TIMER_MS: number = 2 ** 31 - 1;

const BYTES: Readonly<Record<string, number>> = {
  b: 1,
  kb: 1024,
  mb: 1024 ** 2,
  gb: 1024 ** 3,
  tb: 1024 ** 4,
  pb: 1024 ** 5,
};
const DAY = 24 * 60 * 60 * 1000;
const DURATIONS: readonly (readonly [RegExp, number])[] = [
  [/^(?:milliseconds?|msecs?|ms|)$/, 1],
  [/^(?:seconds?|secs?|s)$/, 1000],
  [/^(?:minutes?|mins?|m)$/, 60_000],
  [/^(?:hours?|hrs?|h)$/, 3_600_000],
  [/^(?:days?|d)$/, DAY],
  [/^(?:weeks?|w)$/, 7 * DAY],
  [/^(?:months?|mo)$/, 365.25 / 12 * DAY],
  [/^(?:years?|yrs?|y)$/, 365.25 * DAY],
];

/**
 * Parses a number of bytes.
 *
 * @param value A number of bytes, or a string such as `"100kb"` (1 kB is 1024 bytes)
 * @param what The number's purpose, for the error message
 * @returns Bytes
 * @throws {TypeError} If it is neither
 */
export function parseBytes(value: number | string, what = "A size"): number {
  if (typeof value === "number" && !Number.isNaN(value)) return value;
  const match = /^\s*(\d+(?:\.\d+)?)\s*(b|kb|mb|gb|tb|pb)?\s*$/i.exec(String(value));
  if (match === null) {
    throw new TypeError(`${what} must be a number of bytes or a string such as "100kb", not ${describe(value)}`);
  }
  return Math.floor(Number(match[1]) * BYTES[(match[2] ?? "b").toLowerCase()]!);
}

/**
 * Parses a duration.
 *
 * @param value A number of ms, or a string such as `"1d"`, `"2 hours"`
 * @param what The duration's purpose, for the error message
 * @returns ms
 * @throws {TypeError} If it is neither
 */
export function parseDuration(value: number | string, what: string): number {
  if (typeof value === "number" && !Number.isNaN(value)) return value;
  const match = /^\s*(-?\d*\.?\d+)\s*([a-z]*)\s*$/i.exec(String(value));
  const unit = DURATIONS.find(([name]) => match !== null && name.test(match[2]!.toLowerCase()));
  if (match === null || unit === undefined) {
    throw new TypeError(`${what} must be a number of ms or a string such as "1d", not ${describe(value)}`);
  }
  return Number(match[1]) * unit[1];
}
