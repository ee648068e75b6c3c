import { type Layer, Step } from "./layer.ts";
import type { PathPattern } from "./path_pattern.ts";

/** A layer that may match, with its pattern where that is known to. */
export interface Reached {
  /** The layer. */
  readonly layer: Layer;
  /** Its only pattern, when it is known to match; `null` when the layer must be asked. */
  readonly proven: PathPattern | null;
}

/**
 * Flattens layers into the steps a method makes of them.
 *
 * @param reached The layers, in the order of registration
 * @param method The method in capitals; `WS` for an upgrade
 * @returns The steps
 */
export function stepsOf(reached: Iterable<Reached>, method: string): Step[] {
  const steps: Step[] = [];
  for (const { layer, proven } of reached) {
    const { route } = layer;
    if (layer.mounted !== null) {
      steps.push(new Step(layer, "mount", null, true, steps.length + 1, proven));
      continue;
    }
    if (route !== null && layer.socket !== (method === "WS")) continue;
    const entries = route === null ? layer.entries : route.entriesFor(method);
    // a route that cannot answer stays for OPTIONS, which lists what it can
    if (route !== null && entries.length === 0 && method === "OPTIONS") {
      steps.push(new Step(layer, "allow", null, true, steps.length + 1, proven));
    }
    const end = steps.length + entries.length;
    entries.forEach(({ fn, kind }, index) => steps.push(new Step(layer, kind, fn, index === 0, end, proven)));
  }
  return steps;
}
