import { pathToFileURL } from "node:url";
import { findPackage, importsExist, requirePackage } from "../platform/shared/installed_package.ts";

/**
 * Loads a package that the program has installed.
 *
 * @param name The package's name
 * @returns The package, `undefined` if there is none
 */
export async function loadPackage(name: string): Promise<unknown> {
  const path = findPackage(name);
  if (path === undefined) return undefined;
  try {
    // bundlers must leave this alone, because the path is known only at run time
    const loaded = await import(/* webpackIgnore: true */ /* @vite-ignore */ pathToFileURL(path).href) as {
      default?: unknown;
    };
    return loaded.default ?? loaded;
  } catch (error) {
    if (importsExist(error)) throw error;
    return await requirePackage(name);
  }
}
