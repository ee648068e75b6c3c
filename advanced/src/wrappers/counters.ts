/** What a limiter and the wrappers around its store have done since they were made. All counts only grow. */
export interface Counters {
  /** Requests admitted, whoever decided. */
  admitted: number;
  /** Requests refused. */
  limited: number;
  /** Requests that a limit in dry run, or marked `shadow`, would have refused. */
  shadowLimited: number;
  /** Requests that `skip` let through uncounted. */
  skipped: number;
  /** Units given back. */
  refunded: number;
  /** Decisions the store did not give in time or at all. */
  storeFailures: number;
  /** Decisions by the local limiter in place of the store. */
  decidedLocally: number;
  /** Requests admitted unasked, because the store failed and `onStoreFailure` is `"open"`. */
  failedOpen: number;
  /** Requests refused unasked, because the store failed and `onStoreFailure` is `"closed"`. */
  failedClosed: number;
  /** Times the circuit breaker opened. */
  breakerOpened: number;
  /** Decisions that were made together with another one in one command. */
  coalesced: number;
  /** Refusals told from memory, without asking the store. */
  denyCacheHits: number;
  /** Decisions from units taken in advance. */
  leased: number;
}

/** New counters, all zero. */
export function newCounters(): Counters {
  return {
    admitted: 0,
    limited: 0,
    shadowLimited: 0,
    skipped: 0,
    refunded: 0,
    storeFailures: 0,
    decidedLocally: 0,
    failedOpen: 0,
    failedClosed: 0,
    breakerOpened: 0,
    coalesced: 0,
    denyCacheHits: 0,
    leased: 0,
  };
}
