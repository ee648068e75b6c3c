import type { Layer, Step } from "./layer.ts";
import type { PathPattern } from "./path_pattern.ts";

/** A layer that a path leads to. */
export interface Candidate {
  /** The layer. */
  readonly layer: Layer;
  /** The pattern that is known to match, `null` when the layer must still be asked. */
  readonly proven: PathPattern | null;
}

/** Whether a candidate minds the slash at the end of the path. */
type Slash = "any" | "with" | "without";

/** A route at a node. */
interface End {
  readonly candidate: Candidate;
  readonly slash: Slash;
}

/** One registered segment; its collections are made when there is something to put in them. */
class TrieNode {
  children: Map<string, TrieNode> | null = null;
  param: TrieNode | null = null;
  /** Mounts that apply to every path through this node. */
  mounts: Candidate[] | null = null;
  /** Routes for paths that end here. */
  ends: End[] | null = null;

  mount(candidate: Candidate): void {
    if (this.mounts === null) this.mounts = [candidate];
    else this.mounts.push(candidate);
  }

  end(end: End): void {
    if (this.ends === null) this.ends = [end];
    else this.ends.push(end);
  }
}

/**
 * Where a path has led: the set of trie nodes that are possible after its segments so far.
 *
 * States are made on demand and kept, so that matching costs one map look-up a segment however many routes there are.
 * There are only as many as the registered segments can make, whatever a client sends.
 */
export class TrieState {
  /** Finished lists of steps by method. */
  readonly steps: Map<string, readonly Step[]> = new Map();
  /** Whether every segment that led here was registered. */
  readonly literal: boolean;
  /** Whether a WebSocket route may lie behind it, once somebody asked. */
  leadsToSocket: boolean | undefined = undefined;
  readonly #nodes: readonly TrieNode[];
  readonly #inherited: readonly Candidate[];
  readonly #slash: boolean;
  readonly #next = new Map<string, TrieState>();
  /** Where a segment leads that was not registered. */
  #other: TrieState | null = null;
  /** The same, where none was. */
  #only: TrieState | null = null;
  #ended: TrieState | null = null;

  constructor(nodes: readonly TrieNode[], inherited: readonly Candidate[], slash: boolean, literal: boolean) {
    this.#nodes = nodes;
    this.#slash = slash;
    this.literal = literal;
    this.#inherited = slash ? inherited : [...inherited, ...nodes.flatMap((node) => node.mounts ?? [])];
  }

  /** Whether no longer path can lead anywhere. */
  get dead(): boolean {
    return this.#nodes.length === 0;
  }

  /**
   * The state after one more segment.
   *
   * @param segment The segment as it came
   * @param sensitive Whether case counts
   */
  after(segment: string, sensitive: boolean): TrieState {
    // where only parameters follow, the segment itself need not be looked up
    if (this.#only !== null && segment !== "") return this.#only;
    return this.#next.get(segment) ?? this.#afterNew(sensitive ? segment : segment.toLowerCase());
  }

  #afterNew(segment: string): TrieState {
    const known = this.#next.get(segment);
    if (known !== undefined) return known;
    if (segment !== "" && !this.#nodes.some((node) => node.children?.has(segment))) {
      this.#other ??= this.#step(segment);
      if (this.#nodes.every((node) => node.children === null)) this.#only = this.#other;
      return this.#other;
    }
    const state = this.#step(segment);
    this.#next.set(segment, state);
    return state;
  }

  /** The state of a path that ends in a slash here. */
  afterSlash(): TrieState {
    return this.#ended ??= new TrieState(this.#nodes, this.#inherited, true, this.literal);
  }

  #step(segment: string): TrieState {
    const nodes: TrieNode[] = [];
    let literal = false;
    for (const node of this.#nodes) {
      const child = node.children?.get(segment);
      if (child !== undefined) {
        nodes.push(child);
        literal = true;
      }
      // a parameter takes at least one character
      if (node.param !== null && segment !== "") nodes.push(node.param);
    }
    return new TrieState(nodes, this.#inherited, false, this.literal && literal);
  }

  /** Layers for a path that ends here, in registration order, each once. */
  candidates(): Candidate[] {
    const found = new Map<Layer, Candidate>();
    for (const candidate of this.#inherited) add(found, candidate);
    for (const node of this.#nodes) {
      for (const { candidate, slash } of node.ends ?? []) {
        if (slash === "any" || (slash === "with") === this.#slash) add(found, candidate);
      }
    }
    return [...found.values()].sort((a, b) => a.layer.order - b.layer.order);
  }
}

// a layer reached by two of its patterns must be asked which of them comes first
function add(found: Map<Layer, Candidate>, candidate: Candidate): void {
  const earlier = found.get(candidate.layer);
  found.set(candidate.layer, earlier === undefined ? candidate : { layer: candidate.layer, proven: null });
}

/** Places for paths asked for lately, a power of two. */
const PLACES = 64;

/** The registered paths of one router, as a trie of segments. */
export class PathTrie {
  readonly #start: TrieState;
  readonly #sensitive: boolean;
  /** Paths of registered words that were asked for lately, and where they lead: comparing is cheaper than hashing. */
  readonly #paths: string[] = new Array(PLACES).fill("");
  readonly #states: TrieState[] = [];

  /**
   * @param layers The layers, in registration order
   * @param sensitive Whether case counts
   */
  constructor(layers: readonly Layer[], sensitive: boolean) {
    this.#sensitive = sensitive;
    const root = new TrieNode();
    for (const layer of layers) {
      if (layer.everywhere) root.mount({ layer, proven: layer.patterns[0]! });
      else for (const pattern of layer.patterns) this.#insert(root, layer, pattern);
    }
    this.#start = new TrieState([root], [], false, true);
  }

  #insert(root: TrieNode, layer: Layer, pattern: PathPattern): void {
    const { segments } = pattern;
    const proven = layer.patterns.length === 1 && !pattern.constrained ? pattern : null;
    if (segments === null) {
      const node = pattern.prefix.reduce((at, literal) => this.#child(at, literal), root);
      node.mount({ layer, proven: null });
      return;
    }
    const last = segments.at(-1);
    // a strict route may end in a slash of its own, which shows as an empty last segment
    const slashed = last !== undefined && "literal" in last && last.literal === "";
    let node = root;
    for (const segment of slashed ? segments.slice(0, -1) : segments) {
      if ("literal" in segment) node = this.#child(node, segment.literal);
      else node = node.param ??= new TrieNode();
    }
    const candidate = { layer, proven };
    if (layer.route === null) node.mount(candidate);
    else node.end({ candidate, slash: !layer.strict || node === root ? "any" : slashed ? "with" : "without" });
  }

  #child(node: TrieNode, literal: string): TrieNode {
    const key = this.#sensitive ? literal : literal.toLowerCase();
    const children = node.children ??= new Map();
    const known = children.get(key);
    if (known !== undefined) return known;
    const made = new TrieNode();
    children.set(key, made);
    return made;
  }

  /**
   * Follows a path.
   *
   * @param path A path beginning with a slash, not decoded
   * @returns The state it ends in
   */
  find(path: string): TrieState {
    const place = (path.length * 31 + path.charCodeAt(path.length - 1)) & (PLACES - 1);
    if (this.#paths[place] === path) return this.#states[place]!;
    const state = this.#walk(path);
    // what clients invent must not push out what was registered
    if (state.literal) {
      this.#paths[place] = path;
      this.#states[place] = state;
    }
    return state;
  }

  #walk(path: string): TrieState {
    let state = this.#start;
    for (let start = 1; start <= path.length;) {
      const slash = path.indexOf("/", start);
      if (slash === -1) {
        return start === path.length ? state.afterSlash() : state.after(path.slice(start), this.#sensitive);
      }
      state = state.after(path.slice(start, slash), this.#sensitive);
      if (state.dead) return state;
      start = slash + 1;
    }
    return state;
  }
}
