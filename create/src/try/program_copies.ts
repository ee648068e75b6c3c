/** Copies of the program: one unchanged, and one with Sluice in place of Express. */
import { constants } from "node:fs";
import { cp, lstat, mkdir, mkdtemp, readdir, readFile, realpath, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative, sep } from "node:path";
import { UserError } from "../user_error.ts";
import type { ExpressProgram } from "./express_program.ts";
import { lastLines, runCommand } from "./run_command.ts";

/** Name of the package that replaces Express. */
export const ALIAS = "@sluice/express";

/** Time limit for npm to install it, in ms. */
const INSTALL_MS = 5 * 60_000;

/** The two copies. */
export interface Copies {
  /** The unchanged program's folder. */
  readonly express: string;
  /** Folder with the program on Sluice. */
  readonly sluice: string;
  /** Version of the package that replaces Express in the program. */
  readonly version: string;
  /** Removes both copies. */
  remove(): Promise<void>;
}

/**
 * Copies the program twice, with its packages and without its repository.
 *
 * @param program The program
 * @throws {UserError} If npm cannot install the package that replaces Express
 */
export async function copyProgram(program: ExpressProgram): Promise<Copies> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "create-sluice-try-")));
  const remove = (): Promise<void> => rm(root, { recursive: true, force: true, maxRetries: 5 });
  try {
    const [express, sluice] = [join(root, "express"), join(root, "sluice")];
    for (const to of [express, sluice]) await copyFolder(program.folder, to);
    const version = await replaceExpress(program, sluice, join(root, "alias"));
    return { express, sluice, version, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function copyFolder(from: string, to: string): Promise<void> {
  await cp(from, to, {
    recursive: true,
    // links stay links: pnpm's packages resolve one another through them
    verbatimSymlinks: true,
    mode: constants.COPYFILE_FICLONE,
    filter: (path) => relative(from, path).split(sep)[0] !== ".git",
  });
}

// A link out of the copy leads to the original program, or to shared files, which must not change.
async function detach(copy: string, path: string): Promise<void> {
  const names = path.split(sep);
  for (const length of names.keys()) {
    const link = join(copy, ...names.slice(0, length + 1));
    if (!await isLink(link)) continue;
    const real = await realpath(link).catch((cause) => {
      const shown = relative(copy, link);
      throw new UserError(`${shown} is a link out of this folder: run this where the whole workspace is`, { cause });
    });
    if (real.startsWith(copy + sep)) continue;
    await rm(link);
    await copyFolder(real, link);
  }
}

async function isLink(path: string): Promise<boolean> {
  return await lstat(path).then((stats) => stats.isSymbolicLink(), () => false);
}

// The core is installed in one place, where both majors' packages find it: two copies would be two frameworks.
async function replaceExpress({ installed, express }: ExpressProgram, copy: string, work: string): Promise<string> {
  await detach(copy, "node_modules");
  const majors = new Set(installed.map(({ major }) => major));
  let version = "";
  for (const major of majors) {
    const modules = join(await installAlias(join(work, String(major)), major), "node_modules");
    await placeCore(modules, join(copy, "node_modules"));
    for (const one of installed.filter((one) => one.major === major)) {
      await detach(copy, one.folder);
      const path = await realpath(join(copy, one.folder));
      await rm(path, { recursive: true });
      await copyFolder(join(modules, "express"), path);
    }
    if (major === express.major) version = await versionOf(join(modules, "express"));
  }
  return version;
}

async function installAlias(folder: string, major: number): Promise<string> {
  await mkdir(folder, { recursive: true });
  const command = `npm install --no-save --no-audit --no-fund --ignore-scripts express@npm:${ALIAS}@${major}`;
  const { code, output } = await runCommand(command, { folder, limitMs: INSTALL_MS });
  if (code === 0) return folder;
  throw new UserError(`npm could not install ${ALIAS}@${major}:\n${lastLines(output)}`);
}

async function placeCore(from: string, to: string): Promise<void> {
  const core = join(to, "@sluice", "sluice");
  await mkdir(dirname(core), { recursive: true });
  for (const name of await readdir(join(from, "@sluice"))) {
    await rm(join(to, "@sluice", name), { recursive: true, force: true });
    await copyFolder(join(from, "@sluice", name), join(to, "@sluice", name));
  }
  // its dependencies go inside, because the program may have other versions of them
  for (const name of await readdir(from)) {
    if (name.startsWith(".") || name === "express" || name === "@sluice") continue;
    const path = join(core, "node_modules", name);
    await mkdir(dirname(path), { recursive: true });
    await rm(path, { recursive: true, force: true });
    await rename(join(from, name), path);
  }
}

async function versionOf(folder: string): Promise<string> {
  return JSON.parse(await readFile(join(folder, "package.json"), "utf8")).version;
}
