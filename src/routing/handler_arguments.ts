import { noteWarning } from "../util/development_warning.ts";
import { describe } from "../util/error_text.ts";
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
  // nearly every list is already flat
  const functions = handlers.some(Array.isArray) ? handlers.flat(Infinity) : handlers;
  if (functions.length === 0) throw new TypeError(`${caller} requires a handler; argument handler is required`);
  for (const fn of functions) {
    assertHandler(caller, fn, typeof fn === "function");
    if ((fn as AnyHandler).length > 4) noteCount(caller, fn as AnyHandler, NEVER_CALLED);
  }
  return functions as AnyHandler[];
}

/**
 * Separates `use`'s optional path from its handlers.
 *
 * @param caller Name of the caller for error messages
 * @param args The arguments passed to `use`
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
    assertHandler(caller, fn, isMountable(fn));
    if (typeof fn === "function" && fn.length !== 4) noteMiscounted(caller, fn as AnyHandler);
  }
  return { path: hasPath ? first as Path : "/", handlers: handlers as AnyHandler[] };
}

/** Source of a function whose first parameter is named like an error handler's. */
const TAKES_ERROR = /^(?:async\s+)?(?:function\b\s*[\w$]*\s*)?\(\s*_?err(?:or)?\s*,/;

const NEVER_CALLED = "is never called";

// the number of parameters decides a function's kind, and no error would reveal a miscount
function noteMiscounted(caller: string, fn: AnyHandler): void {
  if (fn.length > 4) return noteCount(caller, fn, NEVER_CALLED);
  if (fn.length < 2 || !TAKES_ERROR.test(Function.prototype.toString.call(fn))) return;
  noteCount(caller, fn, "gets (req, res, next), not errors");
}

function noteCount(caller: string, fn: AnyHandler, what: string): void {
  noteWarning(
    `${caller}: ${describe(fn)} with ${fn.length} parameters ${what}; error handlers have (error, req, res, next)`,
  );
}

// a schema may be a function, as arktype's are: it would never continue or respond
function assertHandler(caller: string, fn: unknown, isHandler: boolean): void {
  if (Object(fn)["~standard"]) {
    throw new TypeError(`${caller}: write validate({ body: schema }), not the schema`);
  }
  if (!isHandler) throw new TypeError(`${caller}: argument handler must be a function, not ${describe(fn)}`);
}

function isMountable(value: unknown): boolean {
  return typeof value === "function" || (typeof value === "object" && value !== null && mountedKey in value);
}
