import { parse, PathError, type Token } from "path-to-regexp";
import { noteWarning } from "../util/development_warning.ts";
import { EMPTY_BARE, EMPTY_PLAIN, type EmptyParams } from "../util/empty_params.ts";
import { usualSpelling } from "../util/path_spelling.ts";
import { isExponential } from "./ambiguity.ts";
import { Capture, decodeParam } from "./capture.ts";
import { hasSpellings } from "./literal_source.ts";
import { MARK, PathDialectError, type PatternOptions } from "./path_dialect.ts";
import { OptionalPartsError, pathRegExp } from "./path_regexp.ts";
import type { PathOptions } from "./path_options.ts";
import { inPresentSyntax } from "./present_syntax.ts";
import { keysOfRegExp, type PathKey } from "./regexp_keys.ts";

/**
 * A match: the part of the path it covers, and the parameters.
 *
 * @internal
 */
export interface PathMatch {
  /** Index in the path where the match begins; always 0 except for RegExps without an anchor. */
  readonly index: number;
  /** Number of matched path characters. */
  readonly length: number;
  /** Decoded parameters. As in Express, they inherit nothing for path strings, and are plain objects for RegExps. */
  readonly params: Record<string, PathValue> | EmptyParams;
}

/**
 * A parameter's value: a string, or an array of segments for a wildcard.
 *
 * @internal
 */
// deno-lint-ignore no-explicit-any -- the path determines which of the two
export type PathValue = any;

const COLON = 58;
const SLASH = 47;

/** Paths with only whole words and whole parameters, which need no parser: nearly all paths. */
const PLAIN = /^(?:\/(?::[A-Za-z_]\w*|[\w.-]+))*\/?$/;

/** Cold fields, needed only for paths with more than whole words and whole parameters. */
interface ColdFields {
  readonly keys: readonly string[];
  /** Constraints on parameters, for paths that are otherwise only words and parameters. */
  readonly constraints: ReadonlyMap<string, RegExp>;
  /** Parameters that have arrays of segments as values. */
  readonly wildcards: ReadonlySet<string>;
  /** Whether a request path may spell its literals in several ways. */
  readonly hasSpellings: boolean;
  /** Whether missing parameters are `undefined`, as in Express 4; in Express 5 they are absent. */
  readonly showsAbsent: boolean;
}

/**
 * A registered path, ready to match.
 *
 * A path with only whole words and whole parameters is only stored: with thousands of routes, each is parsed on its
 * first request.
 *
 * @internal
 */
export class PathPattern {
  /** The path as registered. */
  readonly source: string | RegExp;
  /**
   * The path, or its beginning up to the first part that is not a whole literal or whole parameter. A trailing slash is
   * significant. Literals are in their normalized spelling.
   */
  readonly text: string;
  /** Whether `text` is the whole path; otherwise the regular expression must be used. */
  readonly whole: boolean;
  /** Character code that starts a parameter in `text`. */
  readonly mark: number;
  readonly #options: PatternOptions;
  #coldFields: ColdFields | null = null;
  #regex: RegExp | null = null;
  /** Parameter positions in a path that matches `text`, computed on first use. */
  #layout: Layout | null = null;

  /**
   * Compiles a path.
   *
   * @param caller Name of the caller for error messages, such as `app.get`
   * @param source A RegExp, or a path string in Express 5's syntax or, if invalid there, in the dialect's
   * @param options How to match
   * @throws {TypeError} If the path is invalid; the message names the alternative
   */
  constructor(caller: string, source: string | RegExp, options: PatternOptions) {
    this.source = source;
    this.#options = options;
    this.text = "";
    this.whole = false;
    this.mark = COLON;
    if (source instanceof RegExp) {
      warnOfSlow(caller, source);
      this.#regex = source;
      this.#coldFields = {
        keys: keysOfRegExp(source).map(({ name }) => String(name)),
        constraints: NO_CONSTRAINTS,
        wildcards: NO_WILDCARDS,
        hasSpellings: false,
        showsAbsent: false,
      };
      return;
    }
    const path = bare(source, options);
    // the parser handles a significant trailing slash
    if (PLAIN.test(path) && (path.length < 2 || path.charCodeAt(path.length - 1) !== SLASH)) {
      this.text = path === "/" ? "" : path;
      this.whole = true;
      return;
    }
    const read = readPath(caller, source, path, options);
    this.#regex = read.regexp;
    this.#coldFields = read.coldFields;
    this.mark = MARK.charCodeAt(0);
    this.whole = read.whole;
    this.text = read.text;
  }

  /**
   * Whether a path that leads to `text` is known to match. Otherwise the regular expression decides, because parameters
   * have constraints, or literals have several spellings.
   */
  get proves(): boolean {
    const coldFields = this.#coldFields;
    return this.whole && (coldFields === null || (coldFields.constraints.size === 0 && !coldFields.hasSpellings));
  }

  /** Constraints on whole parameters, by name. */
  get constraints(): ReadonlyMap<string, RegExp> {
    return this.#coldFields?.constraints ?? NO_CONSTRAINTS;
  }

  /** Parameter names, in order; numbers for unnamed ones. */
  get keys(): readonly string[] {
    return this.#coldFields?.keys ?? this.#ensureLayout.names;
  }

  /** The match for a pattern without parameters, which is the same for every path. */
  get fixed(): PathMatch | null {
    return this.whole ? this.#ensureLayout.fixed : null;
  }

  get #ensureLayout(): Layout {
    return this.#layout ??= layoutOf(this.text, this.mark, this.#empty);
  }

  get #empty(): EmptyParams {
    const { source } = this;
    // at "/", Express enters `app.use` handlers without matching, and creates a plain object
    const isPlain = source instanceof RegExp || (source === "/" && !this.#options.end) || this.hasDialect;
    return isPlain ? EMPTY_PLAIN : EMPTY_BARE;
  }

  /** Whether its router has an additional syntax; parameter objects then inherit methods. */
  get hasDialect(): boolean {
    return (this.#options.dialect ?? null) !== null;
  }

  /** The path as one regular expression; compiled on first use, because most paths never need it. */
  get regex(): RegExp {
    if (this.#regex !== null) return this.#regex;
    // all other paths store their expression on creation
    const path = bare(this.source as string, this.#options);
    return this.#regex = pathRegExp(parse(path).tokens, path, this.#options).regexp;
  }

  /**
   * Returns the path as Express 4 exposes it in `layer.regexp` and `layer.keys`: programs that list routes parse the
   * expression's source. Created on each call.
   */
  shown(): { readonly regexp: RegExp; readonly keys: readonly PathKey[] } {
    if (this.source instanceof RegExp) return { regexp: this.source, keys: keysOfRegExp(this.source) };
    try {
      const read = this.#options.dialect?.show(this.source, this.#options);
      if (read) return read;
    } catch {
      // the dialect refuses the path, but Express 5 accepts it
    }
    const keys = this.keys.map((name) => ({ name, optional: false, offset: 0 }));
    const isPlain = this.whole && this.mark === COLON;
    return { regexp: isPlain ? shownText(this.text, this.#options) : new RegExp(this.regex), keys };
  }

  /**
   * Matches a path against the regular expression.
   *
   * @param path A path beginning with a slash, not decoded
   * @returns The match, or `null`
   * @throws {URIError} With status 400 if a parameter has a broken percent escape
   */
  match(path: string): PathMatch | null {
    const { regex } = this;
    // global or sticky expressions would start where they last stopped
    if (regex.lastIndex !== 0) regex.lastIndex = 0;
    const found = regex.exec(path);
    if (found === null) return null;
    if (this.keys.length === 0) return { index: found.index, length: found[0].length, params: this.#empty };
    const isPlain = this.source instanceof RegExp || this.hasDialect;
    const params: Record<string, PathValue> = isPlain ? {} : Object.create(null);
    const coldFields = this.#coldFields;
    for (let i = 0; i < this.keys.length; i++) {
      const key = this.keys[i]!;
      const value = found[i + 1];
      if (value === undefined) {
        if (coldFields?.showsAbsent && !coldFields.wildcards.has(key)) params[key] ??= undefined;
      } else params[key] = coldFields?.wildcards.has(key) ? value.split("/").map(decodeParam) : decodeParam(value);
    }
    return { index: found.index, length: found[0].length, params };
  }

  /**
   * Reads the parameters from a path that is known to match.
   *
   * @param path A path beginning with a slash, not decoded
   * @throws {URIError} With status 400 if a parameter has a broken percent escape
   */
  paramsOf(path: string): Record<string, string> {
    const params: Record<string, string> = this.hasDialect ? {} : Object.create(null);
    let at = 0;
    for (let capture = this.#ensureLayout.first; capture !== null; capture = capture.next) {
      const start = at + capture.skip;
      at = path.indexOf("/", start);
      if (at === -1) at = path.length;
      params[capture.name] = decodeParam(path.slice(start, at));
    }
    return params;
  }
}

const NO_CONSTRAINTS: ReadonlyMap<string, RegExp> = new Map();
const NO_WILDCARDS: ReadonlySet<string> = new Set();

/** A parsed path with more than words and parameters. */
interface ReadPath {
  readonly regexp: RegExp;
  readonly coldFields: ColdFields;
  readonly text: string;
  readonly whole: boolean;
}

function readPath(caller: string, source: string, path: string, options: PatternOptions): ReadPath {
  try {
    const { tokens } = parse(path);
    const { regexp, keys } = pathRegExp(tokens, path, options);
    if (isRootless(tokens[0])) noteRootless(caller, source);
    const wildcards = new Set(keys.filter((key) => key.type === "wildcard").map((key) => key.name));
    const marked = markedText(tokens);
    const coldFields = {
      keys: keys.map((key) => key.name),
      constraints: NO_CONSTRAINTS,
      wildcards,
      hasSpellings: tokens.some((token) => token.type === "text" && hasSpellings(token.value)),
      showsAbsent: false,
    };
    return { regexp, coldFields, text: marked ?? literalPrefix(tokens), whole: marked !== null };
  } catch (error) {
    if (!(error instanceof PathError)) throw error;
    // in Express 4's syntax braces are also optional parts, with an unbounded number of steps
    const read = error instanceof OptionalPartsError ? null : readDialect(caller, source, options);
    if (read === null) throw pathError(caller, source, error);
    return read;
  }
}

function readDialect(caller: string, source: string, options: PatternOptions): ReadPath | null {
  const read = naming(caller, () => options.dialect?.read(source, options)) ?? null;
  if (read === null) return null;
  if (read.rootless) noteRootless(caller, source);
  const { regexp, keys, constraints, wildcards, text, whole } = read;
  return { regexp, coldFields: { keys, constraints, wildcards, hasSpellings: false, showsAbsent: true }, text, whole };
}

/** Returns a path with only whole words and whole parameters in Express 4's format. */
function shownText(text: string, { sensitive, strict, end }: PathOptions): RegExp {
  const source = text.replace(/[.\\/-]|:(\w+)/g, (found, name) => name === undefined ? `\\${found}` : "(?:([^\\/]+?))");
  const slash = strict ? "" : "\\/?";
  return new RegExp(`^${source}${end ? `${slash}$` : `${slash}(?=\\/|$)`}`, sensitive ? "" : "i");
}

/** A path's parameters. */
interface Layout {
  readonly first: Capture | null;
  readonly names: readonly string[];
  /** The match, if there are no parameters. */
  readonly fixed: PathMatch | null;
}

function layoutOf(text: string, mark: number, empty: EmptyParams): Layout {
  const names: string[] = [];
  const skips: number[] = [];
  let skip = 0;
  for (let start = 1; start <= text.length;) {
    const slash = text.indexOf("/", start);
    const end = slash === -1 ? text.length : slash;
    if (end > start && text.charCodeAt(start) === mark) {
      names.push(text.slice(start + 1, end));
      skips.push(skip + 1);
      skip = 0;
    } else skip += 1 + end - start;
    start = end + 1;
  }
  let first: Capture | null = null;
  for (let i = names.length - 1; i >= 0; i--) first = new Capture(names[i]!, skips[i]!, first);
  return { first, names, fixed: first === null ? { index: 0, length: text.length, params: empty } : null };
}

// without trailing slashes, unless they are significant
function bare(path: string, { strict }: PathOptions): string {
  return !strict && path.length > 1 && path.charCodeAt(path.length - 1) === SLASH ? path.replace(/\/+$/, "") : path;
}

/** Returns the tokens as a string of whole literals and whole parameters, `null` if there are other tokens. */
function markedText(tokens: readonly Token[]): string | null {
  let marked = "";
  for (const [i, token] of tokens.entries()) {
    if (token.type === "text") marked += usualSpelling(token.value);
    else if (
      token.type === "param" && marked.endsWith("/") && !token.name.includes("/") && endsSegment(tokens[i + 1])
    ) {
      marked += MARK + token.name;
    } else return null;
  }
  if (marked === "" || marked === "/") return "";
  return marked.startsWith("/") ? marked : null;
}

// such a path matches nothing, because request paths begin with a slash
function isRootless(first: Token | undefined): boolean {
  return first?.type === "param" || (first?.type === "text" && !first.value.startsWith("/"));
}

function noteRootless(caller: string, source: string): void {
  noteWarning(
    `${caller}: the path "${source}" matches no request, because paths begin with a slash; write "/${source}"`,
  );
}

function endsSegment(next: Token | undefined): boolean {
  return next === undefined || (next.type === "text" && next.value.startsWith("/"));
}

function literalPrefix(tokens: readonly Token[]): string {
  const first = tokens[0];
  if (first?.type !== "text" || !first.value.startsWith("/")) return "";
  return usualSpelling(first.value.slice(0, first.value.lastIndexOf("/")));
}

/** Expressions already examined; the same one may be registered for several methods. */
const examined = new WeakSet<RegExp>();

// not an error: clients may never reach it, or middleware in front may limit input
function warnOfSlow(caller: string, regexp: RegExp): void {
  if (examined.has(regexp)) return;
  examined.add(regexp);
  if (!isExponential(regexp)) return;
  console.warn(
    `${caller}: ${regexp} repeats a part that can match the same string in several ways, such as another repetition, ` +
      "so a hostile path can make it very slow; simplify it",
  );
}

const HINTS: readonly (readonly [RegExp, string])[] = [
  [/Unexpected [()]/, "Express 5 has no groups: write a RegExp, or use @sluice/express@4"],
  [/Unexpected [[\]]/, "Express 5 has no character classes: write a RegExp, or use @sluice/express@4"],
  [/Unexpected \?/, "write an optional part in braces: /a{/:b}"],
  [/Unexpected \+/, "write a repeated part as a wildcard: /a/*rest"],
  [/Unexpected !/, "escape it with a backslash"],
  [/Unexpected [{}]|Unexpected end/, "close every brace, or escape it with a backslash"],
  [/Missing parameter name/, "name the parameter: /:name, or the wildcard: /*name"],
  [/Unterminated quote/, 'close the quoted name: /:"name"'],
  [/Too many optional/, "register paths with fewer of them"],
  [/Missing text before .* wildcard/, "write the wildcard alone, with a name: /*name"],
  [/Missing text before/, "put text between two parameters: /:a-:b"],
];

// errors begin with the called method's name
function naming<T>(caller: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof PathDialectError)) throw error;
    throw new TypeError(`${caller}: ${error.message}`, { cause: error });
  }
}

// an Express 4 path in Express 5's syntax
function presentOf(source: string): string | null {
  const present = inPresentSyntax(source);
  if (present === null || present === source) return null;
  try {
    parse(present);
    return present;
  } catch {
    return null;
  }
}

function pathError(caller: string, source: string, error: PathError): TypeError {
  const reason = error.message.split(": ")[0]!;
  const present = presentOf(source);
  if (present !== null) {
    const text = `${caller} cannot use the path "${source}" of Express 4: write "${present}", or use @sluice/express@4`;
    return new TypeError(text, { cause: error });
  }
  const query = /^(.*?)\?[\w.[\]-]+=/.exec(source);
  const hint = query === null
    ? HINTS.find(([pattern]) => pattern.test(reason))?.[1]
    : `a query is not part of the path: write "${query[1]}", and read req.query`;
  return new TypeError(`${caller} cannot use the path "${source}": ${reason}${hint ? `; ${hint}` : ""}`, {
    cause: error,
  });
}
