import { type Layer, type LayerList, Scope, type Step } from "./layer.ts";
import { PathTrie } from "./path_trie.ts";

/**
 * An index over an ordered list of layers, never a second truth: for a path and a method it yields the layers that
 * match, in registration order.
 *
 * Paths of literals and whole parameters are matched by walking a trie segment by segment; whatever else there is
 * (RegExps, wildcards, optional parts) hangs at the literal prefix it begins with and is asked by the walk. The list
 * of steps for a shape of path is worked out once and kept. What routers have that are mounted at literal paths stands
 * in the same list, in the place of the mount.
 */
export class FastMatcher implements LayerList {
  /** Whether case counts. */
  readonly sensitive: boolean;
  readonly #layers: () => readonly Layer[];
  readonly #epoch: () => number;
  readonly #scope: Scope;
  #trie: PathTrie | null = null;
  #builtAt = -1;

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
    this.sensitive = sensitive;
    this.#scope = new Scope(this);
  }

  /** The list, in registration order, for an index that is being built. */
  get layers(): readonly Layer[] {
    const layers = this.#layers();
    // programs take layers out of the list of a router, and move them in it
    layers.forEach((layer, place) => layer.order = place);
    return layers;
  }

  /**
   * Yields what matches a path.
   *
   * @param path A path beginning with a slash, not decoded
   * @param method The method in capitals; `WS` for an upgrade
   * @returns The steps in registration order
   */
  stepsFor(path: string, method: string): readonly Step[] {
    return this.#current().find(path).stepsFor(method);
  }

  /**
   * Tells whether an upgrade request may find a WebSocket route, without looking at its headers.
   *
   * @param path A path beginning with a slash, not decoded
   */
  leadsToSocket(path: string): boolean {
    return this.#current().find(path).leadsToSocket;
  }

  /**
   * Tells whether an upgrade request finds a WebSocket route.
   *
   * @param path A path beginning with a slash, not decoded
   */
  reachesSocket(path: string): boolean {
    return this.#current().find(path).reachesSocket(path);
  }

  #current(): PathTrie {
    const epoch = this.#epoch();
    if (this.#trie === null || this.#builtAt !== epoch) {
      this.#trie = new PathTrie(this, this.#scope);
      this.#builtAt = epoch;
    }
    return this.#trie;
  }
}
