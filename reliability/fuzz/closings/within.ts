/**
 * Waits for work, but not forever.
 *
 * @param ms Time limit in ms
 * @param work The work
 * @returns Its result, or `undefined` if it takes longer
 */
export async function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  const timed: { stop?: () => void } = {};
  const late = new Promise<undefined>((resolve) => {
    const timer = setTimeout(() => resolve(undefined), ms);
    timed.stop = () => clearTimeout(timer);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    timed.stop?.();
  }
}
