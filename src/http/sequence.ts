let sequence = 0;

/** Key of a request's number in the order of creation. */
export const requestSequence: unique symbol = Symbol.for("sluice.request.sequence");

/** The next number in the order of creation of requests and limiters in this process. */
export function nextSequence(): number {
  return ++sequence;
}
