/** A row of the table of faults. */
export interface Row {
  /** What was done. */
  readonly fault: string;
  /** Requests, decisions or messages. */
  readonly sent: number;
  /** Those without an answer. */
  readonly lost: number;
  /** What was admitted beyond what the documentation says; `undefined` where nothing is limited. */
  readonly over?: number;
  readonly slowestMs?: number;
  /** What else was seen. */
  readonly remark: string;
  /** Why the run is no good, if it is not. */
  readonly broken?: string;
}
