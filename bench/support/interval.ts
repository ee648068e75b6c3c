/** Confidence intervals for ratios. */

/** The mean of ratios, with its 95 % confidence interval. */
export interface Interval {
  /** The geometric mean. */
  readonly mean: number;
  /** The lower end; `NaN` for a single ratio, which has no spread. */
  readonly low: number;
  /** The upper end. */
  readonly high: number;
}

/** The 97.5th percentile of Student's t distribution, for 1 to 30 degrees of freedom. */
const STUDENT_T = [
  ...[12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228],
  ...[2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086],
  ...[2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042],
];

/**
 * Computes the 95 % confidence interval for the mean of the ratios' logarithms, by Student's t distribution, and
 * converts it back to ratios: on a log scale, twice as fast and half as fast are equally far from 1.
 *
 * @param ratios One for each round, above 0
 */
export function interval(ratios: readonly number[]): Interval {
  const logs = ratios.map(Math.log);
  const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length;
  const freedom = logs.length - 1;
  const variance = logs.reduce((sum, log) => sum + (log - mean) ** 2, 0) / freedom;
  const half = STUDENT_T[Math.min(freedom, STUDENT_T.length) - 1]! * Math.sqrt(variance / logs.length);
  return { mean: Math.exp(mean), low: Math.exp(mean - half), high: Math.exp(mean + half) };
}

/** Whether a ratio differs from 1 by more than chance: its interval excludes 1. */
export function counts({ low, high }: Interval): boolean {
  return low > 1 || high < 1;
}

/** Formats an interval, for example `0.86 (0.85–0.88)`. */
export function intervalText({ mean, low, high }: Interval): string {
  return Number.isNaN(low) ? mean.toFixed(2) : `${mean.toFixed(2)} (${low.toFixed(2)}–${high.toFixed(2)})`;
}
