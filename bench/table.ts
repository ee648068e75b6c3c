/** Figures of several contestants, one for each round; rounds are taken side by side, so ratios are paired. */
export type Figures = ReadonlyMap<string, readonly number[]>;

/**
 * The value in the middle.
 *
 * @param values At least one
 */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)]!;
}

/**
 * One contestant's figures divided by another's, round by round.
 *
 * @param figures All figures
 * @param of The one above
 * @param to The one below
 */
export function pairs(figures: Figures, of: string, to: string): number[] {
  const below = figures.get(to)!;
  return figures.get(of)!.map((value, round) => value / below[round]!);
}

/**
 * How many times one contestant's figure is another's: the median over the rounds, with the lowest and the highest.
 *
 * @param figures All figures
 * @param of The one above
 * @param to The one below
 */
export function ratio(figures: Figures, of: string, to: string): string {
  const all = pairs(figures, of, to);
  if (all.length === 1) return all[0]!.toFixed(2);
  return `${median(all).toFixed(2)} (${Math.min(...all).toFixed(2)}–${Math.max(...all).toFixed(2)})`;
}

/** Prints a table in markdown, under a heading and what there is to say about it. */
export function printTable(title: string, about: string, head: readonly string[], rows: readonly string[][]): void {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  console.log(`\n### ${title}\n\n${about}\n`);
  console.log([line(head), `|${"---|".repeat(head.length)}`, ...rows.map(line)].join("\n"));
}
