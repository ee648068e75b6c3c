/** Shared by all copies of this module: npm may install one for the program and another one for its limiter. */
const created: { last: number } = /* @__PURE__ */ sharedCount();

/** Key of a request's number in the order of creation. */
export const requestSequence: unique symbol = Symbol.for("sluice.request.sequence");

/** The next number in the order of creation of requests and limiters in this process. */
export function nextSequence(): number {
  return ++created.last;
}

function sharedCount(): { last: number } {
  const key = Symbol.for("sluice.sequence");
  const holder = globalThis as { [key]?: { last: number } };
  return holder[key] ??= { last: 0 };
}
