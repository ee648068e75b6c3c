import { bareObject } from "../http/bare_object.ts";
import { parse, PathError, pathToRegexp, type Token } from "path-to-regexp";
import { decodeParam } from "./decode_param.ts";
import { translateLegacyPath } from "./legacy_path.ts";

/** How a path is matched. */
export interface PathPatternOptions {
  /** Whether case counts. */
  readonly sensitive: boolean;
  /** Whether a trailing slash counts. */
  readonly strict: boolean;
  /** Whether the whole path must match (routes), or only its beginning (mounts). */
  readonly end: boolean;
}

/** A match: how much of the path it took, and the parameters, `null` where the pattern has none. */
export interface PathMatch {
  /** Where in the path the match begins; not 0 only for RegExps without an anchor. */
  readonly index: number;
  /** Characters of the path that matched. */
  readonly length: number;
  /** Decoded parameters. */
  readonly params: Record<string, PathValue> | null;
}

/** Value of a parameter: text, or a list of segments for a wildcard. */
// deno-lint-ignore no-explicit-any -- which of the two it is depends on the path
export type PathValue = any;

/** One segment of a simple pattern: a literal, or the name of a parameter that takes it whole. */
export type Segment = { readonly literal: string } | { readonly param: string };

const COLON = 58;

/** Paths of whole words and whole parameters, which need no parser: nearly all there are. */
const PLAIN = /^(?:\/(?::[A-Za-z_]\w*|[\w.~-]+))*\/?$/;
const NO_CONSTRAINTS: ReadonlyMap<string, RegExp> = new Map();
const NO_NAMES: ReadonlySet<string> = new Set();

/** A registered path, ready to be matched. */
export class PathPattern {
  /** The path as it was registered. */
  readonly source: string | RegExp;
  /** Names of the parameters, in order; numbers for unnamed ones. */
  readonly keys: readonly string[];
  /**
   * The segments of a pattern made of whole literals and whole parameters only; `null` for anything else, which is
   * matched by its regular expression.
   */
  readonly segments: readonly Segment[] | null;
  /** Literal segments every matching path begins with. */
  readonly prefix: readonly string[];
  /** Whether a match of the segments is not enough, because a constraint must be asked too. */
  readonly constrained: boolean;

  /** The match of a pattern without parameters, which is the same for every path. */
  readonly fixed: PathMatch | null;

  /** Where the parameters are in a path that matches the segments, worked out for the first one. */
  #layout: Layout | null = null;
  #constraints: ReadonlyMap<string, RegExp> = NO_CONSTRAINTS;
  #joined: ReadonlySet<string> = NO_NAMES;
  #wildcards: ReadonlySet<string> = NO_NAMES;
  #isRegExp: boolean;
  #options: PathPatternOptions;
  #path = "";
  #regex: RegExp | null = null;

  /**
   * Compiles a path.
   *
   * @param method Name of the caller for the error message, such as `app.get`
   * @param source A path string in Express 5's syntax or the Express 4 forms `*`, `:id?`, `:id(\d+)`, or a RegExp
   * @param options How to match
   * @throws {TypeError} If the path cannot be understood; the message names the spelling to use
   */
  constructor(method: string, source: string | RegExp, options: PathPatternOptions) {
    this.source = source;
    this.#options = options;
    this.#isRegExp = source instanceof RegExp;
    if (source instanceof RegExp) {
      this.#regex = source;
      this.keys = regExpKeys(source);
      this.segments = null;
      this.prefix = [];
      this.constrained = true;
      this.fixed = null;
      return;
    }
    this.#path = options.strict || source === "/" ? source : source.replace(/\/+$/, "");
    const plain = PLAIN.test(this.#path) ? plainSegments(this.#path) : null;
    if (plain !== null) {
      this.segments = plain;
      this.keys = namesOf(plain);
      this.prefix = [];
    } else {
      try {
        const translated = translateLegacyPath(this.#path);
        const { tokens } = parse(translated.path);
        this.#path = translated.path;
        const { regexp, keys } = this.#compile();
        this.#regex = regexp;
        this.keys = keys.map((key) => key.name);
        this.#wildcards = new Set(keys.filter((key) => key.type === "wildcard").map((key) => key.name));
        this.#constraints = translated.constraints;
        this.#joined = translated.joined;
        this.segments = simpleSegments(tokens);
        this.prefix = literalPrefix(tokens);
      } catch (error) {
        throw pathError(method, source, error);
      }
    }
    this.constrained = this.#constraints.size > 0;
    this.fixed = this.keys.length === 0 && this.segments !== null
      ? { index: 0, length: lengthOf(this.segments), params: null }
      : null;
  }

  #compile(): ReturnType<typeof pathToRegexp> {
    const { sensitive, end, strict } = this.#options;
    return pathToRegexp(this.#path, { sensitive, end, trailing: !strict });
  }

  /** The path as one regular expression; compiled when it is first asked for, for most paths never need it. */
  get regex(): RegExp {
    return this.#regex ??= this.#compile().regexp;
  }

  /**
   * Matches a path by the regular expression.
   *
   * @param path A path beginning with a slash, not decoded
   * @returns The match, `null` when the path does not match
   * @throws {HttpError} 400 if a parameter has a broken percent escape
   */
  match(path: string): PathMatch | null {
    const { regex } = this;
    // a global or sticky expression would remember where it stopped
    if (regex.lastIndex !== 0) regex.lastIndex = 0;
    const found = regex.exec(path);
    if (found === null) return null;
    if (this.keys.length === 0) return { index: found.index, length: found[0].length, params: null };
    const params: Record<string, PathValue> = bareObject();
    for (let i = 0; i < this.keys.length; i++) {
      const key = this.keys[i]!;
      const value = found[i + 1];
      if (value === undefined) {
        if (this.#joined.has(key) && !this.#isRegExp) params[key] ??= "";
        continue;
      }
      if (this.#constraints.get(key)?.test(value) === false) return null;
      params[key] = this.#wildcards.has(key) && !this.#joined.has(key)
        ? value.split("/").map(decodeParam)
        : decodeParam(value);
    }
    return { index: found.index, length: found[0].length, params };
  }

  /**
   * Reads the parameters of a path that is known to match the segments, where they can be had as they stand.
   *
   * @param path A path beginning with a slash, not decoded
   * @returns The parameters, `null` where something has to be decoded or asked first
   */
  read(path: string): Record<string, PathValue> | null {
    if (this.constrained || path.includes("%")) return null;
    const params: Record<string, string> = bareObject();
    const { places } = this.#layout ??= layoutOf(this.segments!);
    let at = 0;
    for (const { name, skip } of places) {
      const start = at + skip;
      at = path.indexOf("/", start);
      if (at === -1) at = path.length;
      params[name] = path.slice(start, at);
    }
    return params;
  }

  /**
   * Reads the parameters of a path that is known to match the segments.
   *
   * @param path A path beginning with a slash, not decoded
   * @returns The match, `null` when a constraint refuses it
   * @throws {HttpError} 400 if a parameter has a broken percent escape
   */
  extract(path: string): PathMatch | null {
    const params: Record<string, string> = bareObject();
    const { places, tail } = this.#layout ??= layoutOf(this.segments!);
    let at = 0;
    for (const { name, skip } of places) {
      const start = at + skip;
      at = path.indexOf("/", start);
      if (at === -1) at = path.length;
      const value = path.slice(start, at);
      if (this.constrained && this.#constraints.get(name)?.test(value) === false) return null;
      params[name] = decodeParam(value) as string;
    }
    return { index: 0, length: at + tail, params };
  }
}

/** Where a parameter is: so many characters behind the one before, up to the next slash. */
interface Place {
  readonly name: string;
  readonly skip: number;
}

/** The parameters of a path, and how many characters follow the last one. */
interface Layout {
  readonly places: readonly Place[];
  readonly tail: number;
}

function layoutOf(segments: readonly Segment[]): Layout {
  const places: Place[] = [];
  let tail = 0;
  for (const segment of segments) {
    if ("literal" in segment) tail += 1 + segment.literal.length;
    else {
      places.push({ name: segment.param, skip: tail + 1 });
      tail = 0;
    }
  }
  return { places, tail };
}

function lengthOf(segments: readonly Segment[]): number {
  return segments.reduce((length, segment) => length + 1 + ("literal" in segment ? segment.literal.length : 0), 0);
}

function namesOf(segments: readonly Segment[]): string[] {
  const names: string[] = [];
  for (const segment of segments) if ("param" in segment) names.push(segment.param);
  return names;
}

function plainSegments(path: string): Segment[] | null {
  if (path === "" || path === "/") return [];
  // a slash at the end counts here, or it would be gone
  if (path.endsWith("/")) return null;
  return path.slice(1).split("/").map((text) =>
    text.charCodeAt(0) === COLON ? { param: text.slice(1) } : { literal: text }
  );
}

function simpleSegments(tokens: readonly Token[]): Segment[] | null {
  // parameters are marked by a character that no request target can hold
  let marked = "";
  for (const token of tokens) {
    if (token.type === "text") marked += token.value;
    else if (token.type === "param") marked += `\0${token.name}`;
    else return null;
  }
  if (marked === "" || marked === "/") return [];
  if (!marked.startsWith("/")) return null;
  const segments = marked.slice(1).split("/").map(segmentOf);
  return segments.includes(null) ? null : segments as Segment[];
}

function segmentOf(text: string): Segment | null {
  const mark = text.lastIndexOf("\0");
  if (mark === -1) return { literal: text };
  return mark === 0 ? { param: text.slice(1) } : null;
}

function literalPrefix(tokens: readonly Token[]): string[] {
  const first = tokens[0];
  if (first?.type !== "text" || !first.value.startsWith("/")) return [];
  return first.value.split("/").slice(1, -1);
}

function regExpKeys(source: RegExp): string[] {
  const keys: string[] = [];
  let unnamed = 0;
  // escaped characters and classes are consumed first, so that a bracket in them is not taken for a group
  for (const [, group, name] of source.source.matchAll(/\\.|\[(?:\\.|[^\]])*\]|(\((?!\?)|\(\?<(?![=!])([^>]+)>)/g)) {
    if (group !== undefined) keys.push(name ?? String(unnamed++));
  }
  return keys;
}

const HINTS: readonly (readonly [RegExp, string])[] = [
  [/Unexpected [()]/, "write a group as a RegExp, or an optional part in braces: /a{/b}"],
  [/Unexpected [[\]]/, "write a character class as a RegExp: /^\\/[ab]$/"],
  [/Unexpected \?/, "write an optional part in braces: /a{/:b}"],
  [/Unexpected \+/, "write a repeated part as a wildcard: /a/*rest"],
  [/Unexpected !/, "escape it with a backslash"],
  [/Unexpected [{}]|Unexpected end/, "close every brace, or escape it with a backslash"],
  [/Missing parameter name/, "name the parameter: /:name, or the wildcard: /*name"],
  [/Unterminated quote/, 'close the quoted name: /:"name"'],
  [/Missing text before/, "put text between two parameters: /:a-:b"],
];

function pathError(method: string, source: string, error: unknown): unknown {
  if (!(error instanceof PathError)) {
    return error instanceof TypeError ? new TypeError(`${method}: ${error.message}`, { cause: error }) : error;
  }
  const reason = error.message.split(": ")[0]!;
  const hint = HINTS.find(([pattern]) => pattern.test(reason))?.[1];
  return new TypeError(`${method} cannot use the path "${source}": ${reason}${hint ? `; ${hint}` : ""}`, {
    cause: error,
  });
}
