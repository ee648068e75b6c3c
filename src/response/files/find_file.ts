import { extensionOf, separatorBelow } from "../../util/file_paths.ts";
import type { FileStat, FileSystem, WholeFile } from "../../exchange/file_system.ts";
import { HttpError } from "../../http/http_error.ts";
import { rankEncodings } from "../../http/negotiation.ts";
import { GenerationalCache } from "../../util/generational_cache.ts";

/** A coding in which a file may be stored next to the original. */
export type FileCoding = "br" | "zstd" | "gzip";

/** Extensions of such files, ordered by size with the best compression. */
export const CODED_ENDINGS: Readonly<Record<FileCoding, string>> = { br: ".br", zstd: ".zst", gzip: ".gz" };

/** A file that exists. */
export interface FoundFile {
  /** Its path. */
  readonly path: string;
  /** Its size, date and other metadata. */
  readonly stat: FileStat;
  /** The file, if it was opened to read its metadata; the caller closes it. */
  readonly opened?: WholeFile;
  /** If stored in a coding: which one, and the original's path. */
  readonly coded?: { readonly as: FileCoding; readonly from: string };
}

/** The error for a file that does not exist, with Node's code. */
type Missing = HttpError & { readonly code: string };

/** Names to try: one or several, in order. */
type Names = string | readonly string[] | false | undefined;

/** The path is a folder; the caller decides how to proceed. */
export class DirectoryError extends Error {
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
 * Paths of regular files that were sent whole. Such a file is opened first, and its size and date are read from the
 * open file. That saves a trip to another thread, and the values match the content even if the file is being replaced.
 * Other paths are checked before opening, because opening a pipe would wait for a writer.
 */
const sentWhole = new GenerationalCache<true>(1024);

/**
 * Records that a regular file is sent whole.
 *
 * @param path The file
 */
export function noteSentWhole(path: string): void {
  sentWhole.set(path, true);
}

/**
 * Finds the file that a path leads to.
 *
 * @param files The file system
 * @param path The path
 * @param extensions Extensions to try if the file does not exist
 * @param index Files to try in the folder; none if the path itself is wanted
 * @returns The file
 * @throws {HttpError} 404 if there is none, 500 if the file system fails
 * @throws {DirectoryError} If the path itself is wanted and is a folder
 */
export async function findFile(
  files: FileSystem,
  path: string,
  extensions: Names,
  index: Names,
): Promise<FoundFile> {
  const names = listOf(index);
  if (names.length > 0) return await findFirst(files, names.map((name) => path + name));
  const exact = await find(files, path);
  if (exact instanceof HttpError) {
    if (exact.code !== "ENOENT" || path.endsWith("/") || extensionOf(path, separatorBelow(path)) !== "") throw exact;
    return await findFirst(files, listOf(extensions).map((extension) => `${path}.${extension}`), exact);
  }
  if (exact.stat.isDirectory) throw new DirectoryError(path);
  if (!path.endsWith("/")) return exact;
  exact.opened?.close();
  throw notFound(path);
}

/**
 * Looks for an encoded copy next to a file.
 *
 * @param files The file system
 * @param plain The file itself
 * @param codings Codings to try, best first
 * @param accepted The request's `Accept-Encoding` header
 * @returns The existing copy in the client's preferred coding, or the file itself
 * @throws {HttpError} 500 if the file system fails
 */
export async function findCoded(
  files: FileSystem,
  plain: FoundFile,
  codings: readonly FileCoding[],
  accepted: string | undefined,
): Promise<FoundFile> {
  for (const as of rankEncodings(accepted, [...codings, "identity"]) as (FileCoding | "identity")[]) {
    if (as === "identity") break;
    const coded = await find(files, plain.path + CODED_ENDINGS[as]);
    if (!(coded instanceof HttpError) && coded.stat.isFile) {
      return { ...coded, coded: { as, from: plain.path } };
    }
  }
  return plain;
}

function listOf(names: Names): readonly string[] {
  return names ? [names].flat() as string[] : [];
}

async function findFirst(files: FileSystem, paths: readonly string[], failure?: Missing): Promise<FoundFile> {
  for (const path of paths) {
    const found = await find(files, path);
    if (found instanceof HttpError) failure = found;
    else if (!found.stat.isDirectory) return found;
  }
  throw failure ?? notFound(paths.at(-1)!);
}

/** The file, or the error for a missing file. */
async function find(files: FileSystem, path: string): Promise<FoundFile | Missing> {
  const { openWhole } = files;
  if (openWhole !== undefined && sentWhole.get(path)) {
    const opened = await openAgain(openWhole, path);
    if (opened !== null) return opened;
  }
  try {
    return { path, stat: await files.stat(path) };
  } catch (error) {
    const { code } = error as { code?: string };
    // paths that cannot exist count as not found; all other errors are the server's
    if (code !== undefined && Object.hasOwn(REASONS, code)) return notFound(path, code);
    throw new HttpError(500, (error as Error).message, { cause: error, code });
  }
}

async function openAgain(open: NonNullable<FileSystem["openWhole"]>, path: string): Promise<FoundFile | null> {
  let opened: WholeFile | undefined;
  try {
    opened = await open(path);
    const stat = opened.stat();
    if (stat.isFile) return { path, stat, opened };
  } catch {
    // now found the ordinary way, which fails for the same reason or finds something else
  }
  opened?.close();
  sentWhole.delete(path);
  return null;
}

/** Why the file was not found, by Node's error code. */
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "no such file or directory",
  ENOTDIR: "not a directory",
  ENAMETOOLONG: "name too long",
};

function notFound(path: string, code = "ENOENT"): Missing {
  const message = `${code}: ${REASONS[code]}, stat '${path}'`;
  return new HttpError(404, message, { code, syscall: "stat", path, expose: false }) as Missing;
}
