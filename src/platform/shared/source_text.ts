import type { FileStat } from "../../exchange/file_system.ts";

/** Bytes of the largest file that is read: bundles have a few million. */
const MOST = 16 * 1024 * 1024;

/**
 * Text of a source file, for `FileSystem.sourceText`.
 *
 * @param path Path of the file
 * @param stat Looks it up
 * @param read Reads it
 * @returns The text; `undefined` if the file is too large or no regular one, or cannot be read
 */
export function sourceText(
  path: string,
  stat: (path: string) => FileStat,
  read: (path: string) => string,
): string | undefined {
  try {
    const { isFile, size } = stat(path);
    // reading a pipe would wait for whoever writes to it
    return isFile && size <= MOST ? read(path) : undefined;
  } catch {
    // it is gone, or was on another machine; the page has the stack all the same
    return undefined;
  }
}
