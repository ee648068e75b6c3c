import { pathToFileURL } from "node:url";
import { findPackage, requirePackage } from "../platform/generic.ts";

/**
 * Loads a package of the program's.
 *
 * @param name Name of the package
 * @returns The package, `undefined` if there is none
 */
export async function loadPackage(name: string): Promise<unknown> {
  const path = findPackage(name);
  if (path === undefined) return undefined;
  try {
    // bundlers are to leave this alone: what is looked for is known when the program runs
    const loaded = await import(/* webpackIgnore: true */ /* @vite-ignore */ pathToFileURL(path).href) as {
      default?: unknown;
    };
    return loaded.default ?? loaded;
  } catch (error) {
    const { code } = (error ?? {}) as { code?: unknown };
    if (!String(code).startsWith("ERR_VM_DYNAMIC_IMPORT_CALLBACK_MISSING")) throw error;
    // Jest runs programs in a context of its own, in which nothing can be imported while they run
    return await requirePackage(name);
  }
}
