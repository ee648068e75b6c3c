/**
 * Origin of an error that none of the program's handlers received:
 *
 * - `"handler"`: handlers and middleware, even after the response was sent, if no error handler handles it. Includes
 *   client errors, with a status below 500: check `error.status`
 * - `"response"`: a body being sent: a file, or a stream from a returned `Response`, from `res.send` or from a pipe
 * - `"background"`: work passed to `req.waitUntil`
 * - `"listener"`: the program's listener or callback, called by the framework: events on requests, responses and
 *   sockets, callbacks for `res.write`, `res.end`, `res.sendFile`, `app.listen` and `app.close`
 * - `"view"`: the callback for `res.render` or `app.render`
 * - `"websocket"`: a handler for a WebSocket without an `error` handler
 * - `"connection"`: a client violated the protocol: a malformed request, a failed TLS handshake, an invalid frame. Any
 *   client can cause these, so they go only to listeners, never to the console
 * - `"broker"`: the broker that carries topics to other processes, such as Redis
 * - `"limiter"`: a rate limiter's store
 * - `"server"`: the server itself, outside any request: it cannot accept connections, or could not listen again
 * - `"telemetry"`: a monitoring agent: a span, a context or a channel that is incomplete or throws. Each kind of call
 *   is reported once per application, and requests are served without it
 */
export type ErrorPhase =
  | "handler"
  | "response"
  | "background"
  | "listener"
  | "view"
  | "websocket"
  | "connection"
  | "broker"
  | "limiter"
  | "server"
  | "telemetry";

/** An error's context. */
export interface ErrorContext {
  /** The request it belongs to, if any. */
  readonly req?: object | undefined;
  /** Its origin. */
  readonly phase: ErrorPhase;
  /**
   * Whether the runtime is about to report the same error itself, because the body it sends fails.
   *
   * @internal
   */
  readonly isTold?: boolean;
}
