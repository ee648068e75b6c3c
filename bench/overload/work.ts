/** The handler's processor time, in ms. */
export const WORK_MS = 20;

/** The result of a rush. */
export interface Rush {
  /** Number of 200 responses. */
  readonly served: number;
  /** Number of 503 responses. */
  readonly refused: number;
  /** Number of requests that the client gave up on. */
  readonly gaveUp: number;
  /** Times the handler ran. */
  readonly runs: number;
  /** Response time for served requests in ms, at the median and the 99th percentile. */
  readonly p50: number;
  readonly p99: number;
  /** Time from the end of the rush until a response takes less than 50 ms, in ms; `null` if longer than a minute. */
  readonly recovery: number | null;
}
