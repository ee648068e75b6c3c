/** Mutual exclusion between processes. */

/**
 * Runs work while no other process does the same.
 *
 * @param lock The lock file for the work
 * @param work The work
 */
export async function alone<T>(lock: URL, work: () => Promise<T>): Promise<T> {
  await Deno.mkdir(new URL("./", lock), { recursive: true });
  using file = await Deno.open(lock, { create: true, write: true });
  // the system releases the lock when a process dies
  await file.lock(true);
  return await work();
}
