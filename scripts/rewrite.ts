/**
 * Changes a text file.
 *
 * @param file The file
 * @param change Makes the new text of the old one
 */
export async function rewrite(file: URL, change: (text: string) => string): Promise<void> {
  await Deno.writeTextFile(file, change(await Deno.readTextFile(file)));
}
