/** `pass`: everything works; `warn`: a check fails, but the process accepts requests; `fail`: it does not. */
export type HealthStatus = "pass" | "warn" | "fail";

/** One check's result. */
export interface CheckReport {
  /** Its status. */
  readonly status: HealthStatus;
  /** Its duration in ms. */
  readonly durationMs: number;
  /** When it ended (RFC 3339, UTC): before the request, for a cached result. */
  readonly time: string;
  /** The error, where details are enabled. */
  readonly error?: string;
}

/** The response body. */
export interface HealthReport {
  /** The worst of all statuses. */
  readonly status: HealthStatus;
  /** Whether the application is closing. */
  readonly closing?: true;
  /** The checks' results, by name. */
  readonly checks?: Readonly<Record<string, CheckReport>>;
  /** Figures from `shedLoad`. */
  readonly load?: object;
}
