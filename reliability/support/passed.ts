/**
 * Waits.
 *
 * @param ms How long; not at all for what is not positive
 */
export function passed(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)));
}
