import type { ServerHttp2Session } from "node:http2";

/** Node's own, not a test's fake timers, which do not delay clients. */
const { setTimeout, clearTimeout } = globalThis;

/** The time limits of a session, read when one starts; 0 for none. */
interface Limits {
  /** ms for the first request, as for the head of one over HTTP/1.1. */
  readonly headersTimeout: number;
  /** ms from a response to the next request. */
  readonly keepAliveTimeout: number;
}

/**
 * Closes an HTTP/2 connection without requests, as Node does over HTTP/1.1. The timeout of Node's session would restart
 * with every ping.
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
