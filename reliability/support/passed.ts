/**
 * Waits.
 *
 * @param ms Time in ms; returns without waiting unless positive
 */
export function passed(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)));
}
