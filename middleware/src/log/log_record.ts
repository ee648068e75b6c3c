/** A line's severity. */
export type LogLevel = "info" | "warn" | "error";

/** An error in a line. */
export interface LoggedError {
  /** Its name. */
  readonly name: string;
  /** Its message. */
  readonly message: string;
  /** The stack, except for errors that the client caused. */
  readonly stack?: string;
  /** Its cause. */
  readonly cause?: LoggedError;
  /** The code that runtimes and drivers assign to it. */
  readonly code?: string | number;
}

/** One line's content; unknown fields are `undefined`. */
export interface LogRecord {
  /** When it was written (RFC 3339, UTC). */
  readonly time: string;
  /** `error` for errors and a status of 500 or higher, `warn` for 400 or higher and for slow requests. */
  readonly level: LogLevel;
  /** Method in upper case. */
  readonly method?: string | undefined;
  /** Path and query as the client sent them, without secret values. */
  readonly path?: string | undefined;
  /** The route's pattern, such as `/users/:id`. */
  readonly route?: string | undefined;
  /** The response status; 499 if the client disconnected before there was one. */
  readonly status?: number | undefined;
  /** From the middleware to the last byte, in ms. */
  readonly durationMs?: number | undefined;
  /** The body's length, if known when the response began. */
  readonly bytes?: number | undefined;
  /** The client's address. */
  readonly ip?: string | undefined;
  /** `req.id`, which `requestId` sets. */
  readonly id?: string | number | undefined;
  /** `req.traceId`, which `requestId` sets. */
  readonly traceId?: string | undefined;
  /** The `User-Agent` header. */
  readonly userAgent?: string | undefined;
  /** Whether it took longer than `slowMs`. */
  readonly slow?: true | undefined;
  /** Whether the response is incomplete, because the client disconnected or the program aborted it. */
  readonly aborted?: true | undefined;
  /** The fraction of such lines that is written, if not all of them. */
  readonly sample?: number | undefined;
  /** The error. */
  readonly error?: LoggedError | undefined;
  /** The message of one of the program's own lines. */
  readonly message?: string | undefined;
  /** The source of an error that does not belong to a running request. */
  readonly phase?: string | undefined;
  /** Requests that `shedLoad` has refused since the last such line, by the resource that was overloaded. */
  readonly refused?: Readonly<Record<string, number>> | undefined;
  /** Fields the program added. */
  readonly [field: string]: unknown;
}
