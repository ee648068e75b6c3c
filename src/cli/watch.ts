import { spawn } from "node:child_process";
import { type FSWatcher, readdirSync, watch } from "node:fs";
import { join } from "node:path";
import process from "node:process";

/** How long to wait for further changes, in ms, because editors write several files at once. */
const QUIET_MS = 50;

/** Packages and tool directories, which are not watched. */
const IGNORED = /^(?:node_modules|\..*)$/;

/**
 * Runs the same command again without some of its arguments, now and whenever a file in a directory changes, until the
 * process exits.
 *
 * @param folder The directory
 * @param output A file in it whose changes are ignored
 * @param without Arguments to omit
 */
export async function watchAndRepeat(folder: string, output: string, without: readonly string[]): Promise<never> {
  const args = process.argv.slice(2).filter((arg) => !without.includes(arg));
  const watchers = new Map<string, FSWatcher>();
  let changed = (): void => {};
  let timer: ReturnType<typeof setTimeout> | undefined;
  const onChange = (path: string): void => {
    if (path === output || path.startsWith(`${output}.`) || IGNORED.test(path.slice(path.lastIndexOf("/") + 1))) return;
    clearTimeout(timer);
    timer = setTimeout(() => changed(), QUIET_MS);
  };
  for (;;) {
    // also catches changes saved while the command runs
    const next = new Promise<void>((resolve) => changed = resolve);
    watchFolders(folder, watchers, onChange);
    await repeated(args);
    await next;
  }
}

function repeated(args: readonly string[]): Promise<void> {
  const { Deno } = globalThis as { Deno?: { readonly mainModule: string } };
  const own = Deno === undefined ? [...process.execArgv, process.argv[1]!] : ["run", "-A", "--quiet", Deno.mainModule];
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...own, ...args], { stdio: "inherit" });
    child.once("error", reject);
    // the command has reported its error, and the next change may fix it
    child.once("exit", () => resolve());
  });
}

/** Watches a directory and its subdirectories: not every system or runtime can recurse, and this skips packages. */
function watchFolders(folder: string, watchers: Map<string, FSWatcher>, changed: (path: string) => void): void {
  if (!watchers.has(folder)) {
    const watcher = watch(folder, (_event, name) => changed(join(folder, String(name))));
    // the directory was removed
    watcher.once("error", () => {
      watcher.close();
      watchers.delete(folder);
    });
    watchers.set(folder, watcher);
  }
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory() && !IGNORED.test(entry.name)) watchFolders(join(folder, entry.name), watchers, changed);
  }
}
