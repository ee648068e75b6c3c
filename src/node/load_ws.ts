import { builtinModule } from "../platform/shared/builtin_module.ts";
import { importsExist } from "../platform/shared/installed_package.ts";

/** The used part of `node:module`. */
interface ModuleLoader {
  createRequire(from: string): (name: string) => unknown;
}

/**
 * Loads the package for WebSockets, which Sluice itself depends on.
 *
 * @typeParam T Its used part
 */
export async function loadWs<T>(): Promise<T> {
  try {
    return await import("ws") as T;
  } catch (error) {
    if (importsExist(error)) throw error;
    return builtinModule<ModuleLoader>("node:module")!.createRequire(import.meta.url)("ws") as T;
  }
}
