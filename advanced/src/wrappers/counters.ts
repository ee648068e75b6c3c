/** Counts for a limiter and its store decorators. They only grow. */
export interface Counters {
  /** Requests admitted, whatever made the decision. */
  admitted: number;
  /** Requests refused. */
  limited: number;
  /** Requests that a limit with `dryRun` or `shadow` would have refused. */
  shadowLimited: number;
  /** Requests that `skip` let through uncounted. */
  skipped: number;
  /** Refunded units. */
  refunded: number;
  /** Units that were not counted anywhere, because they exceeded `maxDebt`. */
  forgiven: number;
  /** Decisions that the store failed to make, or made too late. */
  storeFailures: number;
  /** Decisions by the local limiter instead of the store. */
  decidedLocally: number;
  /** Requests admitted because the store failed and `onStoreFailure` is `"open"`. */
  failedOpen: number;
  /** Requests refused because the store failed and `onStoreFailure` is `"closed"`. */
  failedClosed: number;
  /** Times the circuit breaker opened. */
  breakerOpened: number;
  /** Decisions that were merged into another decision's command. */
  coalesced: number;
  /** Refusals from the deny cache, without calling the store. */
  denyCacheHits: number;
  /** Decisions from leases, units reserved in advance. */
  leased: number;
}

/** Creates counters, all zero. */
export function newCounters(): Counters {
  return {
    admitted: 0,
    limited: 0,
    shadowLimited: 0,
    skipped: 0,
    refunded: 0,
    forgiven: 0,
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
