const SEQUENCE: unique symbol = Symbol.for("sluice.sequence");

/**
 * Requests and limiters created so far in this process. Shared by all copies of this module: npm may install one for the
 * program and another one for its limiter.
 */
export const created: { last: number } = (globalThis as { [SEQUENCE]?: { last: number } })[SEQUENCE] ??= { last: 0 };

/** Key of a request's number in the order of creation. */
export const requestSequence: unique symbol = Symbol.for("sluice.request.sequence");

/** The next number in the order of creation of requests and limiters in this process. */
export function nextSequence(): number {
  return ++created.last;
}
