import type { Layer, Step } from "./layer.ts";
import { KNOWN_METHODS } from "./methods.ts";
import { PathTrie } from "./path_trie.ts";
import { stepsOf } from "./steps.ts";

/**
 * An index over an ordered list of layers, never a second truth: for a path and a method it yields the layers that
 * match, in registration order.
 *
 * Paths of literals and whole parameters are matched by walking a trie segment by segment; whatever else there is
 * (RegExps, wildcards, optional parts) hangs at the literal prefix it begins with and is asked by the walk. The list
 * of steps for a shape of path is worked out once and kept.
 */
export class FastMatcher {
  #layers: () => readonly Layer[];
  #sensitive: boolean;
  #trie: PathTrie | null = null;
  #builtAt = -1;
  #epoch: () => number;

  /**
   * Makes an index; a router makes its own.
   *
   * @param layers The list, in registration order
   * @param epoch Grows with every registration, so that a stale index is noticed
   * @param sensitive Whether case counts
   */
  constructor(layers: () => readonly Layer[], epoch: () => number, sensitive: boolean) {
    this.#layers = layers;
    this.#epoch = epoch;
    this.#sensitive = sensitive;
  }

  /**
   * Yields what matches a path.
   *
   * @param path A path beginning with a slash, not decoded
   * @param method The method in capitals; `WS` for an upgrade
   * @returns The steps in registration order
   */
  stepsFor(path: string, method: string): readonly Step[] {
    const state = this.#current().find(path);
    const known = state.steps.get(method);
    if (known !== undefined) return known;
    const steps = stepsOf(state.candidates(), method);
    // methods come from the client: only those somebody could mean are worth keeping
    if (KNOWN_METHODS.has(method)) state.steps.set(method, steps);
    return steps;
  }

  /**
   * Tells whether an upgrade request may find a WebSocket route, without looking at its headers.
   *
   * @param path A path beginning with a slash, not decoded
   */
  leadsToSocket(path: string): boolean {
    const state = this.#current().find(path);
    return state.leadsToSocket ??= state.candidates().some(({ layer }) =>
      layer.socket || layer.mounted?.source.hasSockets
    );
  }

  #current(): PathTrie {
    const epoch = this.#epoch();
    if (this.#trie === null || this.#builtAt !== epoch) {
      this.#trie = new PathTrie(this.#layers(), this.#sensitive);
      this.#builtAt = epoch;
    }
    return this.#trie;
  }
}
