import { usualSpelling } from "../util/path_spelling.ts";
import { unlessBroken } from "./capture.ts";
import type { LayerList, Scope, Step } from "./layer.ts";
import { isKnownMethod } from "./methods.ts";
import { stepsOf } from "./steps.ts";
import { type Candidate, type Copies, foldCase, inOrder, TrieNode } from "./trie_node.ts";

/** A registered word and the next state. */
interface Word {
  readonly text: string;
  readonly state: TrieState | null;
}

/** Word slots per state; a power of two. */
const WORD_SLOTS = 8;
// never equal to a segment, which has no slash
const NO_WORD: Word = { text: "/", state: null };

function wordSlot(path: string, start: number, end: number): number {
  return (path.charCodeAt(start) + end - start) & (WORD_SLOTS - 1);
}

/**
 * A state in the automaton: the set of trie nodes reachable by a path's segments so far.
 *
 * States are created on demand and kept, so matching costs one map lookup per segment, however many routes there are.
 * Only registered segments lead to new states, so clients cannot create more of them.
 */
export class TrieState {
  /** Whether every segment so far is a registered word. */
  readonly literal: boolean;
  /** The state after any segment if no literal segments are registered here. */
  #only: TrieState | null = null;
  #next: Map<string, TrieState> | null = null;
  /** Cache for `#next`: comparing a word in place is cheaper than slicing and hashing it. */
  #words: Word[] | null = null;
  /** The method requested first, which is nearly always the only one. */
  #method: string | null = null;
  #steps: readonly Step[] | null = null;
  #ended: TrieState | null = null;
  /** The state after an unregistered segment. */
  #other: TrieState | null = null;
  #others: Map<string, readonly Step[]> | null = null;
  readonly #nodes: readonly TrieNode[];
  readonly #inherited: readonly Candidate[];
  readonly #slash: boolean;
  readonly #copies: Copies;
  #leadsToSocket: boolean | null = null;

  /**
   * @param nodes The nodes
   * @param inherited Earlier nodes' layers that match every path below them
   * @param slash Whether the path ends with a slash here
   * @param literal Whether every segment so far is a registered word
   * @param copies Number of copies of each router in the trie
   */
  constructor(
    nodes: readonly TrieNode[],
    inherited: readonly Candidate[],
    slash: boolean,
    literal: boolean,
    copies: Copies,
  ) {
    this.#nodes = nodes;
    this.#slash = slash;
    this.literal = literal;
    this.#copies = copies;
    let all = inherited;
    if (!slash) {
      for (const node of nodes) {
        node.open(copies);
        if (node.mounts !== null) all = [...all, ...node.mounts];
      }
    }
    this.#inherited = all;
  }

  /** Whether longer paths cannot match. */
  get dead(): boolean {
    return this.#nodes.length === 0;
  }

  /**
   * Returns the state after one more segment.
   *
   * @param path The path
   * @param start Start of the segment
   * @param end End of the segment
   * @param sensitive Whether paths are case-sensitive
   */
  after(path: string, start: number, end: number, sensitive: boolean): TrieState {
    // if only parameters follow, no lookup is needed
    if (this.#only !== null && end > start) return this.#only;
    const words = this.#words;
    if (words !== null) {
      const word = words[wordSlot(path, start, end)]!;
      if (word.text.length === end - start && path.startsWith(word.text, start)) return word.state!;
    }
    return this.#afterText(path.slice(start, end), sensitive);
  }

  #afterText(segment: string, sensitive: boolean): TrieState {
    const known = this.#next?.get(segment);
    if (known === undefined) {
      const usual = usualSpelling(segment);
      return this.#afterNew(sensitive ? usual : foldCase(usual));
    }
    const words = this.#words ??= new Array(WORD_SLOTS).fill(NO_WORD);
    const slot = wordSlot(segment, 0, segment.length);
    // the first word keeps the slot, because words that share a slot would keep evicting each other
    if (words[slot] === NO_WORD && segment !== "") words[slot] = { text: segment, state: known };
    return known;
  }

  #afterNew(segment: string): TrieState {
    const known = this.#next?.get(segment);
    if (known !== undefined) return known;
    if (segment !== "" && !this.#nodes.some((node) => node.children?.has(segment))) {
      this.#other ??= this.#step(segment);
      if (this.#nodes.every((node) => node.children === null)) this.#only = this.#other;
      return this.#other;
    }
    const state = this.#step(segment);
    (this.#next ??= new Map()).set(segment, state);
    return state;
  }

  /** Returns the state for a path that ends with a slash here. */
  afterSlash(): TrieState {
    return this.#ended ??= new TrieState(this.#nodes, this.#inherited, true, this.literal, this.#copies);
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
      // a parameter needs at least one character
      if (node.param !== null && segment !== "") nodes.push(node.param);
    }
    // a copy has exactly the needed capacity; the array that grew has room for seventeen
    return new TrieState(nodes.slice(), this.#inherited, false, this.literal && literal, this.#copies);
  }

  /**
   * Returns the steps for a path that ends here.
   *
   * @param method The uppercase method; `WS` for an upgrade
   */
  stepsFor(method: string): readonly Step[] {
    if (method === this.#method) return this.#steps!;
    return this.#others?.get(method) ?? this.#stepsForNew(method);
  }

  #stepsForNew(method: string): readonly Step[] {
    const steps = stepsOf(this.#candidates(), method).slice();
    // methods come from the client, so only known ones are cached
    if (!isKnownMethod(method)) return steps;
    if (this.#steps === null) {
      this.#method = method;
      this.#steps = steps;
    } else (this.#others ??= new Map()).set(method, steps);
    return steps;
  }

  /** Whether a path that ends here might match a WebSocket route. */
  get leadsToSocket(): boolean {
    return this.#leadsToSocket ??= this.#candidates().some(({ layer }) =>
      layer.socket || layer.mounted?.source.fastMatcher.hasSockets === true
    );
  }

  /**
   * Returns whether a WebSocket route matches a path that ends here.
   *
   * @param path The path
   */
  reachesSocket(path: string): boolean {
    return this.leadsToSocket && this.#candidates().some(({ layer, proven, scope }) => {
      const index = layer.mounted?.source.fastMatcher;
      if (!layer.socket && index?.hasSockets !== true) return false;
      const below = path.slice(scope.consumed) || "/";
      // the walk reports a broken escape
      const match = unlessBroken(() => proven?.fixed ?? layer.find(below));
      if (match === null || index === undefined) return match !== null;
      return layer.enters(match, below) && index.reachesSocket(below.slice(match.length) || "/");
    });
  }

  /** Returns the layers for a path that ends here, each once, in the order they are tried. */
  #candidates(): Candidate[] {
    const found = [...this.#inherited];
    for (const { ends } of this.#nodes) {
      if (ends !== null) found.push(...ends.filter((candidate) => candidate.endsIn(this.#slash)));
    }
    return inOrder(found);
  }
}

/** Slots for recent paths; a power of two. */
const SLOTS = 64;

/** Longer unregistered paths are not cached. */
const LONGEST = 256;

/** One in this many unregistered paths is cached, so frequent paths soon get in and other paths rarely do. */
const ADMITTED = 16;

/** The paths registered on one router, and on routers mounted below it at literal paths, as a trie of segments. */
export class PathTrie {
  readonly #start: TrieState;
  readonly #sensitive: boolean;
  /** Recent paths and their states, because comparing is cheaper than hashing. */
  readonly #paths: string[] = new Array(SLOTS).fill("");
  readonly #states: (TrieState | null)[] = new Array(SLOTS).fill(null);
  #invented = 0;

  /**
   * @param list The layers
   * @param scope The router's own scope
   */
  constructor(list: LayerList, scope: Scope) {
    this.#sensitive = list.sensitive;
    const root = new TrieNode();
    root.waitAll(list, scope);
    const copies: Copies = new Map();
    this.#start = new TrieState([root], [], false, true, copies);
  }

  /**
   * Follows a path.
   *
   * @param path A path beginning with a slash, not decoded
   * @returns The state it ends in
   */
  find(path: string): TrieState {
    const slot = (path.length * 31 + path.charCodeAt(path.length - 1)) & (SLOTS - 1);
    return this.#paths[slot] === path ? this.#states[slot]! : this.#search(path, slot);
  }

  #search(path: string, slot: number): TrieState {
    const state = this.#walk(path);
    // literals may have many spellings, and each spelling would be a separate path here
    if ((state.literal && !path.includes("%")) || this.#admits(path, slot)) {
      this.#paths[slot] = path;
      this.#states[slot] = state;
    }
    return state;
  }

  // unregistered paths must not evict registered ones
  #admits(path: string, slot: number): boolean {
    if (++this.#invented % ADMITTED !== 0 || path.length > LONGEST) return false;
    return this.#states[slot]?.literal !== true;
  }

  #walk(path: string): TrieState {
    let state = this.#start;
    for (let start = 1; start <= path.length;) {
      const slash = path.indexOf("/", start);
      if (slash === -1) {
        return start === path.length ? state.afterSlash() : state.after(path, start, path.length, this.#sensitive);
      }
      state = state.after(path, start, slash, this.#sensitive);
      if (state.dead) return state;
      start = slash + 1;
    }
    return state;
  }
}
