/** A project's folder: its name, and whether it is free. */
import { lstat, readdir, stat } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import validate from "validate-npm-package-name";
import { codeOf, UserError } from "./user_error.ts";

/** Where to write a project. */
export interface ProjectFolder {
  /** As given by the user. */
  readonly given: string;
  /** Its absolute path. */
  readonly path: string;
  /** The project's name, valid for npm. */
  readonly name: string;
  /** Whether it already exists, and is empty. */
  readonly exists: boolean;
}

/**
 * Checks that a project can be written to a folder.
 *
 * @param given The folder, relative to the working directory; `.` for the directory itself
 * @throws {UserError} If its name is not a valid package name, or the folder is not empty
 */
export async function projectFolder(given: string): Promise<ProjectFolder> {
  const path = resolve(given);
  const name = checkedName(basename(path));
  for (let above = dirname(path);; above = dirname(above)) {
    const found = await lookUp(above);
    if (found?.isDirectory()) break;
    if (found !== undefined) throw new UserError(`${above} is a file, so there can be no folder in it; choose another`);
  }
  return { given, path, name, exists: await isEmptyFolder(given, path) };
}

function checkedName(name: string): string {
  const { validForNewPackages, errors = [], warnings = [] } = validate(name);
  if (validForNewPackages) return name;
  const why = [...errors, ...warnings].join(", and ");
  throw new UserError(`"${name}" cannot be the name of a package: ${why}; choose another, such as my-app`);
}

async function isEmptyFolder(given: string, path: string): Promise<boolean> {
  const found = await lookUp(path);
  if (found === undefined) {
    // a dangling link
    if (await lstat(path).then(() => true, () => false)) throw inTheWay(given, "is a broken link");
    return false;
  }
  if (!found.isDirectory()) throw inTheWay(given, "is a file");
  const inside = await readdir(path).catch((cause) => {
    throw new UserError(`${given} cannot be read (${codeOf(cause)}); change its permissions, or choose another folder`);
  });
  // a freshly cloned empty repository
  const others = inside.filter((name) => name !== ".git");
  if (others.length > 0) throw inTheWay(given, `is not empty, it has ${others.sort()[0]}`);
  return true;
}

function inTheWay(given: string, what: string): UserError {
  return new UserError(`${given} ${what}; nothing was changed, choose another folder`);
}

async function lookUp(path: string) {
  try {
    return await stat(path);
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw new UserError(`${path} cannot be looked at (${code}); change its permissions, or choose another folder`);
  }
}
