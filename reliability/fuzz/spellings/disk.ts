/** Disks in memory that find a file under other names than its own, as those of Windows and macOS do. */

/** What a disk takes for the same name. */
export type DiskKind = "exact" | "macOS" | "Windows";

/** What a name is compared by. */
const KEYS: Readonly<Record<DiskKind, (name: string) => string>> = {
  exact: (name) => name,
  // APFS: canonical decomposition and full case folding, which makes "ss" of a sharp s
  macOS: (name) => name.normalize("NFD").toUpperCase().toLowerCase().normalize("NFD"),
  // NTFS: one upper-case letter for one letter; Win32 strips dots and blanks from the end; streams follow a colon
  Windows: (name) => Array.from(name.replace(/:.*$/, "").replace(/[. ]+$/, ""), upperOne).join(""),
};

function upperOne(letter: string): string {
  const upper = letter.toUpperCase();
  return upper.length === letter.length ? upper : letter;
}

/** The short name that Windows keeps beside a long one, as for programs of 1993. */
function shortName(name: string): string {
  const dot = name.lastIndexOf(".");
  const [base, extension] = dot > 0 ? [name.slice(0, dot), name.slice(dot + 1)] : [name, ""];
  const letters = (text: string) => text.toUpperCase().replace(/[^A-Z\d_~@!-]/g, "");
  return `${letters(base).slice(0, 6)}~1${extension === "" ? "" : `.${letters(extension).slice(0, 3)}`}`;
}

/** The short name, as a client may ask for it. */
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
   * @param kind What it takes for the same name
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

  /** What an application has as its files. */
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
