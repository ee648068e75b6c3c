/** What requests are told apart by. */
export interface RequestKind {
  /** Method in capitals, `_OTHER` for one that is not registered (OpenTelemetry, semantic conventions for HTTP). */
  readonly method: string;
  /** Pattern of the route, such as `/users/:id`; empty if there was none. */
  readonly route: string;
  /** `2xx`, or `aborted` if the client left before there was a status. */
  readonly statusClass: string;
  /** The status, if there was one. */
  readonly status: number | undefined;
}

/** The durations of the requests of one kind. */
export interface Series extends RequestKind {
  /** How many took at most as long as each bound, and longer than the one before; the last is for those above all. */
  readonly counts: number[];
  /** Sum of the durations, in s. */
  sum: number;
}

/** How long requests took, by what they were. */
export class DurationHistogram {
  readonly #bounds: readonly number[];
  readonly #series = new Map<string, Series>();

  /** @param bounds Upper bounds of the buckets, in s, in ascending order */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
  }

  /** Upper bounds of the buckets, in s. */
  get bounds(): readonly number[] {
    return this.#bounds;
  }

  /** All series, in the order of the first request of each. */
  get series(): Iterable<Series> {
    return this.#series.values();
  }

  /**
   * Notes a request.
   *
   * @param kind What it was
   * @param seconds How long it took
   */
  record(kind: RequestKind, seconds: number): void {
    const key = `${kind.method} ${kind.status} ${kind.route}`;
    let series = this.#series.get(key);
    if (series === undefined) {
      series = { ...kind, counts: Array<number>(this.#bounds.length + 1).fill(0), sum: 0 };
      this.#series.set(key, series);
    }
    const at = this.#bounds.findIndex((bound) => seconds <= bound);
    series.counts[at === -1 ? this.#bounds.length : at]!++;
    series.sum += seconds;
  }
}
