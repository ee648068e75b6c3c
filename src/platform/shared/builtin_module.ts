/** The part of Node's `process` used here. Some edge platforms have nothing but `env`. */
export interface ProcessLike {
  readonly argv?: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly platform?: string;
  readonly stdout?: { readonly isTTY?: boolean };
  readonly versions?: Readonly<Record<string, string>>;
  cwd(): string;
  getBuiltinModule?(name: string): unknown;
  memoryUsage?(): { readonly heapUsed: number };
}

/** Node's `process`, if the runtime has one. Read on each use, because Deno creates it lazily, which takes time. */
export function nodeProcess(): ProcessLike | undefined {
  return (globalThis as { process?: ProcessLike }).process;
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
  return nodeProcess()?.getBuiltinModule?.(name) as T | undefined;
}
