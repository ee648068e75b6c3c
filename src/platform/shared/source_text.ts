import type { FileStat } from "../../exchange/file_system.ts";

/** Maximum bytes to read from a file: bundles have a few million. */
const MOST = 16 * 1024 * 1024;

/**
 * A source file's content as a string, for `FileSystem.sourceText`.
 *
 * @param path Path of the file
 * @param stat Looks it up
 * @param read Reads it
 * @returns The string; `undefined` if the file is too large, not a regular file, or cannot be read
 */
export function sourceText(
  path: string,
  stat: (path: string) => FileStat,
  read: (path: string) => string,
): string | undefined {
  try {
    const { isFile, size } = stat(path);
    // reading a pipe would wait for its writer
    return isFile && size <= MOST ? read(path) : undefined;
  } catch {
    // it was removed or was on a different machine; the page shows the stack regardless
    return undefined;
  }
}
