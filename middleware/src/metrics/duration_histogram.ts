/** Attributes that distinguish requests. */
export interface RequestKind {
  /** Method in upper case, `_OTHER` for an unregistered method (OpenTelemetry, semantic conventions for HTTP). */
  readonly method: string;
  /** The route's pattern, such as `/users/:id`; empty if there was no route. */
  readonly route: string;
  /** `2xx`, or `aborted` if the client disconnected before there was a status. */
  readonly statusClass: string;
  /** The status, if there was one. */
  readonly status: number | undefined;
}

/** Durations of one kind of request. */
export interface Series extends RequestKind {
  /** Number of durations up to each bound and above the previous bound; the last is for durations above all bounds. */
  readonly counts: number[];
  /** The sum of the durations, in s. */
  sum: number;
}

/** Durations of requests, by kind. */
export class DurationHistogram {
  readonly #bounds: readonly number[];
  readonly #series = new Map<string, Series>();

  /** @param bounds The buckets' upper bounds, in s, in ascending order */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
  }

  /** The buckets' upper bounds, in s. */
  get bounds(): readonly number[] {
    return this.#bounds;
  }

  /** All series, ordered by their first request. */
  get series(): Iterable<Series> {
    return this.#series.values();
  }

  /**
   * Records a request.
   *
   * @param kind Its kind
   * @param seconds Its duration
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
