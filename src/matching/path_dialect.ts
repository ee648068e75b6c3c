import type { PathOptions } from "./path_options.ts";
import type { PathKey } from "./regexp_keys.ts";

/** Key of the dialect of a router's paths. */
export const dialectKey: unique symbol = Symbol("dialect");

/** Begins a parameter where words may begin with a colon; cannot occur in a request target. */
export const MARK = "\0";

/** A path of another syntax, compiled. */
export interface DialectPath {
  /** Matches the path; for a mount, its beginning. */
  readonly regexp: RegExp;
  /** Names of the expression's groups. */
  readonly keys: readonly string[];
  /** Names of groups whose values are lists of segments. */
  readonly wildcards: ReadonlySet<string>;
  /**
   * The whole path with a {@linkcode MARK} before the name of each parameter, if it consists of whole words and whole
   * parameters; otherwise its beginning that matches only itself, up to a slash.
   */
  readonly text: string;
  /** Whether the text is the whole path. */
  readonly whole: boolean;
  /** Expressions that the parameters of a whole path must match, by name. */
  readonly constraints: ReadonlyMap<string, RegExp>;
  /** Whether it matches no request because it does not begin with a slash. */
  readonly rootless: boolean;
}

/** A syntax of paths beside that of Express 5. Parameters of its paths inherit from `Object.prototype`. */
export interface PathDialect {
  /**
   * Reads a path that has no meaning in Express 5.
   *
   * @param path The path
   * @param options How to match
   * @returns `null` if it has no meaning here, either
   * @throws {PathDialectError} If a request could make matching slow
   */
  read(path: string, options: PathOptions): DialectPath | null;
  /**
   * The path as `layer.regexp` and `layer.keys` show it.
   *
   * @param path The path
   * @param options How to match
   * @returns `null` if it has no meaning here
   * @throws {PathDialectError} If a request could make matching slow
   */
  show(path: string, options: PathOptions): { readonly regexp: RegExp; readonly keys: readonly PathKey[] } | null;
}

/** How a path is read and matched. */
export interface PatternOptions extends PathOptions {
  /** Another syntax that the path may have. */
  readonly dialect?: PathDialect | null;
}

/** Reports why a path cannot be used, and what to write instead. */
export class PathDialectError extends TypeError {}
