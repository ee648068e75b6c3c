/**
 * Runs a function with its own `performance.now()`, which stands still until it is set.
 *
 * @param run Gets a function that sets the clock to this many ms after the start
 */
export async function withOwnClock(run: (setTo: (ms: number) => void) => Promise<void>): Promise<void> {
  const start = performance.now();
  let now = start;
  const own = Object.getOwnPropertyDescriptor(performance, "now");
  Object.defineProperty(performance, "now", { value: () => now, configurable: true, writable: true });
  try {
    await run((ms) => void (now = start + ms));
  } finally {
    if (own === undefined) delete (performance as { now?: unknown }).now;
    else Object.defineProperty(performance, "now", own);
  }
}
