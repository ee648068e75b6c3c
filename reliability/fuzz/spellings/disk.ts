/** In-memory disks that find a file under names other than its own, as on Windows and macOS. */

/** A disk's name comparison. */
export type DiskKind = "exact" | "macOS" | "Windows";

/** The key by which a name is compared. */
const KEYS: Readonly<Record<DiskKind, (name: string) => string>> = {
  exact: (name) => name,
  // APFS: canonical decomposition and full case folding, which turns a sharp s into "ss"
  macOS: (name) => name.normalize("NFD").toUpperCase().toLowerCase().normalize("NFD"),
  // NTFS: one uppercase letter per letter; Win32 strips trailing dots and spaces; streams follow a colon
  Windows: (name) => Array.from(name.replace(/:.*$/, "").replace(/[. ]+$/, ""), upperOne).join(""),
};

function upperOne(letter: string): string {
  const upper = letter.toUpperCase();
  return upper.length === letter.length ? upper : letter;
}

/** The short name that Windows stores for a long name, for programs from 1993. */
function shortName(name: string): string {
  const dot = name.lastIndexOf(".");
  const [base, extension] = dot > 0 ? [name.slice(0, dot), name.slice(dot + 1)] : [name, ""];
  const letters = (text: string) => text.toUpperCase().replace(/[^A-Z\d_~@!-]/g, "");
  return `${letters(base).slice(0, 6)}~1${extension === "" ? "" : `.${letters(extension).slice(0, 3)}`}`;
}

/** The short name, which a client may request. */
export { shortName };

type Folder = Map<string, Folder | string>;

function missing(path: string): Error {
  return Object.assign(new Error(`ENOENT: ${path}`), { code: "ENOENT" });
}

/** A disk with some files. */
export class Disk {
  readonly #kind: DiskKind;
  readonly #top: Folder = new Map();

  /**
   * @param kind Its name comparison
   * @param files Contents by path
   */
  constructor(kind: DiskKind, files: Readonly<Record<string, string>>) {
    this.#kind = kind;
    for (const [path, content] of Object.entries(files)) {
      const names = path.split("/").filter((name) => name !== "");
      let folder = this.#top;
      for (const name of names.slice(0, -1)) {
        const below = folder.get(name) ?? new Map();
        folder.set(name, below);
        folder = below as Folder;
      }
      folder.set(names.at(-1)!, content);
    }
  }

  /** An application's `files`. */
  get files(): object {
    const find = (path: string) => this.#find(path);
    const stat = (path: string) => {
      const found = find(path);
      const isFile = typeof found === "string";
      return { isFile, isDirectory: !isFile, size: isFile ? found.length : 0, mtimeMs: 1 };
    };
    return {
      stat: (path: string) => Promise.resolve().then(() => stat(path)),
      statSync: stat,
      names: (path: string) => Promise.resolve([...(find(path) as Folder).keys()]),
      readBytes: (path: string) => Promise.resolve(new TextEncoder().encode(find(path) as string)),
      wholeBytes: 64 * 1024,
      workingDirectory: () => "/",
    };
  }

  #find(path: string): Folder | string {
    const keyOf = KEYS[this.#kind];
    let found: Folder | string = this.#top;
    for (const name of path.split(this.#kind === "Windows" ? /[\\/]/ : "/")) {
      if (name === "") continue;
      if (typeof found === "string") throw missing(path);
      const key = keyOf(name);
      const [, below]: (Folder | string)[] = [...found].find(([other]) => this.#isNamed(other, name, key, keyOf)) ?? [];
      if (below === undefined) throw missing(path);
      found = below;
    }
    return found;
  }

  #isNamed(own: string, asked: string, key: string, keyOf: (name: string) => string): boolean {
    return keyOf(own) === key || (this.#kind === "Windows" && shortName(own) === asked.toUpperCase());
  }
}
