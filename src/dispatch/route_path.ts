import type { Scope, Step } from "../matching/layer.ts";

/**
 * The whole path of a step's layer as it was registered, with those of the mounts around it: `/users/:id/posts/:post`.
 * Of a list of paths it is the one that matches, and of a RegExp its source. The root is empty.
 *
 * @param step The step
 * @param path The path of the request, as the walked router sees it
 * @param around The same for the walked router; empty for the outermost one
 */
export function routePath(step: Step, path: string, around = ""): string {
  return joined(around + mountPath(step.scope), layerPath(step, path));
}

/**
 * The path of a step's layer as it was registered; of a list of paths, the one that matches.
 *
 * @param step The step
 * @param path The path of the request, as the walked router sees it
 */
export function layerPath({ layer: { patterns }, scope }: Step, path: string): string | RegExp {
  if (patterns.length === 1) return patterns[0]!.source;
  const below = path.slice(scope.consumed);
  const rooted = below.startsWith("/") ? below : `/${below}`;
  return (patterns.find((pattern) => pattern.match(rooted) !== null) ?? patterns[0]!).source;
}

// only mounts at one path are walked together with what is around them
function mountPath({ parent, mount }: Scope): string {
  return parent === null ? "" : joined(mountPath(parent), mount!.patterns[0]!.source);
}

// a slash alone is the mount itself
function joined(around: string, path: string | RegExp): string {
  const text = path instanceof RegExp ? path.source : path;
  return around.replace(/\/$/, "") + (text === "/" ? "" : text);
}
