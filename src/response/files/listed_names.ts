import type { FileStat, FileSystem } from "../../exchange/file_system.ts";
import { asciiLowerCase } from "../../util/ascii.ts";
import { isCaseSignificant } from "../../util/case_sensitivity.ts";
import { separatorBelow } from "../../util/file_paths.ts";
import { GenerationalCache } from "../../util/generational_cache.ts";

/**
 * Checks that requests use the names that folders list.
 *
 * Most Windows and macOS disks also find a file under other names: in a different case, in a different Unicode
 * normalization, with a trailing dot or `::$DATA`, or by a short name such as `ADMINI~1`. A guard registered with
 * `app.use` covers one of these names, plus ASCII case variants unless routing is case-sensitive.
 */
export class ListedNames {
  /** `null` until a path reveals it. */
  #isExact: boolean | null = null;
  readonly #listed = new GenerationalCache<true>(128);

  /** Whether the disk finds files only under their exact names, so there is nothing to check. */
  get isExact(): boolean {
    return this.#isExact === true;
  }

  /**
   * Whether folders list each part of an existing path.
   *
   * @param files The file system
   * @param root The folder being served
   * @param path A path in it
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
  // disks and routers differ on letters outside ASCII
  return !isCaseSignificant && names.some((other) => asciiLowerCase(other) === asciiLowerCase(name));
}

/** `null` if the path does not reveal it. */
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
    // an inaccessible path is a different one: the path itself was accessible
    return ELSEWHERE.has(code ?? name ?? "") ? true : null;
  }
}

/** Node's codes, and Deno's name for a path that the program may not read. */
const ELSEWHERE: ReadonlySet<string> = new Set(["ENOENT", "ENOTDIR", "EACCES", "EPERM", "NotCapable"]);

function isSame(one: FileStat, other: FileStat): boolean {
  return one.size === other.size && one.mtimeMs === other.mtimeMs && one.isDirectory === other.isDirectory;
}
