import { EMPTY_PLAIN, type EmptyParams, isEmptyParams } from "../util/empty_params.ts";

type Params = Record<string, unknown>;

/**
 * Merges a layer's parameters with its parents', for the `mergeParams` option.
 *
 * The layer's parameters override its parents' with the same name. Unnamed parameters are renumbered, the parents'
 * first.
 *
 * @param params The layer's parameters
 * @param parent The parents' parameters
 * @returns A new plain object, or the layer's own parameters if there is no parent
 */
export function mergeParams(params: Params | EmptyParams, parent: unknown): Params | EmptyParams {
  if (isEmptyParams(parent)) return isEmptyParams(params) ? EMPTY_PLAIN : { ...params };
  if (typeof parent !== "object" || parent === null) return params;
  const merged: Params = { ...parent };
  if (isEmptyParams(params)) return merged;
  const offset = 0 in params && 0 in merged ? countUnnamed(merged) : 0;
  // nearly always, all parameters are named
  if (offset === 0) return Object.assign(merged, params);
  for (const name of Object.keys(params)) {
    merged[/^\d+$/.test(name) ? Number(name) + offset : name] = params[name];
  }
  return merged;
}

function countUnnamed(params: Params): number {
  let count = 0;
  while (count in params) count++;
  return count;
}
