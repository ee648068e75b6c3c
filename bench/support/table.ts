/** Several contestants' figures, one per round; contestants take turns within a round, so ratios are paired. */
export type Figures = ReadonlyMap<string, readonly number[]>;

/**
 * Returns the median.
 *
 * @param values At least one value
 */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)]!;
}

/**
 * Returns the geometric mean of ratios.
 *
 * @param values At least one value, above 0
 */
export function geometricMean(values: readonly number[]): number {
  return Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);
}

/**
 * Returns ratios of one contestant's figures to another's, round by round.
 *
 * @param above The numerators
 * @param below The denominators, from the same rounds
 */
export function paired(above: readonly number[], below: readonly number[]): number[] {
  return above.map((value, round) => value / below[round]!);
}

/**
 * Formats the median ratio, with the lowest and the highest.
 *
 * @param ratios One for each round
 */
export function spread(ratios: readonly number[]): string {
  if (ratios.length === 1) return ratios[0]!.toFixed(2);
  return `${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)})`;
}

/**
 * Formats the ratio of one contestant's figures to another's: the median over the rounds, with the lowest and the
 * highest.
 *
 * @param figures All figures
 * @param of Contestant in the numerator
 * @param to Contestant in the denominator
 */
export function ratio(figures: Figures, of: string, to: string): string {
  return spread(paired(figures.get(of)!, figures.get(to)!));
}

/** Formats a Markdown table. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), `|${"---|".repeat(head.length)}`, ...rows.map(line)].join("\n");
}

/** Prints a table under a heading and an explanation. */
export function printTable(title: string, about: string, head: readonly string[], rows: readonly string[][]): void {
  console.log(`\n### ${title}\n\n${about}\n\n${table(head, rows)}`);
}
