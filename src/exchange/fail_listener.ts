import type { ErrorReporter } from "./call_guarded.ts";

/** The part of a request used here. */
interface Walked {
  /** Continues the walk; absent before the first layer and after the last. */
  readonly next?: (error: unknown) => void;
  /** Its response. */
  readonly res?: Endable;
}

/** The part of a response used here. */
interface Endable {
  readonly headersSent: boolean;
  readonly writableEnded: boolean;
  destroy(error?: Error): unknown;
}

/**
 * Reports an error from a listener or callback that the framework called, and ends a response that would otherwise stay
 * open. In Express, such an error crashes the process, and the connection with it. Here, error handlers get the error
 * if nothing was sent, and a response that has begun is cut.
 *
 * @param app Reports the error
 * @param req The request
 * @param error The error
 */
export function failListener(app: ErrorReporter, req: object | undefined, error: unknown): void {
  app.reportError(error, { req, phase: "listener" });
  const { res, next } = (req ?? {}) as Walked;
  if (res === undefined || res.writableEnded) return;
  const failure = error || new Error(`A listener threw ${error}`);
  if (res.headersSent) res.destroy(failure instanceof Error ? failure : new Error(String(failure)));
  else next?.(failure);
}
