import type { ServerHttp2Session } from "node:http2";

/** Node's own timer, not a test's fake one, which does not delay clients. */
const { setTimeout, clearTimeout } = globalThis;

/** A session's time limits, read when it starts; 0 means no limit. */
interface Limits {
  /** Time for the first request to arrive, in ms, as for a request's head over HTTP/1.1. */
  readonly headersTimeout: number;
  /** Time from a response to the next request, in ms. */
  readonly keepAliveTimeout: number;
}

/**
 * Closes an HTTP/2 connection without requests, as Node does over HTTP/1.1. Node's session timeout would restart with
 * every ping.
 *
 * @param session The session
 * @param limits Its time limits
 */
export function closeWhenIdle(session: ServerHttp2Session, limits: Limits): void {
  let open = 0;
  let timer: ReturnType<typeof setTimeout> | undefined = undefined;
  const wait = (ms: number): void => {
    if (ms > 0) timer = setTimeout(() => session.close(), ms).unref();
  };
  session.on("stream", (stream) => {
    open++;
    clearTimeout(timer);
    stream.once("close", () => {
      if (--open === 0 && !session.closed) wait(limits.keepAliveTimeout);
    });
  });
  session.once("close", () => clearTimeout(timer));
  wait(limits.headersTimeout);
}
