/** A row of the table of faults. */
export interface Row {
  readonly fault: string;
  /** Requests, decisions or messages. */
  readonly sent: number;
  /** Those without a response. */
  readonly lost: number;
  /** Excess over the documented limit; `undefined` where nothing is limited. */
  readonly over?: number;
  readonly slowestMs?: number;
  /** Other observations. */
  readonly remark: string;
  /** Why the run failed, if it did. */
  readonly broken?: string;
}
