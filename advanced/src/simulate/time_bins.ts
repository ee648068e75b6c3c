/** Maximum bins: as many as fit into a chart on a phone. */
const MOST_BINS = 96;

const SECOND = 1000;
const DAY = 86_400 * SECOND;
/** Bin widths, each a multiple of the previous one. */
const WIDTHS = [1, 5, 15, 60, 300, 900, 3600, 10_800, 21_600, 43_200, 86_400, 604_800].map((one) => one * SECOND);

/** Requests in a time period. */
export interface TimeBin {
  /** When it begins, in ms since 1970. */
  readonly ms: number;
  requests: number;
  /** Refused requests. */
  limited: number;
}

/** Counts requests over time, in bins that grow with the total time. */
export class TimeBins {
  #width = WIDTHS[0]!;
  #bins = new Map<number, TimeBin>();
  #first = Infinity;
  #last = -Infinity;

  /** Bin width in ms. */
  get width(): number {
    return this.#width;
  }

  /** Counts requests. */
  add(ms: number, requests: number, limited: number): void {
    this.#first = Math.min(this.#first, ms);
    this.#last = Math.max(this.#last, ms);
    while (Math.floor(this.#last / this.#width) - Math.floor(this.#first / this.#width) >= MOST_BINS) this.#widen();
    this.#count(ms, requests, limited);
  }

  #count(ms: number, requests: number, limited: number): void {
    const index = Math.floor(ms / this.#width);
    let bin = this.#bins.get(index);
    if (bin === undefined) this.#bins.set(index, bin = { ms: index * this.#width, requests: 0, limited: 0 });
    bin.requests += requests;
    bin.limited += limited;
  }

  #widen(): void {
    this.#width = WIDTHS.find((width) => width > this.#width) ?? Math.ceil(this.#width / DAY) * 2 * DAY;
    const narrow = this.#bins;
    this.#bins = new Map();
    for (const { ms, requests, limited } of narrow.values()) this.#count(ms, requests, limited);
  }

  /** All bins from the first to the last, including empty ones. */
  list(): TimeBin[] {
    if (this.#bins.size === 0) return [];
    const first = Math.floor(this.#first / this.#width);
    const length = Math.floor(this.#last / this.#width) - first + 1;
    return Array.from({ length }, (_, i) => {
      const ms = (first + i) * this.#width;
      return this.#bins.get(first + i) ?? { ms, requests: 0, limited: 0 };
    });
  }
}
