/** The part of Node's `process` used here. */
interface ProcessLike {
  getBuiltinModule?(name: string): unknown;
}

/** Node and Bun modules that are used if the runtime has them. */
export type BuiltinName =
  | "bun:jsc"
  | "node:async_hooks"
  | "node:buffer"
  | "node:crypto"
  | "node:diagnostics_channel"
  | "node:fs"
  | "node:http"
  | "node:module"
  | "node:process"
  | "node:tty"
  | "node:zlib";

/**
 * Loads a Node module, on runtimes that have `process` and the module.
 *
 * @typeParam T The part of the module used by the caller
 * @param name Its name
 */
export function builtinModule<T>(name: BuiltinName): T | undefined {
  return (globalThis as { process?: ProcessLike }).process?.getBuiltinModule?.(name) as T | undefined;
}
