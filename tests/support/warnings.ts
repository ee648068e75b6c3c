const LIMITERS_WARNED = Symbol.for("sluice.rate-limit.warned");

/**
 * Runs a function and returns its console warnings, although a limiter may have issued one of them in this process.
 *
 * @param name The limiter's name for the warning
 * @param body The function
 */
export function limiterWarningsOf(name: string, body: () => unknown): Promise<string[]> {
  (globalThis as { [LIMITERS_WARNED]?: Set<string> })[LIMITERS_WARNED]?.delete(name);
  return warningsOf(body);
}

/**
 * Runs a function and returns its console warnings.
 *
 * @param body The function
 */
export async function warningsOf(body: () => unknown): Promise<string[]> {
  const { warn } = console;
  const told: string[] = [];
  console.warn = (text) => void told.push(String(text));
  try {
    await body();
  } finally {
    console.warn = warn;
  }
  return told;
}
