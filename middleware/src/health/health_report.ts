/** `pass`: all is well; `warn`: something is not, but requests are welcome; `fail`: they are not. */
export type HealthStatus = "pass" | "warn" | "fail";

/** What one check found. */
export interface CheckReport {
  /** What it is. */
  readonly status: HealthStatus;
  /** How long it took, in ms. */
  readonly durationMs: number;
  /** When it ended (RFC 3339, UTC): before the request, if the result is a cached one. */
  readonly time: string;
  /** What failed, where details are shown. */
  readonly error?: string;
}

/** The body of a response. */
export interface HealthReport {
  /** The worst of all. */
  readonly status: HealthStatus;
  /** Whether the application is being closed. */
  readonly closing?: true;
  /** What the checks found, by their names. */
  readonly checks?: Readonly<Record<string, CheckReport>>;
  /** The figures of `shedLoad`. */
  readonly load?: object;
}
