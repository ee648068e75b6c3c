import { builtinModule } from "../platform/shared/builtin_module.ts";
import { importsExist } from "../platform/shared/installed_package.ts";

/** The part of `node:module` used here. */
interface ModuleLoader {
  createRequire(from: string): (name: string) => unknown;
}

/**
 * Loads the WebSocket package, one of Sluice's own dependencies.
 *
 * @typeParam T The part of it used
 */
export async function loadWs<T>(): Promise<T> {
  try {
    return await import("ws") as T;
  } catch (error) {
    if (importsExist(error)) throw error;
    return builtinModule<ModuleLoader>("node:module")!.createRequire(import.meta.url)("ws") as T;
  }
}
