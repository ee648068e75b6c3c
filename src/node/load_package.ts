import module from "node:module";
import { pathToFileURL } from "node:url";

/**
 * Loads a package of the program's, which is looked for from where the program runs.
 *
 * @param name Name of the package
 * @returns The package, `undefined` if there is none
 */
export async function loadPackage(name: string): Promise<unknown> {
  // bundlers are to leave both alone: what is looked for is known when the program runs
  const { resolve } = module.createRequire(`${process.cwd()}/package.json`);
  let path: string;
  try {
    path = resolve(name);
  } catch {
    return undefined;
  }
  const loaded = await import(/* webpackIgnore: true */ /* @vite-ignore */ pathToFileURL(path).href) as {
    default?: unknown;
  };
  return loaded.default ?? loaded;
}
