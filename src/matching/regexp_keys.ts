/**
 * A group in an expression, as Express 4's `layer.keys` exposes it.
 *
 * @internal
 */
export interface PathKey {
  /** The parameter's name; a number for an unnamed group. */
  readonly name: string | number;
  /** Whether the path also matches without it. */
  readonly optional: boolean;
  /** Offset in the expression's source, without the `^`. */
  readonly offset: number;
}

/** Escapes and character classes, where parentheses and bars are not syntax, and the syntax itself. */
export const REGEXP_SYNTAX = /\\.|\[(?:\\.|[^\]\\])*\]|\((?:\?(?:<(?![=!])[^>]*>|<?[:=!]))?|\)|\|/g;

/**
 * Returns whether a part of an expression starts a capturing group.
 *
 * @param found The part, as {@linkcode REGEXP_SYNTAX} finds it
 */
export function isCapturing(found: string): boolean {
  return found === "(" || found.startsWith("(?<") && found.endsWith(">");
}

/**
 * Returns a RegExp path's keys: its group names, or numbers.
 *
 * @param regexp The RegExp
 */
export function keysOfRegExp({ source }: RegExp): PathKey[] {
  const keys: PathKey[] = [];
  let unnamed = 0;
  for (const { 0: found, index } of source.matchAll(REGEXP_SYNTAX)) {
    if (!isCapturing(found)) continue;
    keys.push({ name: found.slice("(?<".length, -1) || unnamed++, optional: false, offset: index });
  }
  return keys;
}
