/** The used part of Node's `process`. */
interface ProcessLike {
  getBuiltinModule?(name: string): unknown;
}

/** Modules of Node, and of Bun, that are used where the runtime has them. */
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
 * Loads a module of Node, on runtimes that have `process` and the module.
 *
 * @typeParam T The used part of the module
 * @param name Its name
 */
export function builtinModule<T>(name: BuiltinName): T | undefined {
  return (globalThis as { process?: ProcessLike }).process?.getBuiltinModule?.(name) as T | undefined;
}
