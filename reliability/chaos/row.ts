/** A row in the fault table. */
export interface Row {
  readonly fault: string;
  /** Requests, decisions or messages. */
  readonly sent: number;
  /** Items that got no response. */
  readonly lost: number;
  /** Excess over the documented limit; `undefined` where there is no limit. */
  readonly over?: number;
  readonly slowestMs?: number;
  /** Other observations. */
  readonly remark: string;
  /** Why the run failed, if it did. */
  readonly broken?: string;
}
