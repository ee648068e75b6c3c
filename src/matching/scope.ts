import { type Layer, type LayerIndex, type LayerList, Scope } from "./layer.ts";

/**
 * Returns a mounted router's scope if both routers can be indexed together.
 *
 * That requires a mount at one literal path, which consumes the same number of characters in every path. Applications
 * have their own requests and responses, so they are walked separately.
 *
 * @param scope The outer router's scope
 * @param layer A layer of that router
 * @returns The scope; `null` if the layer has no mount, or one that must be walked separately
 */
export function scopeBelow(scope: Scope, layer: Layer): Scope | null {
  const { mounted, patterns } = layer;
  if (mounted === null || mounted.enter !== undefined || patterns.length !== 1 || layer.isCalled) return null;
  const known = scope.below?.get(layer);
  if (known !== undefined) return known;
  const { fastMatcher: list } = mounted.source;
  if (!isList(list) || list.sensitive !== scope.list?.sensitive || patterns[0]!.fixed === null) return null;
  const made = new Scope(list, scope, layer);
  (scope.below ??= new WeakMap()).set(layer, made);
  return made;
}

// a program's own index, or an observed one, finds steps its own way
function isList(index: LayerIndex): index is LayerIndex & LayerList {
  return "layers" in index;
}

/** Returns whether a scope equals another scope, or is inside it. */
export function containsScope(outer: Scope, inner: Scope): boolean {
  for (let scope: Scope | null = inner; scope !== null; scope = scope.parent) if (scope === outer) return true;
  return false;
}

/** Returns the walked router's scope. */
export function rootOf(scope: Scope): Scope {
  return scope.parent === null ? scope : rootOf(scope.parent);
}

/**
 * Returns the outermost router that a walk enters when it moves from one scope to another.
 *
 * @param to The new scope
 * @param from The old scope
 * @returns The router's scope, `null` if the walk enters no router
 */
export function firstEntered(to: Scope, from: Scope): Scope | null {
  let entered: Scope | null = null;
  for (let scope: Scope | null = to; scope !== null && !containsScope(scope, from); scope = scope.parent) {
    entered = scope;
  }
  return entered;
}

/** A layer with a position in registration order. */
export interface OrderedLayer {
  /** The layer. */
  readonly layer: Layer;
  /** Scope of its router. */
  readonly scope: Scope;
}

/**
 * Compares two layers by the order they are tried in: a mounted router's layers come where it is mounted.
 *
 * @returns Negative if the first comes first; 0 if they are the same, or one is in a router that the other mounts
 */
export function compareOrder(a: OrderedLayer, b: OrderedLayer): number {
  if (a.scope === b.scope) return a.layer.order - b.layer.order;
  const depth = Math.min(a.scope.mountOrders.length, b.scope.mountOrders.length);
  for (let i = 0; i <= depth; i++) {
    const difference = orderAt(a, i) - orderAt(b, i);
    if (difference !== 0) return difference;
  }
  return 0;
}

// the mount's position at some depth, or the layer's own below the last mount
function orderAt({ scope, layer }: OrderedLayer, depth: number): number {
  return scope.mountOrders[depth] ?? layer.order;
}
