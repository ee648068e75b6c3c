import type { CalendarWindow } from "../policy/calendar_window.ts";
import type { AlgorithmName } from "../policy/policy.ts";
import type { LimitFound } from "./limit_search.ts";
import type { LogSummary } from "./read_log.ts";
import type { KeyFigures, Tally } from "./tally.ts";
import type { TimeBin } from "./time_bins.ts";

/** A key and the outcome of its requests. */
export interface KeyReport {
  /** The key, which is untrusted. */
  readonly key: string;
  readonly requests: number;
  /** Requests that would have been refused. */
  readonly limited: number;
  /** Most units requested within one window, or up to a tenth longer. */
  readonly peak: number;
  /** When it would have been refused first and last, in ms since 1970; `null` if never. */
  readonly firstLimitedMs: number | null;
  readonly lastLimitedMs: number | null;
}

/** The lowest limit that affects at most a given share of clients. */
export interface AtMostReport extends LimitFound {
  /** Maximum share of affected clients, in percent. */
  readonly percent: number;
  /** Share of clients it would have affected, from 0 to 1. */
  readonly keyShare: number;
  /** Share of requests it would have refused, from 0 to 1. */
  readonly share: number;
}

/** The result for one policy. */
export interface PolicyReport {
  readonly name: string;
  readonly algorithm: AlgorithmName;
  readonly limit: number;
  readonly windowMs: number;
  /**
   * Its calendar windows, if any. `windowMs` is then their usual length, and peaks cover any interval of that length.
   */
  readonly window?: CalendarWindow;
  /** Whether it only counts and reports. */
  readonly shadow: boolean;
  /** Requests it decided about, the number it would have refused, and their share, from 0 to 1. */
  readonly requests: number;
  readonly limited: number;
  readonly share: number;
  /** Clients, the number it would have refused a request, and their share, from 0 to 1. */
  readonly keys: number;
  readonly keysLimited: number;
  readonly keyShare: number;
  /** Requests it applies to that have no key in the log; they are excluded. */
  readonly keyless: number;
  /** Percentiles of the keys' peaks: 50 %, 90 %, 99 % and the maximum. */
  readonly peaks: { readonly p50: number; readonly p90: number; readonly p99: number; readonly max: number };
  /** Number of keys by their peaks: up to `upTo`, and above the previous entry. */
  readonly peakCounts: readonly { readonly upTo: number; readonly keys: number }[];
  /** The keys with the most refusals, followed by those with the highest peaks. */
  readonly top: readonly KeyReport[];
  /** Requests over time. */
  readonly bins: readonly TimeBin[];
  readonly binMs: number;
  /** The `--at-most` result; `null` if no limit meets it, omitted if not requested. */
  readonly atMost?: AtMostReport | null;
  /** From a limiter's own log: decisions, its refusals, and decisions with a different outcome here. */
  readonly recorded?: { readonly decisions: number; readonly refusals: number; readonly different: number };
}

/** A replay's result. */
export interface SimulationReport {
  /** Whether it is an estimate: only a limiter's own log is exact. */
  readonly isEstimate: boolean;
  /** Times of the first and last records, in ms since 1970; 0 if there are none. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly log: LogSummary;
  /** Decisions that shared a counter because the memory for keys was full, as in the limiter itself. */
  readonly overflows: number;
  /** The policies, in order. */
  readonly policies: readonly PolicyReport[];
}

/**
 * Creates the report for a policy.
 *
 * @param tally Its results
 * @param mostKeys Maximum keys to list
 * @param percent The `--at-most` value
 * @param found The search result
 */
export function policyReport(
  tally: Tally,
  mostKeys: number,
  percent: number | undefined,
  found: LimitFound | undefined,
): PolicyReport {
  const { policy: { name, algorithm, limit, windowMs, window }, shadow, requests, limited, keysLimited, keyless } =
    tally;
  const keys = tally.keys.size;
  const peaks = Float64Array.from(tally.keys.values(), ({ peak }) => peak).sort();
  const quantile = (part: number) => peaks.length === 0 ? 0 : peaks[Math.ceil(part * peaks.length) - 1]!;
  return {
    ...{ name, algorithm, limit, windowMs, ...(window === undefined ? {} : { window }) },
    ...{ shadow, requests, limited, keys, keysLimited, keyless },
    share: part(limited, requests),
    keyShare: part(keysLimited, keys),
    peaks: { p50: quantile(0.5), p90: quantile(0.9), p99: quantile(0.99), max: quantile(1) },
    peakCounts: countPeaks(peaks),
    top: topKeys(tally.keys, mostKeys),
    bins: tally.bins.list(),
    binMs: tally.bins.width,
    ...(percent === undefined ? {} : {
      atMost: found === undefined
        ? null
        : { percent, ...found, share: part(found.limited, requests), keyShare: part(found.keysLimited, keys) },
    }),
    ...(tally.logged === 0
      ? {}
      : { recorded: { decisions: tally.logged, refusals: tally.loggedRefusals, different: tally.different } }),
  };
}

function part(some: number, all: number): number {
  return all === 0 ? 0 : some / all;
}

// each class is twice as high as the last
function countPeaks(sorted: Float64Array): { upTo: number; keys: number }[] {
  const counts: { upTo: number; keys: number }[] = [];
  for (const peak of sorted) {
    while (counts.length === 0 || counts.at(-1)!.upTo < peak) {
      counts.push({ upTo: counts.length === 0 ? 1 : 2 * counts.at(-1)!.upTo, keys: 0 });
    }
    counts.at(-1)!.keys++;
  }
  return counts;
}

// keeps a short list in order instead of sorting millions
function topKeys(keys: ReadonlyMap<string, KeyFigures>, most: number): KeyReport[] {
  const top: [string, KeyFigures][] = [];
  for (const entry of keys) {
    if (top.length >= most && (most === 0 || compare(entry, top.at(-1)!) >= 0)) continue;
    let at = top.length;
    while (at > 0 && compare(entry, top[at - 1]!) < 0) at--;
    top.splice(at, 0, entry);
    if (top.length > most) top.pop();
  }
  return top.map(([key, figures]) => keyReport(key, figures));
}

function compare([, a]: [string, KeyFigures], [, b]: [string, KeyFigures]): number {
  return b.limited - a.limited || b.peak - a.peak || b.requests - a.requests || a.id - b.id;
}

export function keyReport(key: string, { requests, limited, peak, firstMs, lastMs }: KeyFigures): KeyReport {
  return {
    ...{ key: key === "\nothers" ? "(further keys)" : key, requests, limited, peak },
    firstLimitedMs: limited === 0 ? null : firstMs,
    lastLimitedMs: limited === 0 ? null : lastMs,
  };
}
