import type { FileStat, FileSystem, WholeFile } from "../http/file_system.ts";
import { HttpError } from "../http/http_error.ts";
import { TwoGenerations } from "../http/two_generations.ts";

/** A file that exists. */
export interface FoundFile {
  /** Its path. */
  readonly path: string;
  /** What is known of it. */
  readonly stat: FileStat;
  /** The file, if it was opened to learn that; whoever looked for it closes it. */
  readonly opened?: WholeFile;
}

/** Names to try: one or several, in order. */
type Names = string | readonly string[] | false | undefined;

/** The path is a folder; the caller decides what to do. */
class DirectoryError extends Error {
  /** Node's code for it. */
  readonly code = "EISDIR";
  /** The folder. */
  readonly path: string;

  /** @param path The folder */
  constructor(path: string) {
    super("EISDIR, read");
    this.path = path;
  }
}

/**
 * Paths of regular files that were sent whole. Such a file is opened, and the open one asked for its size and date: that
 * saves a trip to another thread, and they are those of the content that is sent, even if the file is being replaced.
 * Other paths are asked first, because opening a pipe would wait for somebody to write into it.
 */
const sentWhole = new TwoGenerations<true>(128);

/**
 * Notes that a regular file is sent whole.
 *
 * @param path The file
 */
export function noteSentWhole(path: string): void {
  sentWhole.set(path, true);
}

/**
 * Looks for the file that a path leads to.
 *
 * @param files The file system
 * @param path The path; with a slash at the end a folder, of which an index file is wanted
 * @param extensions Extensions to try when there is no such file
 * @param index Files to try in a folder
 * @returns The file
 * @throws {HttpError} 404 if there is none, 500 if the file system fails
 * @throws {DirectoryError} If the path leads to a folder without an index file
 */
export async function findFile(
  files: FileSystem,
  path: string,
  extensions: Names,
  index: Names,
): Promise<FoundFile> {
  if (path.endsWith("/")) return await findIndex(files, path, index);
  const exact = await find(files, path);
  if (exact?.stat.isDirectory) throw new DirectoryError(path);
  if (exact !== null) return exact;
  if (extensions && !/\.[^./]*$/.test(path)) {
    for (const extension of [extensions].flat() as string[]) {
      const found = await find(files, `${path}.${extension}`);
      if (found !== null && !found.stat.isDirectory) return found;
    }
  }
  throw notFound(path);
}

async function findIndex(files: FileSystem, folder: string, index: Names): Promise<FoundFile> {
  for (const name of index ? [index].flat() as string[] : []) {
    const found = await find(files, folder + name);
    if (found !== null && !found.stat.isDirectory) return found;
  }
  if (!index) {
    const stat = await statOrNull(files, folder.slice(0, -1) || "/");
    if (stat?.isDirectory) throw new DirectoryError(folder);
  }
  throw notFound(folder);
}

async function find(files: FileSystem, path: string): Promise<FoundFile | null> {
  const { openWhole } = files;
  if (openWhole !== undefined && sentWhole.get(path)) {
    const opened = await openAgain(openWhole, path);
    if (opened !== null) return opened;
  }
  const stat = await statOrNull(files, path);
  return stat === null ? null : { path, stat };
}

async function openAgain(open: NonNullable<FileSystem["openWhole"]>, path: string): Promise<FoundFile | null> {
  let opened: WholeFile | undefined;
  try {
    opened = await open(path);
    const stat = opened.stat();
    if (stat.isFile) return { path, stat, opened };
  } catch {
    // it is looked for in the ordinary way now, which fails with the same reason, or finds something else
  }
  opened?.close();
  sentWhole.delete(path);
  return null;
}

// paths that cannot exist are not found; all other errors are the server's
async function statOrNull(files: FileSystem, path: string): Promise<FileStat | null> {
  try {
    return await files.stat(path);
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    if (code === "ENAMETOOLONG") throw notFound(path, code, "name too long");
    throw new HttpError(500, (error as Error).message, { cause: error, code });
  }
}

function notFound(path: string, code = "ENOENT", reason = "no such file or directory"): HttpError {
  const message = `${code}: ${reason}, stat '${path}'`;
  return new HttpError(404, message, { code, syscall: "stat", path, expose: false });
}
