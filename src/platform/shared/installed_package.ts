import { builtinModule, nodeProcess } from "./builtin_module.ts";

/** The part of `node:module` used here. */
interface ModuleLoader {
  createRequire(from: string): ((name: string) => unknown) & { resolve(name: string): string };
}

/** The part of `node:fs` used here. */
interface FileLookup {
  existsSync(path: string): boolean;
  realpathSync(path: string): string;
}

/** Names of packages without a scope: not a path or URL, and no scheme from which runtimes download. */
const PACKAGE_NAME = /^[a-z0-9~-][\w.~-]*$/i;

/**
 * Finds a package installed for the program: first in `node_modules` above its main file, then above the working
 * directory, for programs without a file. On Deno, a package in the cache counts if `deno.json` or `package.json` lists
 * it. Nothing is ever downloaded. See decision 18.
 *
 * @param name Name of the package
 * @returns Path of its main file, `undefined` if there is no loader or no such package
 */
export function findPackage(name: string): string | undefined {
  const process = nodeProcess();
  if (!PACKAGE_NAME.test(name) || process === undefined || moduleLoader() === undefined) return undefined;
  const find = process.versions?.["bun"] === undefined ? requireResolve : installedResolve;
  // commands installed by npm are links to the program
  const program = (): string => builtinModule<FileLookup>("node:fs")!.realpathSync(process.argv![1]!);
  for (const from of [program, () => `${process.cwd()}/package.json`]) {
    try {
      const path = find(from(), name);
      // Node's built-in modules have no path
      return path === name ? undefined : path;
    } catch {
      // no such file, no permission to read it, or no such package
    }
  }
  return undefined;
}

/**
 * Loads a package installed for the program if the runtime supports it.
 *
 * @param name Name of the package
 * @returns The package, `undefined` if there is none
 */
// deno-lint-ignore require-await -- load errors are rejections
export async function requirePackage(name: string): Promise<unknown> {
  const path = findPackage(name);
  return path === undefined ? undefined : moduleLoader()!.createRequire(path)(path);
}

/**
 * Returns whether `import()` exists, given an error from it: Jest runs programs in a vm context without it.
 *
 * @param failure The error with which it failed
 */
export function importsExist(failure: unknown): boolean {
  const { code } = (failure ?? {}) as { code?: unknown };
  return !String(code).startsWith("ERR_VM_DYNAMIC_IMPORT_CALLBACK_MISSING");
}

// Node and Deno only look at installed packages; Bun may download
function requireResolve(from: string, name: string): string {
  return moduleLoader()!.createRequire(from).resolve(name);
}

// without a `node_modules` folder, Bun would download the package while resolving its name
function installedResolve(from: string, name: string): string {
  const { existsSync } = builtinModule<FileLookup>("node:fs")!;
  for (let folder = parentOf(from);; folder = parentOf(folder)) {
    if (existsSync(`${folder}/node_modules/${name}/package.json`)) {
      return requireResolve(`${folder}/package.json`, name);
    }
    if (folder === "") throw new Error(`Cannot find module '${name}'`);
  }
}

// accepts either kind of slash; "" if there is no parent
function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.search(/[\\/][^\\/]*$/)));
}

function moduleLoader(): ModuleLoader | undefined {
  return builtinModule<ModuleLoader>("node:module");
}
