/** How much a line matters. */
export type LogLevel = "info" | "warn" | "error";

/** An error in a line. */
export interface LoggedError {
  /** Its kind. */
  readonly name: string;
  /** What went wrong. */
  readonly message: string;
  /** The stack, except of errors that the client caused. */
  readonly stack?: string;
  /** What caused it. */
  readonly cause?: LoggedError;
  /** What runtimes and drivers call it. */
  readonly code?: string | number;
}

/** What one line says; what is not known is `undefined`. */
export interface LogRecord {
  /** When it was written (RFC 3339, UTC). */
  readonly time: string;
  /** `error` for a status of 500 and above and for errors, `warn` for 400 and above and for slow requests. */
  readonly level: LogLevel;
  /** Method in capitals. */
  readonly method?: string | undefined;
  /** Path and query as the client sent them, without the values of secrets. */
  readonly path?: string | undefined;
  /** Pattern of the route, such as `/users/:id`. */
  readonly route?: string | undefined;
  /** Status of the response; 499 if the client left before there was one. */
  readonly status?: number | undefined;
  /** From the middleware to the last byte, in ms. */
  readonly durationMs?: number | undefined;
  /** Length of the body, if it was known when the response began. */
  readonly bytes?: number | undefined;
  /** Address of the client. */
  readonly ip?: string | undefined;
  /** `req.id`, which `requestId` sets. */
  readonly id?: string | number | undefined;
  /** `req.traceId`, which `requestId` sets. */
  readonly traceId?: string | undefined;
  /** The header of that name. */
  readonly userAgent?: string | undefined;
  /** Whether it took longer than `slowMs`. */
  readonly slow?: true | undefined;
  /** Whether the response is incomplete, because the client left or the program broke it off. */
  readonly aborted?: true | undefined;
  /** The fraction of lines like this one that are written, if it is not all. */
  readonly sample?: number | undefined;
  /** What failed. */
  readonly error?: LoggedError | undefined;
  /** What the program says with a line of its own. */
  readonly message?: string | undefined;
  /** Where an error came from that belongs to no request that is still running. */
  readonly phase?: string | undefined;
  /** Requests that `shedLoad` has refused since the last such line, by what there was too much of. */
  readonly refused?: Readonly<Record<string, number>> | undefined;
  /** What the program added. */
  readonly [field: string]: unknown;
}
