/** Writes a project: all of its files, or none. */
import { randomUUID } from "node:crypto";
import { mkdir, rename, rm, rmdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { ProjectFolder } from "./project_folder.ts";
import { UserError } from "./user_error.ts";

/**
 * Writes files to a new or empty folder. They are staged elsewhere and moved when complete, so a project is never half
 * written, and nothing can be overwritten.
 *
 * @param folder The folder
 * @param files Their contents, by path
 * @throws {UserError} If they cannot be written; nothing is then left behind
 */
export async function writeProject(
  { given, path, exists }: ProjectFolder,
  files: ReadonlyMap<string, string>,
): Promise<void> {
  const parent = exists ? path : dirname(path);
  // on the same disk, so that it can be moved
  const staging = join(parent, `.create-sluice-${randomUUID()}`);
  const moved: string[] = [];
  // the topmost newly created folder
  let made: string | undefined;
  try {
    made = await mkdir(staging, { recursive: true });
    for (const [name, text] of files) {
      const file = join(staging, name);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text, { flag: "wx" });
    }
    if (!exists) return await rename(staging, path);
    for (const name of new Set([...files.keys()].map((file) => file.split("/")[0]!))) {
      await rename(join(staging, name), join(path, name));
      moved.push(join(path, name));
    }
    await rmdir(staging);
  } catch (cause) {
    for (const one of made === undefined ? moved : [...moved, made]) await rm(one, { recursive: true, force: true });
    throw new UserError(`${given} cannot be written: ${reasonOf(cause)}; nothing was changed`, { cause });
  }
}

function reasonOf(cause: unknown): string {
  const { code, message } = cause as NodeJS.ErrnoException;
  if (code === "EACCES" || code === "EPERM" || code === "EROFS") {
    return `no permission to write there (${code}), choose another folder`;
  }
  if (code === "ENOSPC") return "the disk is full (ENOSPC), free some space";
  if (code === "ENOTEMPTY" || code === "EEXIST") return "another program has just written there, choose another folder";
  return message;
}
