/**
 * Waits until something holds, asking every 10 ms; an error counts as "not yet".
 *
 * @param holds What is waited for
 * @param what Its name in the error
 * @param limitMs When to give up
 */
export async function until(holds: () => boolean | Promise<boolean>, what: string, limitMs = 5000): Promise<void> {
  const end = performance.now() + limitMs;
  for (;;) {
    let cause: unknown;
    try {
      if (await holds()) return;
    } catch (error) {
      cause = error;
    }
    if (performance.now() > end) throw new Error(`Not within ${limitMs} ms: ${what}`, { cause });
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
