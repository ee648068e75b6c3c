const SEQUENCE: unique symbol = Symbol.for("sluice.sequence");

/**
 * Number of requests and limiters created so far in this process. Shared by all copies of this module: npm may install
 * one for the program and another for its limiter.
 */
export const created: { last: number } = (globalThis as { [SEQUENCE]?: { last: number } })[SEQUENCE] ??= { last: 0 };

/** Key of a request's sequence number. */
export const requestSequence: unique symbol = Symbol.for("sluice.request.sequence");

/** The next sequence number for requests and limiters in this process. */
export function nextSequence(): number {
  return ++created.last;
}
