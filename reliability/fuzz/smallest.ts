/** Maximum number of attempts to shrink a finding. */
const MOST_ATTEMPTS = 400;

/**
 * Removes steps, and replaces the remaining ones with simpler ones, as long as they still fail (delta debugging).
 *
 * @param steps Failing steps
 * @param fails Whether some steps fail in the same way
 * @param simpler Simpler forms for a step
 * @returns The fewest and simplest steps found
 */
export async function smallest<Step>(
  steps: readonly Step[],
  fails: (steps: readonly Step[]) => Promise<boolean>,
  simpler: (step: Step) => Iterable<Step>,
): Promise<readonly Step[]> {
  let attempts = 0;
  const stillFails = async (some: readonly Step[]) => attempts++ < MOST_ATTEMPTS && await fails(some);
  let best = steps;
  for (let size = Math.ceil(best.length / 2);; size = Math.ceil(size / 2)) {
    for (let from = 0; from < best.length && best.length > 1;) {
      const fewer = [...best.slice(0, from), ...best.slice(from + size)];
      if (fewer.length > 0 && await stillFails(fewer)) best = fewer;
      else from += size;
    }
    if (size === 1) break;
  }
  for (let i = 0; i < best.length; i++) {
    for (let again = true; again;) {
      again = false;
      for (const form of simpler(best[i]!)) {
        const replaced = best.with(i, form);
        if (!await stillFails(replaced)) continue;
        best = replaced;
        again = true;
        break;
      }
      if (attempts >= MOST_ATTEMPTS) return best;
    }
  }
  return best;
}

/**
 * This list without one of its parts, for every part, large ones first. Most steps derive their simpler forms from it.
 */
export function* shorter<T>(list: readonly T[]): Generator<T[]> {
  for (let size = Math.ceil(list.length / 2); size > 0; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < list.length; from += size) yield [...list.slice(0, from), ...list.slice(from + size)];
  }
}
