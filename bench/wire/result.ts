import { geometricMean, median, paired, spread, table } from "../support/table.ts";
import type { Comparison } from "./comparison.ts";
import type { Measured, Rounds } from "./rounds.ts";

/** Result of one contestant in one scenario, as ratios to the floor: above 1 is better than the floor. */
export interface Cell {
  /** Requests per second to the floor's, round by round. */
  readonly rates: readonly number[];
  /** The floor's processor time to the contestant's, round by round. */
  readonly cpu: readonly number[];
}

/** Result of a comparison. */
export interface Result {
  /** What was compared. */
  readonly comparison: Comparison;
  /** Cells by scenario, in the order of the comparison's contestants. */
  readonly rows: ReadonlyMap<string, readonly Cell[]>;
}

/**
 * Makes ratios of one contestant's measurements.
 *
 * @param own Its rounds
 * @param floor The floor's
 */
export function cellOf(own: readonly Measured[], floor: readonly Measured[]): Cell {
  return {
    rates: paired(own.map(({ rate }) => rate), floor.map(({ rate }) => rate)),
    cpu: paired(floor.map(({ cpu }) => cpu), own.map(({ cpu }) => cpu)),
  };
}

/** The text of a cell. */
export function cellText({ rates, cpu }: Cell): string {
  return `${spread(rates)} · ${median(cpu).toFixed(2)}`;
}

/**
 * Makes ratios of the measurements.
 *
 * @param comparison The comparison
 * @param rounds Measurements by scenario
 */
export function resultOf(comparison: Comparison, rounds: ReadonlyMap<string, Rounds>): Result {
  const rows = new Map<string, readonly Cell[]>();
  for (const [scenario, measured] of rounds) {
    const floor = measured.get(comparison.floor)!;
    rows.set(
      scenario,
      comparison.others.map(([contestant]) => cellOf(measured.get(contestant)!, floor)),
    );
  }
  return { comparison, rows };
}

/**
 * The mean over the scenarios.
 *
 * @param result The result
 * @param of The value to average
 * @returns One for each contestant
 */
export function meansOf({ comparison, rows }: Result, of: "rates" | "cpu"): number[] {
  return comparison.others.map((_, i) => geometricMean([...rows.values()].map((cells) => median(cells[i]![of]))));
}

/**
 * A result as a table in markdown.
 *
 * @param result The result
 */
export function tableOf(result: Result): string {
  const { comparison, rows } = result;
  const [rates, cpu] = [meansOf(result, "rates"), meansOf(result, "cpu")];
  const lines = [...rows].map(([scenario, cells]) => [scenario, ...cells.map(cellText)]);
  const means = rates.map((mean, i) => `**${mean.toFixed(2)}** · ${cpu[i]!.toFixed(2)}`);
  const head = ["scenario", ...comparison.others.map(([_, name]) => name)];
  return `Over ${comparison.floorIs}:\n\n${table(head, [...lines, ["geometric mean", ...means]])}`;
}
