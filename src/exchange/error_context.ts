/**
 * Where an error came from that no handler of the program received:
 *
 * - `"handler"`: handlers and middleware, even after the response was sent, if no error handler handled it. Includes
 *   errors caused by the client, with a status below 500: check `error.status`
 * - `"response"`: a body being sent: the stream of a returned `Response`, of `res.send` or of a pipe, or a file
 * - `"background"`: work passed to `req.waitUntil`
 * - `"listener"`: a listener or callback of the program that the framework called: events of requests, responses and
 *   sockets, callbacks of `res.write`, `res.end`, `res.sendFile`, `app.listen` and `app.close`
 * - `"view"`: the callback of `res.render` or `app.render`
 * - `"websocket"`: a handler of a WebSocket without an `error` handler
 * - `"connection"`: a client that violated the protocol: a malformed request, a failed TLS handshake, an invalid frame.
 *   Any client can cause these, so they go to listeners only, never to the console
 * - `"broker"`: the broker that carries topics to other processes, such as Redis
 * - `"limiter"`: the store of a rate limiter
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

/** Context of an error. */
export interface ErrorContext {
  /** The request it belongs to, if any. */
  readonly req?: object | undefined;
  /** Where it came from. */
  readonly phase: ErrorPhase;
  /**
   * Whether the runtime is about to report the same error itself, because the body that it sends fails.
   *
   * @internal
   */
  readonly isTold?: boolean;
}
