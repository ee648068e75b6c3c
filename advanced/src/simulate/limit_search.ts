import type { LogRecord } from "./log_record.ts";
import type { Rule } from "../rules/rule_set.ts";
import { Replay } from "./replay.ts";
import type { Tally } from "./tally.ts";

/** The measured result of a replay with one limit. */
export interface LimitFound {
  readonly limit: number;
  /** Keys with at least one request that would have been refused. */
  readonly keysLimited: number;
  /** Requests that would have been refused. */
  readonly limited: number;
}

/** Limits tried per reading; fewer if their keys take too much memory. */
const TRIED_AT_ONCE = 15;
const TRIED_WITH_MANY_KEYS = 3;
const MANY_KEYS = 200_000;

/** A search for the limit of one policy. */
class Search {
  readonly tally: Tally;
  readonly allowed: number;
  /** `below` refuses too many; `above` does not, and is `null` if no such limit is known. */
  #below = 0;
  #above: LimitFound | null = null;
  #top: number;

  constructor(tally: Tally, percent: number) {
    this.tally = tally;
    this.allowed = Math.floor(tally.keys.size * percent / 100);
    let peak = 1;
    for (const figures of tally.keys.values()) peak = Math.max(peak, figures.peak);
    // an approximation may overestimate a window by a factor of two
    this.#top = 2 * peak + 1;
  }

  get found(): LimitFound | null {
    return this.#above;
  }

  /** Limits to try next; none once the search ends. */
  get candidates(): number[] {
    const most = this.tally.keys.size > MANY_KEYS ? TRIED_WITH_MANY_KEYS : TRIED_AT_ONCE;
    const top = this.#above === null ? this.#top + 1 : this.#above.limit;
    const between = top - this.#below - 1;
    if (between <= 0) return [];
    const step = Math.max(1, (between + 1) / (most + 1));
    const chosen = new Set<number>();
    for (let i = 1; i <= most && Math.round(i * step) <= between; i++) chosen.add(this.#below + Math.round(i * step));
    // the first reading shows whether there is such a limit at all
    if (this.#above === null) chosen.add(this.#top);
    return [...chosen].sort((a, b) => a - b);
  }

  learn(tried: readonly LimitFound[]): void {
    const enough = tried.findIndex(({ keysLimited }) => keysLimited <= this.allowed);
    if (enough >= 0) this.#above = tried[enough]!;
    const below = enough < 0 ? tried.at(-1) : tried[enough - 1];
    if (below !== undefined) this.#below = below.limit;
    if (enough < 0 && this.#above === null) this.#top = this.#below;
  }
}

/**
 * Finds, for each policy, the lowest limit that affects at most a given share of its clients, by replaying the log with
 * many limits. Every result is measured: the next lower limit affects more clients.
 *
 * @param rules The policies, and the requests they apply to
 * @param tallies Their results with their own limits
 * @param percent Maximum share of affected clients, in percent
 * @param readAgain Reads the log once more
 * @returns The results, by policy name
 */
export async function findLimits(
  rules: readonly Rule[],
  tallies: readonly Tally[],
  percent: number,
  readAgain: (each: (record: LogRecord) => void) => Promise<unknown>,
): Promise<Map<string, LimitFound>> {
  const searches = tallies.map((tally) => new Search(tally, percent));
  for (;;) {
    const trials = searches.flatMap((search) =>
      search.candidates.map((limit) => ({ search, ...trial(rules, search.tally, limit) }))
    );
    if (trials.length === 0) break;
    await readAgain((record) => {
      for (const { replay } of trials) replay.feed(record);
    });
    for (const search of searches) {
      const own = trials.filter((one) => one.search === search).map(({ found }) => found);
      if (own.length > 0) search.learn(own);
    }
  }
  return new Map(searches.flatMap(({ tally, found }) => found === null ? [] : [[tally.policy.name, found] as const]));
}

function trial(rules: readonly Rule[], tally: Tally, limit: number) {
  const found = { limit, keysLimited: 0, limited: 0 };
  const isHit = new Uint8Array(tally.keys.size);
  const { name } = tally.policy;
  const replay = new Replay(rules, {
    decided({ policy, key, refused }) {
      if (refused === 0 || policy.name !== name) return;
      found.limited += refused;
      const figures = tally.figuresOf(key);
      if (figures === undefined || isHit[figures.id] === 1) return;
      isHit[figures.id] = 1;
      found.keysLimited++;
    },
  }, { name, limit });
  return { replay, found };
}
