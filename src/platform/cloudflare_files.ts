import { weakEntityTag } from "../http/entity_tag.ts";
import type { FileStat, FileSystem } from "../http/file_system.ts";
import { type BuiltinFiles, builtinFiles } from "./builtin_files.ts";

/** The module `node:fs` as Workers have it, as far as it is used. */
interface WorkerFiles extends BuiltinFiles {
  readFileSync(path: string): Uint8Array;
}

/** What Workers have of Node's process with the flag `nodejs_compat`, as far as it is used. */
interface WorkerProcess {
  cwd(): string;
  readonly env?: Record<string, string | undefined>;
  getBuiltinModule?(name: "node:fs"): WorkerFiles | undefined;
}

/** Folder of the modules a Worker was deployed with. */
const BUNDLE = "/bundle/";

/** Workers' `process`, `undefined` without the flag `nodejs_compat`. */
export function workerProcess(): WorkerProcess | undefined {
  return (globalThis as { process?: WorkerProcess }).process;
}

/** The files of a Worker: the text and data modules it was deployed with, `null` where it has no `node:fs`. */
export function workerFiles(): FileSystem | null {
  const process = workerProcess();
  const fs = process?.getBuiltinModule?.("node:fs");
  if (process === undefined || fs === undefined) return null;
  const files = builtinFiles(() => fs, () => process.cwd());
  const tags = new Map<string, string>();
  // a deployed file has no date: without a tag of its contents, a new one of the same size would be taken for the old
  const tagged = (path: string, stat: FileStat): FileStat => {
    if (!stat.isFile || stat.mtimeMs !== 0 || !path.startsWith(BUNDLE)) return stat;
    const tag = tags.get(path) ?? weakEntityTag(fs.readFileSync(path));
    tags.set(path, tag);
    return { ...stat, tag };
  };
  return { ...files, stat: async (path) => tagged(path, await files.stat(path)) };
}
