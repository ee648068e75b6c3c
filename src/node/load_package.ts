import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

/**
 * Loads a package of the program's, which is looked for from where the program runs.
 *
 * @param name Name of the package
 * @returns The package, `undefined` if there is none
 */
export async function loadPackage(name: string): Promise<unknown> {
  const { resolve } = createRequire(`${process.cwd()}/package.json`);
  let path: string;
  try {
    path = resolve(name);
  } catch {
    return undefined;
  }
  const loaded = await import(pathToFileURL(path).href) as { default?: unknown };
  return loaded.default ?? loaded;
}
