import { replacedCall, replacedErrorCall } from "./layer_call.ts";
import { type AnyHandler, type Layer, type LayerEntry, layerEntry, type Scope, Step } from "./layer.ts";
import type { PathPattern } from "./path_pattern.ts";
import { compareOrder, firstEntered, type OrderedLayer } from "./scope.ts";

/** A layer that may match. */
export interface Reached extends OrderedLayer {
  /** Its only pattern, if it is known to match; `null` if the layer must be checked. */
  readonly proven: PathPattern | null;
}

/**
 * Flattens layers into the steps for a method.
 *
 * @param reached The layers, in the order they are tried
 * @param method The uppercase method; `WS` for an upgrade
 * @returns The steps
 */
export function stepsOf(reached: Iterable<Reached>, method: string): Step[] {
  const steps: Step[] = [];
  for (const { layer, proven, scope } of reached) {
    const found = { layer, proven, scope };
    const { route } = layer;
    // on Workers, applications are objects, which cannot be called
    if (layer.mounted !== null && !(layer.isCalled && typeof layer.handle === "function")) {
      steps.push(mountStep(found, steps.length));
      continue;
    }
    // all() also matches upgrades, because otherwise a client could bypass its guards with an Upgrade header
    if (layer.socket && method !== "WS") continue;
    const own = route?.entriesFor(method) ?? layer.entries;
    // a route is called as a whole only for its methods
    const isWhole = own.length > 0 && layer.isCalled && (route === null || route.dispatch !== undefined);
    const entries = isWhole ? [layer.wrapper ?? layerEntry(layer.handle)] : own;
    // a route without a handler for OPTIONS still contributes its methods
    if (route !== null && entries.length === 0 && method === "OPTIONS") {
      steps.push(new Step({ ...found, kind: "allow", fn: null, enters: true, end: steps.length + 1 }));
    }
    const end = steps.length + entries.length;
    entries.forEach((entry, index) => {
      const fn = called(entry, isWhole ? layer : entry);
      steps.push(new Step({ ...found, kind: entry.kind, fn, enters: index === 0, end }));
    });
  }
  return steps;
}

/**
 * Returns one route's steps for a method, for a walk through its handlers alone.
 *
 * @param found The route's layer
 * @param entries The handlers for the method
 */
export function stepsOfRoute(found: Reached, entries: readonly LayerEntry[]): Step[] {
  return entries.map((entry, index) =>
    new Step({ ...found, kind: entry.kind, fn: called(entry, entry), enters: index === 0, end: entries.length })
  );
}

/** A router's or route's layer, as Express's methods see it. */
type Called = (LayerEntry | Layer) & { readonly handle: AnyHandler };

const calledBy = new WeakMap<AnyHandler, Called>();

/**
 * Returns the layer that a step's function calls if a program has overridden the way layers are called.
 *
 * @param step The step
 */
export function calledLayer({ fn }: Step): Called | undefined {
  return fn === null ? undefined : calledBy.get(fn);
}

function called({ fn, kind }: LayerEntry, self: LayerEntry | Layer): AnyHandler {
  const made = "handle" in self ? calling(kind, self) : null;
  if (made !== null) calledBy.set(made, self as Called);
  return made ?? fn;
}

function calling(kind: LayerEntry["kind"], self: Called): AnyHandler | null {
  if (kind === "handler" && replacedCall !== null) {
    const call = replacedCall;
    return (req, res, next) => call.call(self, req, res, next);
  }
  if (kind === "error" && replacedErrorCall !== null) {
    const call = replacedErrorCall;
    return (error, req, res, next) => call.call(self, error, req, res, next);
  }
  return null;
}

function mountStep(found: Reached, at: number): Step {
  return new Step({ ...found, kind: "mount", fn: null, enters: true, end: at + 1 });
}

/**
 * Replaces mounted routers' steps with mounts, so each router is walked separately.
 *
 * @param steps The steps for a path
 * @param from The walked scope; its enclosing routers are kept
 * @returns The steps; the same array if there is nothing to replace
 */
export function withMounts(steps: readonly Step[], from: Scope): readonly Step[] {
  if (steps.every((step) => firstEntered(step.scope, from) === null)) return steps;
  const kept: Step[] = [];
  let last: Scope | null = null;
  for (const [at, step] of steps.entries()) {
    const entered = firstEntered(step.scope, from);
    if (entered === null) kept.push(step.moved(kept.length - at));
    else if (entered !== last) {
      const mount = entered.mount!;
      kept.push(mountStep({ layer: mount, proven: mount.patterns[0]!, scope: entered.parent! }, kept.length));
    }
    last = entered;
  }
  return kept;
}

/**
 * Joins the steps up to the current layer with the new ones after it, once the path or the method has changed.
 *
 * @param steps The steps so far
 * @param current The step that ran last, if any
 * @param matched The steps for the new path and method
 * @returns The old steps to the end of the layer, and the new ones after it
 */
export function rematched(
  steps: readonly Step[],
  current: Step | undefined,
  matched: readonly Step[],
): readonly Step[] {
  const kept = steps.slice(0, current?.end ?? 0);
  const from = current === undefined ? 0 : matched.findIndex((step) => compareOrder(step, current) > 0);
  const later = from === -1 ? [] : matched.slice(from);
  return kept.concat(later.map((step) => step.moved(kept.length - from)));
}
