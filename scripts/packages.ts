/** This repository's packages, and the first steps in building them for any registry. */
import { cp, rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { copyInternals } from "./copy_internals.ts";
import { installLocked } from "./locked_packages.ts";

const ROOT = new URL("../", import.meta.url);

/** A package, in the repository and in the build. */
export interface Package {
  /** Its folder. */
  readonly path: string;
  /**
   * npm packages bundled into it, at the versions in `tests/deno.lock`: everything its `mod.ts` loads. Other packages
   * stay external, so that their fixes reach users and each is loaded once.
   */
  readonly included: readonly string[];
}

/** The libraries. */
export const PACKAGES: readonly Package[] = [
  {
    path: "./",
    included: [
      "content-disposition",
      "content-type",
      "cookie-es",
      "encodeurl",
      "path-to-regexp",
      "type-is",
    ],
  },
  { path: "./advanced/", included: [] },
  { path: "./middleware/", included: [] },
  { path: "./openapi/", included: [] },
];

/** The scaffolding program; it needs no other package at run time. */
export const CREATE: Package = { path: "./create/", included: [] };

/** The libraries' folders, for tests. */
export const LIBRARY_FOLDERS: readonly string[] = PACKAGES.map(({ path }) => path);

/** Folders of all packages. */
export const FOLDERS: readonly string[] = [...PACKAGES, CREATE].map(({ path }) => path);

/** The part of a `deno.json` used here. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  /** Entry points: import specifiers and their files. */
  readonly exports: Readonly<Record<string, string>>;
  readonly imports: Readonly<Record<string, string>>;
  readonly publish: { readonly include: readonly string[] };
}

/**
 * Reads a package's manifest.
 *
 * @param path The package's folder
 */
export async function manifestOf(path: string): Promise<Manifest> {
  return JSON.parse(await Deno.readTextFile(new URL(`${path}deno.json`, ROOT)));
}

/** Names of all libraries in this repository and in `deno.json`. */
export async function knownPackages(): Promise<string[]> {
  const manifests = await Promise.all(PACKAGES.map(({ path }) => manifestOf(path)));
  return manifests.flatMap(({ name, imports }) => [name, ...Object.keys(imports)]);
}

/**
 * Returns a package's entry points by file name.
 *
 * @param manifest Its manifest
 * @returns For example `{ mod: "./mod.ts" }`
 */
export function entriesOf({ exports }: Manifest): Record<string, string> {
  return Object.fromEntries(Object.values(exports).map((path) => [path.slice("./".length, -".ts".length), path]));
}

/**
 * Copies a package's sources into a folder, and installs the packages to bundle next to them: the bundler records each
 * module's path, and this way no path is specific to this machine.
 *
 * @param folder The folder, which is emptied
 * @param built The package
 */
export async function stage(folder: URL, { path, included }: Package): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await installLocked(folder, included);
  const { publish } = await manifestOf(path);
  for (const name of publish.include) {
    const from = new URL(`${path}${name}`, ROOT);
    // a nested deno.json would make its folder a second workspace member
    const filter = (source: string) => source === fileURLToPath(from) || !source.endsWith("/deno.json");
    await cp(from, new URL(name, folder), { recursive: true, filter });
  }
  await copyInternals(folder);
}

/** Removes the packages {@linkcode stage} has installed. */
export async function unstage(folder: URL): Promise<void> {
  // `deno.json` is the package's own by now
  for (const name of ["node_modules/", "package.json", "deno.lock", "installed.json"]) {
    await rm(new URL(name, folder), { recursive: true, force: true });
  }
}

/**
 * Returns the bundled packages' licenses, which must be distributed with the code.
 *
 * @param folder Where they are installed
 * @param names Their names
 * @throws {Error} If a package has no license
 */
export async function licensesOf(folder: URL, names: readonly string[]): Promise<string> {
  const texts = await Promise.all(names.map(async (name) => {
    const own = new URL(`node_modules/${name}/`, folder);
    const files = await Array.fromAsync(Deno.readDir(own));
    const license = files.find((file) => /^licen[cs]e/i.test(file.name));
    if (license === undefined) throw new Error(`the package "${name}" has no license`);
    const { version } = JSON.parse(await Deno.readTextFile(new URL("package.json", own)));
    return `${name} ${version}\n\n${await Deno.readTextFile(new URL(license.name, own))}`;
  }));
  return texts.join(`\n${"-".repeat(80)}\n\n`);
}
