import type { FileStat, FileSystem } from "../../exchange/file_system.ts";
import { asciiLowerCase } from "../../util/ascii.ts";
import { isCaseSignificant } from "../../util/case_sensitivity.ts";
import { separatorBelow } from "../../util/file_paths.ts";
import { GenerationalCache } from "../../util/generational_cache.ts";

/**
 * Checks that files are requested by the names that their folders list.
 *
 * Most disks of Windows and macOS find a file by other names, too: in other case, in another Unicode normalization, with
 * a dot or `::$DATA` at the end, or by a short name such as `ADMINI~1`. A guard of `app.use` covers one of these names,
 * and ASCII letters in either case unless routing is case-sensitive.
 */
export class ListedNames {
  /** `null` until a path has told. */
  #isExact: boolean | null = null;
  readonly #listed = new GenerationalCache<true>(128);

  /** Whether the disk finds files by their names only, so that there is nothing to check. */
  get isExact(): boolean {
    return this.#isExact === true;
  }

  /**
   * Whether folders list the parts of a path that leads to something.
   *
   * @param files The file system
   * @param root The folder that is served
   * @param path The path of something in it
   */
  async has(files: FileSystem, root: string, path: string): Promise<boolean> {
    this.#isExact ??= await isExact(files, root, path);
    if (this.#isExact) return true;
    const key = `${isCaseSignificant ? "=" : "~"}${path}`;
    if (this.#listed.get(key)) return true;
    let folder = root;
    for (const name of path.slice(root.length).split("/")) {
      if (name === "") continue;
      if (!isAmong(name, await files.names(folder))) return false;
      folder = `${folder}${folder.endsWith("/") ? "" : "/"}${name}`;
    }
    this.#listed.set(key, true);
    return true;
  }
}

function isAmong(name: string, names: readonly string[]): boolean {
  if (names.includes(name)) return true;
  // with letters outside of ASCII, disks and routers differ
  return !isCaseSignificant && names.some((other) => asciiLowerCase(other) === asciiLowerCase(name));
}

/** `null` if the path does not tell. */
async function isExact(files: FileSystem, root: string, path: string): Promise<boolean | null> {
  if (separatorBelow(root) === undefined) return false;
  const below = path.slice(root.length);
  const other = below.replace(/\p{Ll}|\p{Lu}/gu, (letter) => {
    const lower = letter.toLowerCase();
    return letter === lower ? letter.toUpperCase() : lower;
  });
  if (other === below) return null;
  try {
    return !isSame(await files.stat(root + other), await files.stat(path));
  } catch (error) {
    const { code, name } = error as { code?: string; name?: string };
    // what may not be seen is something else: the path itself was seen
    return ELSEWHERE.has(code ?? name ?? "") ? true : null;
  }
}

/** Node's codes, and Deno's name for a path that the program may not read. */
const ELSEWHERE: ReadonlySet<string> = new Set(["ENOENT", "ENOTDIR", "EACCES", "EPERM", "NotCapable"]);

function isSame(one: FileStat, other: FileStat): boolean {
  return one.size === other.size && one.mtimeMs === other.mtimeMs && one.isDirectory === other.isDirectory;
}
