/** ms that the handler takes the processor for. */
export const WORK_MS = 20;

/** What came of a rush. */
export interface Rush {
  /** Requests that were answered with 200. */
  readonly served: number;
  /** Requests that were answered with 503. */
  readonly refused: number;
  /** Requests whose clients gave up. */
  readonly gaveUp: number;
  /** Times the handler ran. */
  readonly runs: number;
  /** ms until half of those served had their answer, and 99 of 100. */
  readonly p50: number;
  readonly p99: number;
  /** ms from the end of the rush until a request is answered within 50 ms; `null` if that took longer than a minute. */
  readonly recovery: number | null;
}
