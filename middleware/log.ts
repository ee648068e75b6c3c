/**
 * One log line per request, written when it ends: JSON in production, readable in development, to the console, a stream
 * or a logger. Secrets are redacted, and nothing a client sends can start a new line or move a terminal's cursor.
 *
 * @example A line for each request, with a field of your own
 * ```ts
 * import sluice from "@sluice/sluice";
 * import { log } from "@sluice/middleware/log";
 *
 * const app = sluice();
 * app.use(log({ slowMs: 500, fields: (req) => ({ user: req.user?.name }) }));
 * app.get("/", (req, res) => res.send("Hello"));
 * ```
 *
 * @module
 */
export { log, type LoggedLoad, type LogOptions, type RequestLog, type WriteLine } from "./src/log/log.ts";
export type { LoggedError, LogLevel, LogRecord } from "./src/log/log_record.ts";
export type { LineWriter, LogFunction, Logger, LogStream } from "./src/log/log_stream.ts";
