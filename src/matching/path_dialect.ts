import type { PathOptions } from "./path_options.ts";
import type { PathKey } from "./regexp_keys.ts";

/** Key of a router's path dialect. */
export const dialectKey: unique symbol = Symbol("dialect");

/** Starts a parameter where words may start with a colon; never occurs in a request target. */
export const MARK = "\0";

/** A compiled path in a different syntax. */
export interface DialectPath {
  /** Matches the path or, for a mount, its beginning. */
  readonly regexp: RegExp;
  /** The expression's group names. */
  readonly keys: readonly string[];
  /** Names of groups that capture arrays of segments. */
  readonly wildcards: ReadonlySet<string>;
  /**
   * The whole path with a {@linkcode MARK} before each parameter name, if it consists of whole words and whole
   * parameters; otherwise its literal beginning, up to a slash.
   */
  readonly text: string;
  /** Whether `text` is the whole path. */
  readonly whole: boolean;
  /** Expressions that a whole path's parameters must match, by name. */
  readonly constraints: ReadonlyMap<string, RegExp>;
  /** Whether it matches no request because it does not begin with a slash. */
  readonly rootless: boolean;
}

/** A path syntax in addition to Express 5's. Parameters from its paths inherit from `Object.prototype`. */
export interface PathDialect {
  /**
   * Compiles a path that is invalid in Express 5.
   *
   * @param path The path
   * @param options How to match
   * @returns `null` if it is also invalid here
   * @throws {PathDialectError} If a request could make matching slow
   */
  read(path: string, options: PathOptions): DialectPath | null;
  /**
   * Returns the path as `layer.regexp` and `layer.keys` expose it.
   *
   * @param path The path
   * @param options How to match
   * @returns `null` if it is invalid here
   * @throws {PathDialectError} If a request could make matching slow
   */
  show(path: string, options: PathOptions): { readonly regexp: RegExp; readonly keys: readonly PathKey[] } | null;
}

/** Options for parsing and matching a path. */
export interface PatternOptions extends PathOptions {
  /** An additional syntax that the path may use. */
  readonly dialect?: PathDialect | null;
}

/** Reports why a path cannot be used, and the alternative. */
export class PathDialectError extends TypeError {}
