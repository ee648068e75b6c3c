import type { PathPattern } from "./path_pattern.ts";
import type { PathKey } from "./regexp_keys.ts";

/**
 * A layer's expression, with Express 4's flags.
 *
 * @internal
 */
export interface LayerRegExp extends RegExp {
  /** Whether the path is `*`. */
  fast_star?: boolean;
  /** Whether it is a mount for every path. */
  fast_slash?: boolean;
}

/** A layer's path as Express 4 exposes it. */
export interface ShownPath {
  /** All its patterns as one expression. */
  readonly regexp: LayerRegExp;
  /** The groups' keys. */
  readonly keys: PathKey[];
}

/** Kept outside the layers, because few programs read it and there are many layers. */
const shown = new WeakMap<object, ShownPath>();

/**
 * Returns a layer's path as Express 4 exposes it.
 *
 * @param layer The layer
 */
export function shownPath(
  layer: { readonly path: unknown; readonly everywhere: boolean; readonly patterns: readonly PathPattern[] },
): ShownPath {
  const known = shown.get(layer);
  if (known !== undefined) return known;
  const parts = layer.patterns.map((pattern) => pattern.shown());
  const keys = parts.flatMap((part) => part.keys);
  const regexp: LayerRegExp = parts.length === 1
    ? parts[0]!.regexp
    : new RegExp(parts.map((part) => part.regexp.source).join("|"), parts[0]?.regexp.flags);
  // an expression created by the program is kept unchanged
  if (!(layer.path instanceof RegExp)) {
    regexp.fast_star = layer.path === "*";
    regexp.fast_slash = layer.path === "/" && layer.everywhere;
  }
  const made = { regexp, keys };
  shown.set(layer, made);
  return made;
}
