import { describe } from "../http/error_text.ts";
import { type AnyHandler, mountedKey } from "../matching/layer.ts";
import type { Path } from "./handler.ts";

/**
 * Flattens lists of handlers and checks that all are functions.
 *
 * @param caller Name of the caller for error messages
 * @param handlers Functions, in lists nested to any depth
 * @returns The functions, in order
 * @throws {TypeError} If there is no handler, or one is not a function
 */
export function checkedHandlers(caller: string, handlers: readonly unknown[]): AnyHandler[] {
  // nearly every list is flat already
  const functions = handlers.some(Array.isArray) ? handlers.flat(Infinity) : handlers;
  if (functions.length === 0) throw new TypeError(`${caller} requires a handler; argument handler is required`);
  for (const fn of functions) {
    if (typeof fn === "function") continue;
    throw new TypeError(`${caller}: argument handler must be a function, not ${describe(fn)}`);
  }
  return functions as AnyHandler[];
}

/**
 * Separates the optional path of `use` from its handlers.
 *
 * @param caller Name of the caller for error messages
 * @param args The arguments of `use`
 * @returns The path, `/` by default, and the flattened handlers
 * @throws {TypeError} If there is no handler, or one is not a function
 */
export function splitPath(caller: string, args: readonly unknown[]): { path: Path; handlers: AnyHandler[] } {
  const first = args[0];
  let leaf: unknown = first;
  while (Array.isArray(leaf) && leaf.length > 0) leaf = leaf[0];
  const hasPath = args.length > 0 && !isMountable(leaf);
  const handlers = args.slice(hasPath ? 1 : 0).flat(Infinity);
  if (handlers.length === 0) {
    throw new TypeError(
      `${caller} requires a middleware function, not ${describe(leaf)}; argument handler is required`,
    );
  }
  for (const fn of handlers) {
    if (!isMountable(fn)) throw new TypeError(`${caller}: argument handler must be a function, not ${describe(fn)}`);
  }
  return { path: hasPath ? first as Path : "/", handlers: handlers as AnyHandler[] };
}

function isMountable(value: unknown): boolean {
  return typeof value === "function" || (typeof value === "object" && value !== null && mountedKey in value);
}
