import { detachedString } from "@sluice/shared";
import { MAX_LIMIT } from "../policy/check_policy.ts";
import type { Policy } from "../policy/policy.ts";
import { MemoryStore } from "../stores/memory_store.ts";
import type { Outcome } from "./replay.ts";
import { TimeBins } from "./time_bins.ts";

/** Maximum keys with their own figures, per policy: clients may have made up any number. */
const MOST_KEYS = 2_000_000;

/** Key for the figures of all other keys; no logged key has a line break. */
const OTHERS = "\nothers";

export interface KeyFigures {
  /** The key number, from 0. */
  readonly id: number;
  requests: number;
  /** Refused requests. */
  limited: number;
  /** Most units requested within one window, or up to a tenth longer. */
  peak: number;
  /** When it was first and last refused, in ms; 0 if never. */
  firstMs: number;
  lastMs: number;
}

/** The result for one policy. */
export class Tally {
  readonly policy: Policy;
  /** Whether it only counts and reports. */
  readonly shadow: boolean;
  readonly keys = new Map<string, KeyFigures>();
  /** Requests over time. */
  readonly bins = new TimeBins();
  requests = 0;
  /** Refused requests. */
  limited = 0;
  /** Keys with at least one refused request. */
  keysLimited = 0;
  /** Requests that the policy covers but that have no key. */
  keyless = 0;
  /** Decisions in a limiter's log, and how many turned out differently. */
  logged = 0;
  different = 0;
  /** Refusals in the log. */
  loggedRefusals = 0;
  // a policy that grants everything measures how much each key used within a window
  readonly #gauge: Policy;
  readonly #gauges: MemoryStore;
  #now = 0;

  /**
   * Creates an instance.
   *
   * @param policy The policy
   * @param shadow Whether it only counts and reports
   */
  constructor(policy: Policy, shadow: boolean) {
    this.policy = policy;
    this.shadow = shadow;
    this.#gauge = { name: "peak", algorithm: "sliding-window", limit: MAX_LIMIT, windowMs: policy.windowMs };
    this.#gauges = new MemoryStore({ clock: () => this.#now, maxKeys: 2 ** 24 });
  }

  /** Counts one of the policy's decisions. */
  note({ key, ms, cost, times, refused, isAsLogged }: Outcome): void {
    this.#now = ms;
    this.requests += times;
    this.limited += refused;
    this.bins.add(ms, times, refused);
    const figures = this.keys.get(key) ?? this.#newKey(key);
    figures.requests += times;
    if (refused > 0) {
      if (figures.limited === 0) {
        this.keysLimited++;
        figures.firstMs = ms;
      }
      figures.limited += refused;
      figures.lastMs = ms;
    }
    if (isAsLogged !== null) {
      this.logged++;
      if (!isAsLogged) this.different++;
      if ((refused > 0) === isAsLogged) this.loggedRefusals++;
    }
    const [verdict] = this.#gauges.decide([{ policy: this.#gauge, key, cost: cost * times }]);
    figures.peak = Math.max(figures.peak, MAX_LIMIT - verdict!.remaining);
  }

  #newKey(key: string): KeyFigures {
    const isOther = this.keys.size >= MOST_KEYS;
    const name = isOther ? OTHERS : detachedString(key);
    let figures = this.keys.get(name);
    if (figures === undefined) {
      figures = { id: this.keys.size, requests: 0, limited: 0, peak: 0, firstMs: 0, lastMs: 0 };
      this.keys.set(name, figures);
    }
    return figures;
  }

  /** The figures for a counted key. */
  figuresOf(key: string): KeyFigures | undefined {
    return this.keys.get(key) ?? this.keys.get(OTHERS);
  }
}
