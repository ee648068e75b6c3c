/** A straight line through points. */
export interface Slope {
  /** Growth of y per unit of x. */
  readonly perUnit: number;
  /** Standard error of the slope. */
  readonly error: number;
}

/**
 * The least-squares line through points.
 *
 * @param points At least three points
 */
export function slopeOf(points: readonly (readonly [x: number, y: number])[]): Slope {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [meanX, meanY] = [mean(points.map(([x]) => x)), mean(points.map(([, y]) => y))];
  const spread = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
  const perUnit = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0) / spread;
  const rest = points.reduce((sum, [x, y]) => sum + (y - meanY - perUnit * (x - meanX)) ** 2, 0);
  return { perUnit, error: Math.sqrt(rest / (points.length - 2) / spread) };
}
