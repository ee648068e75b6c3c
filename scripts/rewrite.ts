/**
 * Changes a text file.
 *
 * @param file The file
 * @param change Returns its new contents, given the old
 */
export async function rewrite(file: URL, change: (text: string) => string): Promise<void> {
  await Deno.writeTextFile(file, change(await Deno.readTextFile(file)));
}
