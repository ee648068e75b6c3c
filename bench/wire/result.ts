/** A run's results as tables. */
import type { Client } from "../service/clients.ts";
import type { Scenario } from "../service/scenarios.ts";
import { counts, type Interval, interval, intervalText } from "../support/interval.ts";
import { median, paired, table } from "../support/table.ts";
import { CHANGES, FLOOR, PAIRS, TITLES } from "./comparison.ts";
import type { Measured, Rounds } from "./rounds.ts";

/** The compared figure: processor time a request, or requests a second. */
export type Figure = "cpu" | "rate";

/** Results for one scenario, sent by one kind of client. */
export interface Row {
  readonly scenario: Scenario;
  readonly client: Client;
  readonly rounds: Rounds;
}

/** Ratios of one contestant's rounds to another's; above 1 is better. */
export function ratiosOf(own: readonly Measured[], other: readonly Measured[], figure: Figure): number[] {
  const of = (all: readonly Measured[]) => all.map((one) => one[figure]);
  return figure === "cpu" ? paired(of(other), of(own)) : paired(of(own), of(other));
}

/** Returns the ratio between two contestants in a scenario; `null` if one of them does not take part. */
export function ratioOf({ rounds }: Row, own: string, other: string, figure: Figure = "cpu"): Interval | null {
  const [first, second] = [rounds.get(own), rounds.get(other)];
  return first === undefined || second === undefined ? null : interval(ratiosOf(first, second, figure));
}

/**
 * Returns the geometric mean of two contestants' ratios over all scenarios in which both take part, and the interval
 * computed from each round's mean.
 */
export function meanOf(rows: readonly Row[], own: string, other: string, figure: Figure = "cpu"): Interval | null {
  const all = rows.flatMap(({ rounds }) => {
    const [first, second] = [rounds.get(own), rounds.get(other)];
    return first === undefined || second === undefined ? [] : [ratiosOf(first, second, figure)];
  });
  if (all.length === 0) return null;
  return interval(all[0]!.map((_, round) => geometric(all.map((ratios) => ratios[round]!))));
}

function geometric(values: readonly number[]): number {
  return interval(values).mean;
}

/** Returns every contestant in some results except the floor, in column order. */
function contestantsOf(rows: readonly Row[]): string[] {
  const present = new Set(rows.flatMap(({ rounds }) => [...rounds.keys()]));
  return [...TITLES.keys()].filter((name) => name !== FLOOR && present.has(name));
}

/** Returns the floor, or else the first contestant. */
function floorOf(rows: readonly Row[]): string {
  const { rounds } = rows[0]!;
  return rounds.has(FLOOR) ? FLOOR : [...rounds.keys()][0]!;
}

/** Table columns: the floor's time, and every other contestant's ratio to it. */
class Columns {
  readonly #floor: string;
  readonly #others: readonly string[];

  constructor(rows: readonly Row[]) {
    this.#floor = floorOf(rows);
    this.#others = contestantsOf(rows).filter((name) => name !== this.#floor);
  }

  /** The names. */
  get head(): string[] {
    return ["scenario", `${TITLES.get(this.#floor)}, µs`, ...this.#others.map((name) => TITLES.get(name)!)];
  }

  /** Processor time per request for the floor, in µs: the median over the rounds. */
  floor({ rounds }: Row): string {
    return (median(rounds.get(this.#floor)!.map(({ cpu }) => cpu)) / 1000).toFixed(1);
  }

  /** All other contestants' cells. */
  others(cell: (contestant: string, floor: string) => string): string[] {
    return this.#others.map((name) => cell(name, this.#floor));
  }
}

function text(value: Interval | null, of: (value: Interval) => string = intervalText): string {
  return value === null ? "–" : of(value);
}

function short({ mean }: Interval): string {
  return mean.toFixed(2);
}

/** All ratios to the floor for one kind of client, with their intervals. */
export function tableOf(rows: readonly Row[]): string {
  const columns = new Columns(rows);
  const lines = rows.map((row) => [row.scenario.title, ...cellsOf(row, columns)]);
  const means = (title: string, figure: Figure) => [
    title,
    "",
    ...columns.others((name, floor) => text(meanOf(rows, name, floor, figure))),
  ];
  return table(columns.head, [...lines, means("geometric mean", "cpu"), means("requests a second", "rate")]);
}

/** The ratios for a request that is always the same, a row for each kind of client. */
export function repeatedTable(rows: readonly Row[]): string {
  const columns = new Columns(rows);
  return table(columns.head, rows.map((row) => [row.client.title, ...cellsOf(row, columns)]));
}

function cellsOf(row: Row, columns: Columns): string[] {
  return [columns.floor(row), ...columns.others((name, floor) => text(ratioOf(row, name, floor)))];
}

/**
 * Formats the ratios to the floor for all kinds of clients in one table, as shown in the documentation: a cell has one
 * figure for each kind, and only the means have intervals.
 *
 * @param all Results for each kind of client
 */
export function compactTable(all: readonly (readonly Row[])[]): string {
  const columns = new Columns(all[0]!);
  const lines = all[0]!.map(({ scenario }, i) => [
    scenario.title,
    all.map((rows) => columns.floor(rows[i]!)).join(" · "),
    ...columns.others((name, floor) => {
      const ratios = all.map((rows) => ratioOf(rows[i]!, name, floor));
      return ratios.includes(null) ? "–" : ratios.map((ratio) => short(ratio!)).join(" · ");
    }),
  ]);
  const means = (title: string, figure: Figure, of: (value: Interval) => string) => [
    title,
    "",
    ...columns.others((name, floor) => all.map((rows) => text(meanOf(rows, name, floor, figure), of)).join(" · ")),
  ];
  return table(columns.head, [
    ...lines,
    means("**geometric mean**", "cpu", (mean) => `**${short(mean)}**`),
    means("its 95 % interval", "cpu", ({ mean, low, high }) => `±${((high - low) / 2 / mean * 100).toFixed(1)} %`),
    means("requests a second", "rate", short),
  ]);
}

/**
 * Formats the pairs with a ratio that is a goal: their means over all scenarios, and the scenario with the lowest
 * ratio.
 *
 * @param all Results for each kind of client
 * @returns `null` if no pair was measured
 */
export function goalsTable(all: readonly (readonly Row[])[]): string | null {
  const lines = PAIRS.flatMap(([own, other, title]) => {
    const cells = all.map((rows) => [meanOf(rows, own, other), least(rows, own, other)] as const);
    return cells.some(([mean]) => mean === null)
      ? []
      : [[title, ...cells.flatMap(([mean, least]) => [text(mean), least])]];
  });
  if (lines.length === 0) return null;
  return table(["processor time", ...all.flatMap((rows) => [rows[0]!.client.title, "least"])], lines);
}

function least(rows: readonly Row[], own: string, other: string): string {
  let least = { mean: Infinity, title: "" };
  for (const row of rows) {
    const mean = ratioOf(row, own, other)?.mean ?? Infinity;
    if (mean < least.mean) least = { mean, title: row.scenario.title };
  }
  return `${least.mean.toFixed(2)}, ${least.title}`;
}

/**
 * Formats this checkout's gains over a second one, with intervals; differences beyond chance are bold.
 *
 * @param all Results for each kind of client
 * @returns `null` if no other checkout was measured
 */
export function changesTable(all: readonly (readonly Row[])[]): string | null {
  const pairs = CHANGES.filter(([own, before]) => all[0]?.some(({ rounds }) => rounds.has(own) && rounds.has(before)));
  if (pairs.length === 0) return null;
  const titles = all.flatMap((rows) =>
    pairs.map(([own]) => `${TITLES.get(own)} over before, ${rows[0]!.client.title}`)
  );
  const cells = (of: (rows: readonly Row[], own: string, before: string) => Interval | null) =>
    all.flatMap((rows) => pairs.map(([own, before]) => text(of(rows, own, before), judged)));
  const lines = all[0]!.map(({ scenario }, i) => [
    scenario.title,
    ...cells((rows, own, before) => ratioOf(rows[i]!, own, before)),
  ]);
  return table(["processor time", ...titles], [...lines, ["geometric mean", ...cells(meanOf)]]);
}

function judged(one: Interval): string {
  return counts(one) ? `**${intervalText(one)}**` : intervalText(one);
}

/**
 * Lists where the load generator was saturated, so that the rates are those of the generator. Processor times are not
 * affected.
 *
 * @param rows Results
 * @param most Maximum fraction of its time that it may be busy
 */
export function limitedByLoad(rows: readonly Row[], most = 0.95): string[] {
  return rows.flatMap(({ scenario, client, rounds }) =>
    [...rounds].flatMap(([name, measured]) => {
      const load = median(measured.map((one) => one.load));
      return load < most
        ? []
        : [`${TITLES.get(name)}, ${scenario.title}, ${client.title} (${(100 * load).toFixed(0)} %)`];
    })
  );
}
