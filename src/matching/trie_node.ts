import type { Layer, LayerList, Scope } from "./layer.ts";
import type { PathPattern } from "./path_pattern.ts";
import { comparePlaces, scopeBelow } from "./scope.ts";

const SLASH = 47;

/** A layer that a path may lead to. */
export class Candidate {
  /** The layer. */
  readonly layer: Layer;
  /** Where its router is. */
  readonly scope: Scope;
  /** The pattern that is known to match, `null` when the layer must still be asked. */
  readonly proven: PathPattern | null;
  /** The layer's path, or what a path begins with if the layer must be asked, in lower case unless case counts. */
  readonly text: string;
  /** Code of the character that begins a parameter in the text. */
  readonly mark: number;
  /** Whether it is for paths that end where the text does; otherwise it is for longer ones too. */
  readonly ends: boolean;
  /** Characters of the text that lead to the present node. */
  at = 0;
  /** Another one that waits at the same node. */
  next: Candidate | null = null;

  /**
   * @param layer The layer
   * @param scope Where its router is
   * @param pattern One of its patterns
   * @param sensitive Whether case counts
   * @param text The path, or what a path begins with if the layer must be asked
   */
  constructor(layer: Layer, scope: Scope, pattern: PathPattern, sensitive: boolean, text = pattern.text) {
    const { whole, mark } = pattern;
    this.layer = layer;
    this.scope = scope;
    this.proven = whole && layer.patterns.length === 1 && !pattern.constrained ? pattern : null;
    this.text = sensitive ? text : foldCase(text);
    this.mark = mark;
    this.ends = whole && layer.route !== null;
  }

  /** Whether a path that ends at its node may end as it does: in a slash or without. */
  endsIn(slash: boolean): boolean {
    const { text } = this;
    return !this.layer.strict || text === "" || slash === (text.charCodeAt(text.length - 1) === SLASH);
  }
}

/**
 * Puts candidates into the order in which they are tried, each layer once.
 *
 * A layer that is there twice has several paths; it has to be asked anyway.
 */
export function inOrder(candidates: Candidate[]): Candidate[] {
  candidates.sort(comparePlaces);
  return candidates.filter(({ layer, scope }, i) => {
    const before = candidates[i - 1];
    return before === undefined || before.layer !== layer || before.scope !== scope;
  });
}

/**
 * The lower case of a text where case does not count, as for the regular expressions of other paths: the Kelvin sign is
 * no `k` to them, and must not lead past a guard to what it guards.
 *
 * @param text The text
 */
export function foldCase(text: string): string {
  if (!text.includes("\u212a")) return text.toLowerCase();
  return text.split("\u212a").map((part) => part.toLowerCase()).join("\u212a");
}

/**
 * How often one router is put into one trie. Routers that are mounted twice at every level would make it explode, and a
 * router that is mounted below itself would never end; those that are left out are walked by themselves.
 */
const MOST_COPIES = 8;

/** How often each router is in a trie. */
export type Copies = Map<LayerList, number>;

/**
 * One registered segment.
 *
 * Layers wait at the node they have come to until a path comes there too. So the first request takes apart only the
 * paths that begin as its own does, and goes only into the routers that are mounted on its way.
 */
export class TrieNode {
  /** Nodes of literal segments. */
  children: Map<string, TrieNode> | null = null;
  /** The node of a parameter. */
  param: TrieNode | null = null;
  /** Layers for every path through this node. */
  mounts: Candidate[] | null = null;
  /** Routes for paths that end here. */
  ends: Candidate[] | null = null;
  #waiting: Candidate | null = null;

  /** Lets a layer wait until a path comes here. */
  wait(candidate: Candidate): void {
    candidate.next = this.#waiting;
    this.#waiting = candidate;
  }

  /**
   * Lets every layer of a router wait here.
   *
   * @param list The layers
   * @param scope Where the router is
   */
  waitAll(list: LayerList, scope: Scope): void {
    for (const layer of list.layers) {
      for (const pattern of layer.patterns) {
        this.wait(new Candidate(layer, scope, pattern, list.sensitive));
        // a slash may follow every route that is not strict, and so the one of "/"
        const isRoot = pattern.whole && pattern.text === "" && layer.route !== null && !layer.strict;
        if (isRoot) this.wait(new Candidate(layer, scope, pattern, list.sensitive, "//"));
      }
    }
  }

  /**
   * Sends on what waits here, and puts what ends here into its place.
   *
   * @param copies How often each router is in the trie
   */
  open(copies: Copies): void {
    // routers that are mounted here let their layers wait here
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
    // a strict route may end in a slash of its own
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
