/**
 * Where an error came from that reached no handler of the program:
 *
 * - `"handler"`: handlers and middleware, also after the response was sent; no error handler took it. Errors with a
 *   status below 500, which the client caused, are among them: look at `error.status`
 * - `"response"`: a body that was being sent: the stream of a returned `Response`, of `res.send` or of a pipe, a file
 * - `"background"`: work passed to `req.waitUntil`
 * - `"listener"`: a listener or callback of the program that the framework called: events of requests, responses and
 *   sockets, callbacks of `res.write`, `res.end`, `res.sendFile`, `app.listen` and `app.close`
 * - `"view"`: the callback of `res.render` or `app.render`
 * - `"websocket"`: a handler of a WebSocket without an `error` handler
 * - `"connection"`: a client that broke the protocol: a malformed request, a failed TLS handshake, an invalid frame.
 *   Whoever can connect causes these, so they go to listeners only, never to the console
 * - `"broker"`: what carries topics to other processes, such as Redis
 * - `"limiter"`: the store of a rate limiter
 * - `"server"`: the server itself, outside any request: it cannot accept connections, or could not listen again
 * - `"telemetry"`: a monitoring agent: a span, a context or a channel that is incomplete or throws. Each kind of call is
 *   reported once for an application, and requests are served without it
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

/** What is known of an error besides itself. */
export interface ErrorContext {
  /** The request it belongs to, if there is one. */
  readonly req?: object | undefined;
  /** Where it came from. */
  readonly phase: ErrorPhase;
  /**
   * Whether the runtime is about to tell the same error by itself, because the body that it sends fails.
   *
   * @internal
   */
  readonly isTold?: boolean;
}
