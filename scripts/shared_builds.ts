/**
 * Packages for tests and benchmarks. Building is slow, and each of their files is a separate program. The first program
 * builds, and all other programs share the result until any package source changes.
 */
import { alone } from "./alone.ts";
import { buildPackages } from "./build.ts";
import { buildExpress, buildNpm, buildProgram, type Built } from "./build_npm.ts";
import { digestOfSources } from "./built_from.ts";
import { REPOSITORY } from "./npm_manifest.ts";
import { run } from "./process.ts";

const ROOT = new URL("../", import.meta.url);
const FOLDER = new URL(".cache/builds/", ROOT);

/** Age at which a build from earlier sources is no longer in use, in ms. */
const DAY_MS = 24 * 60 * 60 * 1000;

/** The packages on npm. */
export interface NpmPackages {
  /** The libraries, each after its dependencies. */
  readonly libraries: readonly Built[];
  /** `@sluice/express`, for each Express major. */
  readonly express: readonly Built[];
  /** The scaffolding program. */
  readonly program: Built;
}

let npm: Promise<NpmPackages> | undefined;
let jsr: Promise<URL> | undefined;

/**
 * Returns the packages for npm. Their files are shared: do not modify them.
 *
 * @throws {Error} If they cannot be built
 */
export function npmPackages(): Promise<NpmPackages> {
  return npm ??= builtNpm();
}

/**
 * Returns the packages for JSR. Their files are shared: do not modify them.
 *
 * @returns Their folder
 * @throws {Error} If they cannot be built
 */
export function jsrPackages(): Promise<URL> {
  return jsr ??= builtOnce("jsr", buildPackages);
}

async function builtNpm(): Promise<NpmPackages> {
  const { output: version } = await run("npm", ["--version"], { limitMs: 20_000, quiet: true });
  const folder = await builtOnce(`npm-${version.trim()}`, async (to) => {
    const built = [
      ...await buildNpm(to, REPOSITORY),
      ...await buildExpress(to, REPOSITORY),
      await buildProgram(to, REPOSITORY),
    ];
    const paths = built.map((one) => ({ ...one, folder: below(to, one.folder), tarball: below(to, one.tarball) }));
    await Deno.writeTextFile(new URL("built.json", to), JSON.stringify(paths));
    // its file for models is generated from the pages
  }, digestOfSources);
  const paths: (Omit<Built, "folder" | "tarball"> & { folder: string; tarball: string })[] = JSON.parse(
    await Deno.readTextFile(new URL("built.json", folder)),
  );
  const built = paths.map((one) => ({
    ...one,
    folder: new URL(one.folder, folder),
    tarball: new URL(one.tarball, folder),
  }));
  const express = built.filter(({ name }) => name === "@sluice/express");
  return {
    libraries: built.slice(0, -1).filter((one) => !express.includes(one)),
    express,
    program: built.at(-1)!,
  };
}

function below(folder: URL, { href }: URL): string {
  return href.slice(folder.href.length);
}

/**
 * Builds, unless another program has already built from files with the same contents. If a program is building, waits
 * for it.
 *
 * @param kind The kind of package
 * @param build Builds it into a folder
 * @param digestOf Computes a digest of its sources in a repository
 * @returns The folder that contains it
 */
export function builtOnce(
  kind: string,
  build: (to: URL) => Promise<void>,
  digestOf: (root: URL) => Promise<string> = digestOfSources,
): Promise<URL> {
  return alone(new URL("lock", FOLDER), async () => {
    for (;;) {
      const digest = await digestOf(ROOT);
      const folder = new URL(`${kind}-${digest}/`, FOLDER);
      if (await Deno.stat(folder).catch(() => null) !== null) return folder;
      await removeOld();
      // a folder with the final name is complete, and no source changed during the build
      const unfinished = new URL(`${kind}-unfinished/`, FOLDER);
      await build(unfinished);
      if (await digestOf(ROOT) === digest) await Deno.rename(unfinished, folder);
    }
  });
}

async function removeOld(): Promise<void> {
  for await (const { name, isDirectory } of Deno.readDir(FOLDER)) {
    const folder = new URL(name, FOLDER);
    if (!isDirectory || Date.now() - Number((await Deno.stat(folder)).mtime) < DAY_MS) continue;
    await Deno.remove(folder, { recursive: true });
  }
}
