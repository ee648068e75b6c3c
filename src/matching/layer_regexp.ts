import type { PathPattern } from "./path_pattern.ts";
import type { PathKey } from "./regexp_keys.ts";

/**
 * The expression of a layer, with the marks that Express 4 gives it.
 *
 * @internal
 */
export interface LayerRegExp extends RegExp {
  /** Whether the path is `*`. */
  fast_star?: boolean;
  /** Whether it is a mount for every path. */
  fast_slash?: boolean;
}

/** What Express 4 shows of the path of a layer. */
export interface ShownPath {
  /** All its patterns as one expression. */
  readonly regexp: LayerRegExp;
  /** The keys of the groups. */
  readonly keys: PathKey[];
}

/** Made for the few programs that look at it, and kept outside of the layers, of which there are many. */
const shown = new WeakMap<object, ShownPath>();

/**
 * The path of a layer as Express 4 shows it.
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
  // one that the program has made itself stays as it is
  if (!(layer.path instanceof RegExp)) {
    regexp.fast_star = layer.path === "*";
    regexp.fast_slash = layer.path === "/" && layer.everywhere;
  }
  const made = { regexp, keys };
  shown.set(layer, made);
  return made;
}
