/**
 * A group of an expression, as `layer.keys` of Express 4 shows it.
 *
 * @internal
 */
export interface PathKey {
  /** Name of the parameter, a number for a group without a name. */
  readonly name: string | number;
  /** Whether the path also matches without it. */
  readonly optional: boolean;
  /** Where it is in the source of the expression, without the `^`. */
  readonly offset: number;
}

/** Escapes and character classes, whose parentheses and bars are no syntax, and the syntax itself. */
export const REGEXP_SYNTAX = /\\.|\[(?:\\.|[^\]\\])*\]|\((?:\?(?:<(?![=!])[^>]*>|<?[:=!]))?|\)|\|/g;

/**
 * Whether a part of an expression begins a group that captures.
 *
 * @param found The part, as {@linkcode REGEXP_SYNTAX} finds it
 */
export function isCapturing(found: string): boolean {
  return found === "(" || found.startsWith("(?<") && found.endsWith(">");
}

/**
 * The keys of a RegExp that is a path: its groups have their names, or numbers.
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
