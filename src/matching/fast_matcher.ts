import { type Layer, type LayerIndex, type LayerList, Scope, type Step } from "./layer.ts";
import { PathTrie } from "./path_trie.ts";

/**
 * An index over an ordered list of layers. For a path and a method it returns the matching layers, in registration
 * order. The list remains the single source of truth.
 *
 * Paths with only literals and whole parameters are matched in a trie, segment by segment. All other paths (RegExps,
 * wildcards, optional parts) are stored under their literal prefix and tried during the walk. The step list for each
 * path shape is computed once. Layers in routers mounted at literal paths are in the same list, where the mount is.
 *
 * @example A request's steps
 * ```ts
 * import { FastMatcher, Layer } from "@sluice/sluice";
 *
 * const layers = [new Layer("example", "/users/:id", { sensitive: false, strict: false, end: true }, { fn: () => {} })];
 * const matcher = new FastMatcher(() => layers, () => layers.length, false);
 * console.log(matcher.stepsFor("/users/7", "GET").length, matcher.stepsFor("/", "GET").length); // 1 0
 * ```
 */
export class FastMatcher implements LayerIndex, LayerList {
  /** Whether paths are case-sensitive. */
  readonly sensitive: boolean;
  readonly #layers: () => readonly Layer[];
  readonly #epoch: () => number;
  readonly #scope: Scope;
  #trie: PathTrie | null = null;
  #builtAt = -1;

  /**
   * Creates an index; each router creates its own.
   *
   * @param layers The list, in registration order
   * @param epoch Number of registrations so far; a change invalidates the index
   * @param sensitive Whether paths are case-sensitive
   */
  constructor(layers: () => readonly Layer[], epoch: () => number, sensitive: boolean) {
    this.#layers = layers;
    this.#epoch = epoch;
    this.sensitive = sensitive;
    this.#scope = new Scope(this);
  }

  /** The list in registration order, with updated positions, for building an index. */
  get layers(): readonly Layer[] {
    const layers = this.#layers();
    // programs may remove or move layers in a router's list, and replace the functions they call
    layers.forEach((layer, index) => {
      layer.order = index;
      layer.noteOwnHandle();
    });
    return layers;
  }

  /**
   * Returns the steps for the layers that match a path.
   *
   * @param path A path beginning with a slash, not decoded
   * @param method The uppercase method; `WS` for an upgrade
   * @returns The steps in registration order
   */
  stepsFor(path: string, method: string): readonly Step[] {
    return this.#current().find(path).stepsFor(method);
  }

  /**
   * Returns whether an upgrade request might match a WebSocket route; cheap, but only `false` is certain.
   *
   * @param path A path beginning with a slash, not decoded
   */
  leadsToSocket(path: string): boolean {
    return this.#current().find(path).leadsToSocket;
  }

  /**
   * Returns whether an upgrade request matches a WebSocket route.
   *
   * @param path A path beginning with a slash, not decoded
   */
  reachesSocket(path: string): boolean {
    return this.#current().find(path).reachesSocket(path);
  }

  /** Whether the layers, or a mounted router's, include WebSocket routes. */
  get hasSockets(): boolean {
    return FastMatcher.#hasSockets(this, new Set());
  }

  // a router may be mounted below itself, for tree-shaped paths
  static #hasSockets(matcher: FastMatcher, seen: Set<FastMatcher>): boolean {
    if (seen.has(matcher)) return false;
    seen.add(matcher);
    return matcher.#layers().some(({ socket, mounted }) => {
      if (socket || mounted === null) return socket;
      const { fastMatcher } = mounted.source;
      return fastMatcher instanceof FastMatcher ? FastMatcher.#hasSockets(fastMatcher, seen) : fastMatcher.hasSockets;
    });
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
