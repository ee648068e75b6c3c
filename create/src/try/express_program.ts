/** The Express program to try. */
import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { codeOf, UserError } from "../user_error.ts";

/** An installed Express. */
export interface InstalledExpress {
  /** Its folder, relative to the program's. */
  readonly folder: string;
  /** Its version. */
  readonly version: string;
  /** Its major version: 4 or 5. */
  readonly major: 4 | 5;
}

/** The program to try. */
export interface ExpressProgram {
  /** Its folder. */
  readonly folder: string;
  /** The Express that it requires directly. */
  readonly express: InstalledExpress;
  /** Every Express in its `node_modules`, including its packages' own. */
  readonly installed: readonly InstalledExpress[];
  /** The script `test` in its `package.json`. */
  readonly testScript: string | undefined;
}

interface Manifest {
  readonly name?: string;
  readonly version?: string;
  readonly scripts?: Readonly<Record<string, string>>;
}

/**
 * Inspects the program in a folder.
 *
 * @param folder The folder
 * @throws {UserError} If the folder has no Express program, or its packages are not installed
 */
export async function expressProgram(folder: string): Promise<ExpressProgram> {
  const manifest = await readManifest(folder);
  if (manifest === undefined) throw new UserError(`${folder} has no package.json: run this in the folder of a program`);
  const installed = await installedExpress(folder);
  // the program's own copy precedes those in its packages and in workspace packages
  const [express] = installed.toSorted((one, other) => depthOf(one) - depthOf(other));
  if (express === undefined) {
    const isInstalled = await readdir(join(folder, "node_modules")).then(() => true, () => false);
    throw new UserError(
      isInstalled
        ? "Neither this program nor its packages use Express 4 or 5, so there is nothing to replace"
        : "There is no Express 4 or 5 in node_modules: run this in the folder where the program's packages are installed",
    );
  }
  const { test } = manifest.scripts ?? {};
  // the default of npm init
  const testScript = test?.includes("no test specified") ? undefined : test;
  return { folder, express, installed, testScript };
}

function depthOf({ folder }: InstalledExpress): number {
  return folder.split("node_modules").length;
}

async function readManifest(folder: string): Promise<Manifest | undefined> {
  const path = join(folder, "package.json");
  try {
    return JSON.parse(await readFile(path, "utf8"));
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw new UserError(`${path} cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

async function installedExpress(folder: string): Promise<InstalledExpress[]> {
  const found: InstalledExpress[] = [];
  const look = async (modules: string, isOwn = false): Promise<void> => {
    const entries = await readdir(modules, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const path = join(modules, entry.name);
      // pnpm links to the folders in .pnpm, except for the program's own
      if (entry.name === "express" && (isOwn || entry.isDirectory())) await note(path);
      if (!entry.isDirectory()) continue;
      if (entry.name === ".pnpm") await lookBelow(path);
      else if (entry.name.startsWith("@")) await lookBelow(path);
      else await look(join(path, "node_modules"));
    }
  };
  const lookBelow = async (path: string): Promise<void> => {
    for (const entry of await readdir(path, { withFileTypes: true })) {
      if (entry.isDirectory()) await look(join(path, entry.name, "node_modules"));
    }
  };
  const note = async (path: string): Promise<void> => {
    const { name, version = "" } = await readManifest(path) ?? {};
    const major = Number(version.split(".")[0]);
    if (name === "express" && (major === 4 || major === 5)) {
      found.push({ folder: relative(folder, path), version, major });
    }
  };
  // workspace packages may have their own packages
  const lookInside = async (path: string): Promise<void> => {
    await look(join(path, "node_modules"), true);
    for (const entry of await readdir(path, { withFileTypes: true })) {
      const isHidden = entry.name === "node_modules" || entry.name.startsWith(".");
      if (entry.isDirectory() && !isHidden) await lookInside(join(path, entry.name));
    }
  };
  await lookInside(folder);
  return found;
}
