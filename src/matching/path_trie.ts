import { entersMount, type LayerList, type Scope, type Step } from "./layer.ts";
import { KNOWN_METHODS } from "./methods.ts";
import { stepsOf } from "./steps.ts";
import { type Candidate, type Copies, foldCase, inOrder, TrieNode } from "./trie_node.ts";

/** Where a registered word leads. */
interface Word {
  readonly text: string;
  readonly state: TrieState | null;
}

/** Places for words at a state, a power of two. */
const WORD_PLACES = 8;
// no segment has a slash
const NO_WORD: Word = { text: "/", state: null };

function wordPlace(path: string, start: number, end: number): number {
  return (path.charCodeAt(start) + end - start) & (WORD_PLACES - 1);
}

/**
 * Where a path has led: the set of trie nodes that are possible after its segments so far.
 *
 * States are made on demand and kept, so that matching costs one map look-up a segment however many routes there are.
 * There are only as many as the registered segments can make, whatever a client sends.
 */
export class TrieState {
  /** Whether every segment that led here was registered. */
  readonly literal: boolean;
  /** Where any segment leads, where none was registered. */
  #only: TrieState | null = null;
  #next: Map<string, TrieState> | null = null;
  /** Some of them: comparing a word where it stands is cheaper than cutting it out and hashing it. */
  #words: Word[] | null = null;
  /** The method somebody asked for first, which is nearly always the only one. */
  #method: string | null = null;
  #steps: readonly Step[] | null = null;
  #ended: TrieState | null = null;
  /** Where a segment leads that was not registered. */
  #other: TrieState | null = null;
  #others: Map<string, readonly Step[]> | null = null;
  readonly #nodes: readonly TrieNode[];
  readonly #inherited: readonly Candidate[];
  readonly #slash: boolean;
  readonly #copies: Copies;
  #leadsToSocket: boolean | null = null;

  /**
   * @param nodes The nodes
   * @param inherited Layers for every path that comes here, from nodes on the way
   * @param slash Whether the path ends in a slash here
   * @param literal Whether every segment that led here was registered
   * @param copies How often each router is in the trie
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

  /** Whether no longer path can lead anywhere. */
  get dead(): boolean {
    return this.#nodes.length === 0;
  }

  /**
   * The state after one more segment.
   *
   * @param path The path
   * @param start Where the segment begins
   * @param end Where it ends
   * @param sensitive Whether case counts
   */
  after(path: string, start: number, end: number, sensitive: boolean): TrieState {
    // where only parameters follow, the segment itself need not be looked up
    if (this.#only !== null && end > start) return this.#only;
    const words = this.#words;
    if (words !== null) {
      const word = words[wordPlace(path, start, end)]!;
      if (word.text.length === end - start && path.startsWith(word.text, start)) return word.state!;
    }
    return this.#afterText(path.slice(start, end), sensitive);
  }

  #afterText(segment: string, sensitive: boolean): TrieState {
    const known = this.#next?.get(segment);
    if (known === undefined) return this.#afterNew(sensitive ? segment : foldCase(segment));
    const words = this.#words ??= new Array(WORD_PLACES).fill(NO_WORD);
    const place = wordPlace(segment, 0, segment.length);
    // the first to come stays, or many words that share a place would push each other out all the time
    if (words[place] === NO_WORD && segment !== "") words[place] = { text: segment, state: known };
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

  /** The state of a path that ends in a slash here. */
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
      // a parameter takes at least one character
      if (node.param !== null && segment !== "") nodes.push(node.param);
    }
    // a copy has room for no more than it holds; the list that grew has room for seventeen
    return new TrieState(nodes.slice(), this.#inherited, false, this.literal && literal, this.#copies);
  }

  /**
   * The steps of a path that ends here.
   *
   * @param method The method in capitals; `WS` for an upgrade
   */
  stepsFor(method: string): readonly Step[] {
    if (method === this.#method) return this.#steps!;
    return this.#others?.get(method) ?? this.#stepsForNew(method);
  }

  #stepsForNew(method: string): readonly Step[] {
    const steps = stepsOf(this.#candidates(), method).slice();
    // methods come from the client: only those somebody could mean are worth keeping
    if (!KNOWN_METHODS.has(method)) return steps;
    if (this.#steps === null) {
      this.#method = method;
      this.#steps = steps;
    } else (this.#others ??= new Map()).set(method, steps);
    return steps;
  }

  /** Whether a WebSocket route may lie behind a path that ends here. */
  get leadsToSocket(): boolean {
    return this.#leadsToSocket ??= this.#candidates().some(({ layer }) =>
      layer.socket || layer.mounted?.source.hasSockets === true
    );
  }

  /**
   * Whether a WebSocket route matches a path that ends here.
   *
   * @param path The path
   */
  reachesSocket(path: string): boolean {
    return this.leadsToSocket && this.#candidates().some(({ layer, proven, scope }) => {
      const source = layer.mounted?.source;
      if (!layer.socket && source?.hasSockets !== true) return false;
      const below = path.slice(scope.taken) || "/";
      // of a broken escape the walk tells
      const match = unlessBroken(() => proven === null ? layer.match(below) : proven.fixed ?? proven.extract(below));
      if (match === null || source === undefined) return match !== null;
      return entersMount(match, below) && source.reachesSocket(below.slice(match.length) || "/");
    });
  }

  /** Layers for a path that ends here, in the order in which they are tried, each once. */
  #candidates(): Candidate[] {
    const found = [...this.#inherited];
    for (const { ends } of this.#nodes) {
      if (ends !== null) found.push(...ends.filter((candidate) => candidate.endsIn(this.#slash)));
    }
    return inOrder(found);
  }
}

function unlessBroken<Result>(match: () => Result): Result | null {
  try {
    return match();
  } catch {
    return null;
  }
}

/** Places for paths asked for lately, a power of two. */
const PLACES = 64;

/** Longer ones that clients invent are not kept. */
const LONGEST = 256;

/** One in so many invented ones is kept: what is asked for often gets in soon, what is asked for once seldom. */
const ADMITTED = 16;

/** The registered paths of one router, and of routers mounted below it at literal paths, as a trie of segments. */
export class PathTrie {
  readonly #start: TrieState;
  readonly #sensitive: boolean;
  /** Paths that were asked for lately, and where they lead: comparing is cheaper than hashing. */
  readonly #paths: string[] = new Array(PLACES).fill("");
  readonly #states: (TrieState | null)[] = new Array(PLACES).fill(null);
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
    const place = (path.length * 31 + path.charCodeAt(path.length - 1)) & (PLACES - 1);
    if (this.#paths[place] === path) return this.#states[place]!;
    const state = this.#walk(path);
    if (state.literal || this.#admits(path, place)) {
      this.#paths[place] = path;
      this.#states[place] = state;
    }
    return state;
  }

  // what clients invent must not push out what was registered
  #admits(path: string, place: number): boolean {
    if (++this.#invented % ADMITTED !== 0 || path.length > LONGEST) return false;
    return this.#states[place]?.literal !== true;
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
