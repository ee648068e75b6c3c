import type { Layer, LayerList, Scope } from "./layer.ts";
import type { PathPattern } from "./path_pattern.ts";
import { compareOrder, scopeBelow } from "./scope.ts";

const SLASH = 47;

/** A layer that may match a path. */
export class Candidate {
  /** The layer. */
  readonly layer: Layer;
  /** Scope of its router. */
  readonly scope: Scope;
  /** The pattern, if reaching the node proves that it matches; `null` if the layer must be checked. */
  readonly proven: PathPattern | null;
  /** The layer's path, or its literal prefix if the layer must be checked; lowercase unless case-sensitive. */
  readonly text: string;
  /** Character code that starts a parameter in `text`. */
  readonly mark: number;
  /** Whether it matches only paths that end where `text` does, not longer ones. */
  readonly ends: boolean;
  /** Number of `text` characters that lead to the current node. */
  at = 0;
  /** The next candidate waiting at the same node. */
  next: Candidate | null = null;

  /**
   * @param layer The layer
   * @param scope Scope of its router
   * @param pattern One of its patterns
   * @param sensitive Whether paths are case-sensitive
   * @param text The path, or its literal prefix if the layer must be checked
   */
  constructor(layer: Layer, scope: Scope, pattern: PathPattern, sensitive: boolean, text = pattern.text) {
    const { whole, mark } = pattern;
    this.layer = layer;
    this.scope = scope;
    this.proven = layer.patterns.length === 1 && pattern.proves ? pattern : null;
    this.text = sensitive ? text : foldCase(text);
    this.mark = mark;
    this.ends = whole && layer.route !== null;
  }

  /** Returns whether it accepts a path that ends at its node, with or without a slash. */
  endsIn(slash: boolean): boolean {
    const { text } = this;
    return !this.layer.strict || text === "" || slash === (text.charCodeAt(text.length - 1) === SLASH);
  }
}

/**
 * Sorts candidates into the order they are tried in, without duplicate layers.
 *
 * A layer that occurs twice has several paths, and must be checked anyway.
 */
export function inOrder(candidates: Candidate[]): Candidate[] {
  candidates.sort(compareOrder);
  return candidates.filter(({ layer, scope }, i) => {
    const before = candidates[i - 1];
    return before === undefined || before.layer !== layer || before.scope !== scope;
  });
}

/**
 * Converts to lowercase, consistently with other paths' case-insensitive regular expressions, which do not match the
 * Kelvin sign as a `k`. Otherwise a path with one could bypass a guard and still reach the guarded route.
 *
 * @param text The string
 */
export function foldCase(text: string): string {
  if (!text.includes("\u212a")) return text.toLowerCase();
  return text.split("\u212a").map((part) => part.toLowerCase()).join("\u212a");
}

/**
 * Maximum copies of one router in a trie. Mounting routers twice at every level would make it explode, and a router
 * mounted below itself would never end. Further mounts are walked separately.
 */
const MOST_COPIES = 8;

/** Copies of each router in a trie. */
export type Copies = Map<LayerList, number>;

/**
 * One registered segment.
 *
 * The trie is built lazily: layers wait at a node until a request reaches it. So the first request splits only paths
 * with the same beginning, and descends only into routers mounted along its path.
 */
export class TrieNode {
  /** Nodes for literal segments. */
  children: Map<string, TrieNode> | null = null;
  /** The node for a parameter. */
  param: TrieNode | null = null;
  /** Layers for every path through this node. */
  mounts: Candidate[] | null = null;
  /** Routes for paths that end here. */
  ends: Candidate[] | null = null;
  #waiting: Candidate | null = null;

  /** Adds a layer that waits until a request reaches this node. */
  wait(candidate: Candidate): void {
    candidate.next = this.#waiting;
    this.#waiting = candidate;
  }

  /**
   * Adds all of a router's layers.
   *
   * @param list The layers
   * @param scope The router's scope
   */
  waitAll(list: LayerList, scope: Scope): void {
    for (const layer of list.layers) {
      for (const pattern of layer.patterns) {
        this.wait(new Candidate(layer, scope, pattern, list.sensitive));
        // a route that is not strict also matches with a trailing slash; for "/" that is "//"
        const isRoot = pattern.whole && pattern.text === "" && layer.route !== null && !layer.strict;
        if (isRoot) this.wait(new Candidate(layer, scope, pattern, list.sensitive, "//"));
      }
    }
  }

  /**
   * Moves waiting layers to their child nodes, or to `ends` and `mounts`.
   *
   * @param copies Number of copies of each router in the trie
   */
  open(copies: Copies): void {
    // a loop, because it adds the layers from routers mounted here
    while (this.#waiting !== null) {
      const candidate = this.#waiting;
      this.#waiting = candidate.next;
      candidate.next = null;
      this.#send(candidate, copies);
    }
  }

  #send(candidate: Candidate, copies: Copies): void {
    const { text } = candidate;
    const start = candidate.at + 1;
    // `text` ends here, perhaps with a strict route's slash
    if (start >= text.length) return this.#settle(candidate, copies);
    const slash = text.indexOf("/", start);
    const end = slash === -1 ? text.length : slash;
    candidate.at = end;
    if (end > start && text.charCodeAt(start) === candidate.mark) {
      return (this.param ??= new TrieNode()).wait(candidate);
    }
    const literal = text.slice(start, end);
    const children = this.children ??= new Map();
    const child = children.get(literal);
    if (child !== undefined) return child.wait(candidate);
    const made = new TrieNode();
    children.set(literal, made);
    made.wait(candidate);
  }

  #settle(candidate: Candidate, copies: Copies): void {
    if (candidate.ends) {
      if (this.ends === null) this.ends = [candidate];
      else this.ends.push(candidate);
      return;
    }
    const scope = candidate.proven === null ? null : scopeBelow(candidate.scope, candidate.layer);
    const times = scope === null ? MOST_COPIES : copies.get(scope.list!) ?? 0;
    if (times < MOST_COPIES) {
      copies.set(scope!.list!, times + 1);
      return this.waitAll(scope!.list!, scope!);
    }
    if (this.mounts === null) this.mounts = [candidate];
    else this.mounts.push(candidate);
  }
}
