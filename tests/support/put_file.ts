/** Files that several processes write at once, with the same contents. No process ever sees a partial file. */

/**
 * Creates or replaces a file.
 *
 * @param path Its path
 * @param make Writes it to a different path in the same folder
 */
export async function putFile(path: string, make: (path: string) => Promise<void>): Promise<void> {
  // the writer may depend on its extension
  const own = path.replace(/[^/]*$/, (name) => `${crypto.randomUUID()}.${name}`);
  await make(own);
  await Deno.rename(own, path);
}

/**
 * Copies a file.
 *
 * @param from The file
 * @param to Path of the copy
 */
export async function placeCopy(from: URL, to: string): Promise<void> {
  await putFile(to, (path) => Deno.copyFile(from, path));
}
