/** Work that only one process may do at a time. */

/**
 * Waits until no other process does the same, and then does it.
 *
 * @param lock A file that stands for the work
 * @param work The work
 */
export async function alone<T>(lock: URL, work: () => Promise<T>): Promise<T> {
  await Deno.mkdir(new URL("./", lock), { recursive: true });
  using file = await Deno.open(lock, { create: true, write: true });
  // the system takes it from a process that ends in the middle
  await file.lock(true);
  return await work();
}
