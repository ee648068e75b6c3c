import { PATIENCE_MS } from "./patience.ts";

/**
 * Waits until a condition holds, checking every 10 ms; an error counts as "not yet". Gives up after {@linkcode
 * PATIENCE_MS}.
 *
 * @param holds The condition
 * @param what The condition's name in the error
 */
export async function until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    let cause: unknown;
    try {
      if (await holds()) return;
    } catch (error) {
      cause = error;
    }
    if (performance.now() > end) throw new Error(`Not within ${PATIENCE_MS} ms: ${what}`, { cause });
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
