import {
  inPresentSyntax,
  isCapturing,
  isExponential,
  MARK,
  PathDialectError,
  type PathKey,
  type PathOptions,
  REGEXP_SYNTAX,
} from "@sluice/sluice/profile";

/** A path in Express 4 syntax, as a regular expression. */
export interface LegacyPath {
  /**
   * The expression. For nearly every path, its source equals the one from Express 4.19 or earlier, which programs can
   * parse.
   */
  readonly regexp: RegExp;
  /** Each group's key. */
  readonly keys: readonly PathKey[];
  /** Names of Express 5 wildcards, whose values are lists of segments. */
  readonly wildcards: ReadonlySet<string>;
}

/** A path made of literal words and whole parameters, some with constraints. */
export interface ConstrainedPath {
  /** The path without the constraints, with a {@linkcode MARK} before each name. */
  readonly text: string;
  /** Constraints on parameters, by name. */
  readonly constraints: ReadonlyMap<string, RegExp>;
}

const NAME = /[$_\p{ID_Start}][$\u200c\u200d\p{ID_Continue}]*|"[^"]*"/yu;

/** In Express 4, it may also begin with a digit. */
const PARAMETER_NAME = /[$\u200c\u200d\p{ID_Continue}]+|"[^"]*"/yu;

/** Literal characters that clients may encode. */
const LITERAL = /[^\0-\x7f]|(?:%[\da-f]{2})+|[ "&',;@~]|\\[^\w\-./\\]/yiu;

/** A repetition count. Other braces are Express 5's, and enclose an optional part. */
const COUNT = /\{\d+(?:,\d*)?\}/y;

/** Syntax that may follow where nothing else can fail to match. */
const NO_MORE = /^[)?}/]*$/;

/** Constraints without groups and assertions that match no slash. */
const SIMPLE = /^(?:\\[dw]|[\w|-]|\[(?:\\[dw]|\w|-(?!-))+\]|[+*?]|\{\d+(?:,\d*)?\})+$/;

/**
 * Reads a path as Express 4 does: `*`, `/:id?`, `/:id(\d+)`, `/:path*`, `/ab?cd`, `/(a|b)`, `/[ab]+`, and any other
 * regular expression syntax. Express 5's braces and named wildcards keep their meaning.
 *
 * It keeps Express 4's quirks: a `*` is `(.*)`, including the first one in a constraint unless it is escaped; a dot is
 * literal; and a group after a slash has no number. It differs in two ways: parentheses inside a constraint belong to
 * it, and anything that could make matching slow is rejected or rewritten. A wildcard never contains its separator from
 * the previous one: the previous one matches greedily.
 *
 * @param path The path as registered
 * @param options How to match
 * @param literal Builds the expression for a literal; without it, a literal stays unchanged, as in Express 4
 * @returns The expression; `null` if the path has no meaning in Express 4 either
 * @throws {PathDialectError} If a request could make matching slow
 */
export function readLegacyPath(
  path: string,
  options: PathOptions,
  literal?: LiteralSource,
): LegacyPath | null {
  const reader = new Reader(path, options, literal);
  try {
    if (!reader.read()) return null;
    const { out, wildcards } = reader;
    const regexp = new RegExp(`^${out}${endOf(out, options)}`, flagsOf(options));
    const slow = repeatedGroups(out).find((source) => isExponential(new RegExp(source, regexp.flags)));
    if (slow !== undefined) throw refusal(path, `repeats ${slow}, which can match the same string in several ways`);
    return { regexp, keys: keysOf(out, reader.keys), wildcards };
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/**
 * Splits a path whose constraints can be checked segment by segment.
 *
 * @param path The path, without an insignificant trailing slash
 * @param options How to match
 * @returns Its parts; `null` if it has no constraints, or any other syntax
 */
export function constrainedPath(path: string, options: PathOptions): ConstrainedPath | null {
  if (!path.startsWith("/")) return null;
  const constraints = new Map<string, RegExp>();
  const names = new Set<string>();
  let text = "";
  for (const segment of path.slice(1).split("/")) {
    const [, name, constraint] = /^:([A-Za-z_]\w*)(?:\((.+)\))?$/.exec(segment) ?? [];
    if (name === undefined && !/^[\w.-]*$/.test(segment)) return null;
    if (name !== undefined) {
      if (names.has(name)) return null;
      names.add(name);
    }
    if (constraint !== undefined) {
      const source = withWildcard(constraint, ANYTHING);
      if (!SIMPLE.test(source)) return null;
      constraints.set(name!, new RegExp(`^(?:${source})$`, flagsOf(options)));
    }
    text += name === undefined ? `/${segment}` : `/${MARK}${name}`;
  }
  return constraints.size === 0 ? null : { text, constraints };
}

/**
 * Returns a path's literal prefix, up to a slash.
 *
 * @param path A path that Express 4 can read
 */
export function legacyPrefix(path: string): string {
  const special = path.search(/[:*?+()[\]{}|^$\\]/);
  if (special === -1 || hasAlternatives(path)) return "";
  let literal = path.slice(0, special);
  // optional parts: the character before a quantifier, the slash before a parameter
  if (/[?+{]/.test(path[special]!)) literal = literal.slice(0, -1);
  else if (path[special] === ":" && isOptional(path, special)) literal = literal.replace(/\/?\.?$/, "");
  return literal.slice(0, Math.max(literal.lastIndexOf("/"), 0));
}

/** Characters a wildcard may contain: not its separator from the previous one, except for its beginning at the end. */
interface Any {
  /** One character. */
  readonly one: string;
  /** The last characters. */
  readonly last: string;
}

/** Builds the expression for a literal. */
type LiteralSource = (text: string, options: PathOptions) => string;

const ANYTHING: Any = { one: ".", last: "" };

/** Builds the expression by path-to-regexp 0.1 rules. */
class Reader {
  /** The expression so far. */
  out = "";
  /** Parameters and named wildcards so far. */
  readonly keys: PathKey[] = [];
  /** Names of the latter. */
  readonly wildcards = new Set<string>();
  readonly #path: string;
  readonly #options: PathOptions;
  readonly #literal: LiteralSource | undefined;
  #at = 0;
  /**
   * The separator from the previous part, which the next parameter must not contain, and where its unread rest begins.
   */
  #between = "";
  #betweenFrom = 0;
  #braces = 0;
  /** End of the last wildcard in the expression, 0 if there is none. */
  #wildcardEnd = 0;
  /** Whether the last part that may span segments is lazy: then no other such part may follow. */
  #isShortest = false;
  /** Whether the rest must match any input. */
  #mustEnd = false;
  /** Whether an unconstrained parameter is in the current segment, or ends right here. */
  #hasParam = false;
  #isOpen = false;

  constructor(path: string, options: PathOptions, literal: LiteralSource | undefined) {
    this.#path = path;
    this.#options = options;
    this.#literal = literal;
  }

  /** Reads the path; `false` if it has no meaning. */
  read(): boolean {
    while (this.#at < this.#path.length) {
      if (this.#mustEnd && !NO_MORE.test(this.#path.slice(this.#at))) this.#refuseSpanning();
      if (!this.#next()) return false;
    }
    return this.#braces === 0;
  }

  #next(): boolean {
    const rest = this.#path.slice(this.#at, this.#at + 4);
    // a colon without a name is literal
    const parameter = /^(\/?)(\.?):(?!\()/.exec(rest);
    if (parameter !== null) return this.#parameter(parameter[1]!, parameter[2]!);
    if (rest[0] === "*") return this.#wildcard();
    if (rest[0] === "[") return this.#class();
    if (rest[0] === "{" || rest[0] === "}") return this.#brace();
    if (rest[0] === "?" && /^\?[\w.[\]-]+=/.test(this.#path.slice(this.#at))) return false;
    const isGroup = /^\/\((?!\?)/.test(rest);
    const literal = matchAt(LITERAL, this.#path, this.#at);
    if (literal !== null) {
      const source = this.#literal?.(literal.replace(/^\\/, ""), this.#options) ?? literal;
      this.#between += this.#path.slice(this.#betweenFrom, this.#at) + source;
      this.#betweenFrom = this.#at + literal.length;
      this.#write(literal.length, source);
    } else if (isGroup) {
      // has no number in Express 4
      this.#between += `${this.#path.slice(this.#betweenFrom, this.#at)}/`;
      this.#betweenFrom = this.#at + 2;
      this.#write(2, "/(?:");
    } else if (rest[0] === "\\" || rest[0] === ".") {
      const written = rest[0] === "." ? "\\." : rest.slice(0, 2);
      this.#between += written;
      this.#betweenFrom += rest[0] === "." ? 1 : 2;
      this.#write(rest[0] === "." ? 1 : 2, written);
    } else {
      if (rest[0] === "+" && this.out.endsWith(")")) this.#repeat();
      this.#write(1, rest[0]!);
    }
    if (rest[0] === "/") this.#hasParam = false;
    if (!/[?+)]/.test(rest[0]!)) this.#isOpen = false;
    return true;
  }

  #write(length: number, source: string): void {
    this.#at += length;
    this.out += source;
  }

  #class(): boolean {
    const end = /^\[(?:\\.|[^\]\\])*\]/.exec(this.#path.slice(this.#at))?.[0].length;
    if (end === undefined) return false;
    this.#write(end, this.#path.slice(this.#at, this.#at + end));
    this.#isOpen = false;
    return true;
  }

  #brace(): boolean {
    const count = matchAt(COUNT, this.#path, this.#at);
    if (count !== null && this.out !== "") {
      this.#write(count.length, count);
      return true;
    }
    const opens = this.#path[this.#at] === "{";
    this.#braces += opens ? 1 : -1;
    this.#write(1, opens ? "(?:" : ")?");
    return this.#braces >= 0;
  }

  #wildcard(): boolean {
    const name = matchAt(NAME, this.#path, this.#at + 1);
    // the separator between two named wildcards is needed to tell them apart
    if (name !== null && this.#isOpen) return false;
    this.#between = "";
    const any = this.#span("");
    if (name !== null) {
      this.wildcards.add(unquoted(name));
      this.#key(unquoted(name), false);
    }
    // a second one would have nothing left to match
    const times = name === null ? any.one === "" ? "" : "*" : "+";
    this.#write(1 + (name?.length ?? 0), `(${any.one}${times}${any.last})`);
    this.#betweenFrom = this.#at;
    this.#wildcardEnd = this.out.length;
    this.#isOpen = true;
    return true;
  }

  #parameter(slash: string, dot: string): boolean {
    const start = this.#at + slash.length + dot.length + 1;
    const name = matchAt(PARAMETER_NAME, this.#path, start);
    if (name === null) return false;
    const open = start + name.length;
    const close = this.#path[open] === "(" ? groupEnd(this.#path, open) : open;
    if (close === -1) return false;
    const constraint = close > open ? this.#path.slice(open + 1, close - 1) : null;
    const suffix = /^\*?\??/.exec(this.#path.slice(close))![0];
    const [isRepeated, optional] = [suffix.startsWith("*"), suffix.endsWith("?")];
    // a slash that may be repeated or absent is in the group
    const isQuantified = optional || /^(?:\+|\{\d)/.test(this.#path.slice(close + suffix.length));
    const beginsPart = slash !== "" || dot !== "";
    this.#between = beginsPart ? "" : this.#between + this.#path.slice(this.#betweenFrom, this.#at);
    // nothing would separate one from the other
    if (constraint === null && !beginsPart && this.#isOpen) return false;
    const format = dot === "" ? "" : "\\.";
    if (slash !== "") this.#hasParam = false;
    const spans = constraint !== null && (withWildcard(constraint, ANYTHING) !== constraint || constraint === ".+");
    if (constraint !== null) this.#checkConstraint(unquoted(name), constraint);
    const value = constraint === null
      ? this.#between === "" ? `([^\\/${format}]+?)` : `((?:(?!/|${this.#between}).)+?)`
      : spans
      ? `(${this.#spanningSource(constraint, slash + format)})`
      : `(${constraint})`;
    this.#key(unquoted(name), optional);
    let repeated = "";
    if (isRepeated) {
      this.#repeat();
      repeated = `((?:[\\/${format}].+?)?)`;
    }
    this.#write(
      close + suffix.length - this.#at,
      `${isQuantified ? "(?:" + slash : slash + "(?:"}${format}${value}${repeated})${optional ? "?" : ""}`,
    );
    if (spans) this.#wildcardEnd = this.out.length;
    this.#betweenFrom = this.#at;
    this.#between = "";
    this.#hasParam ||= constraint === null;
    this.#isOpen = constraint === null;
    return true;
  }

  #spanningSource(constraint: string, before: string): string {
    const isSecond = this.#wildcardEnd > 0;
    const any = this.#span(before);
    if (any.one === "" || (isSecond && !/^(?:\.?\*|\.\+)$/.test(constraint))) this.#refuseSpanning();
    if (constraint === ".+") return `${any.one}+${any.last}`;
    const source = withWildcard(constraint, any);
    return constraint.startsWith(".") ? any.one + source.slice(1) : source;
  }

  #checkConstraint(name: string, constraint: string): void {
    const about = `The constraint (${constraint}) of ":${name}" in "${this.#path}"`;
    let regexp: RegExp;
    try {
      regexp = new RegExp(`^(?:${constraint === "*" ? ".*" : constraint})$`, flagsOf(this.#options));
    } catch {
      throw new PathDialectError(`${about} is not a regular expression`);
    }
    if (!isExponential(regexp)) return;
    throw new PathDialectError(
      `${about} repeats a part that can match the same string in several ways, such as another repetition, so a ` +
        "hostile path can make it very slow; simplify it",
    );
  }

  /** Records that this repetition may span segments, and is lazy. */
  #repeat(): void {
    if (this.#wildcardEnd > 0 || this.#isShortest) this.#refuseSpanning();
    this.#isShortest = true;
  }

  /**
   * Records that a wildcard begins here.
   *
   * @param before The text before it, not yet written
   * @returns Characters it may contain
   */
  #span(before: string): Any {
    if (this.#isShortest) this.#refuseSpanning();
    // every length of the parameter would be tried with every length of the wildcard
    if (this.#hasParam) this.#mustEnd = true;
    const between = this.out.slice(this.#wildcardEnd).replace(/^\?/, "") + before;
    if (this.#wildcardEnd === 0 || hasAlternatives(between)) return ANYTHING;
    if (between === "") return { one: "", last: "" };
    if (!isBalanced(between) || new RegExp(`^(?:${between})$`).test("")) this.#refuseSpanning();
    const length = /^(?:\\\W|[\w/-])+$/.test(between) ? between.replaceAll("\\", "").length : 1;
    return { one: `(?:(?!${withoutCaptures(between)}).)`, last: length > 1 ? `.{0,${length - 1}}` : "" };
  }

  #key(name: string, optional: boolean): void {
    this.keys.push({ name, optional: optional || this.#braces > 0, offset: this.out.length });
  }

  #refuseSpanning(): never {
    throw refusal(this.#path, "has parts that can match the same segments in several ways");
  }
}

function refusal(path: string, reason: string): PathDialectError {
  const instead = inPresentSyntax(path);
  const advice = instead === null || instead === path ? "simplify it, or write it as a RegExp" : `write "${instead}"`;
  return new PathDialectError(`"${path}" ${reason}, which a hostile request can make very slow; ${advice}`);
}

function flagsOf({ sensitive }: PathOptions): string {
  return sensitive ? "" : "i";
}

function endOf(source: string, { strict, end }: PathOptions): string {
  const slash = strict ? "" : source.endsWith("/") ? "?" : "/?";
  if (end) return `${slash}$`;
  return strict && source.endsWith("/") ? "" : `${slash}(?=/|$)`;
}

/** Turns the first unescaped `*` into a wildcard. */
function withWildcard(constraint: string, { one, last }: Any): string {
  return constraint.replace(/\\.|\*/, (found) => found === "*" ? `(${one}*${last})` : found);
}

function matchAt(pattern: RegExp, text: string, at: number): string | null {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? null;
}

function unquoted(name: string): string {
  return name.startsWith('"') ? name.slice(1, -1) : name;
}

function groupEnd(text: string, open: number): number {
  let depth = 0;
  for (const { 0: found, index } of text.slice(open).matchAll(REGEXP_SYNTAX)) {
    if (found.startsWith("(")) depth++;
    else if (found === ")" && --depth === 0) return open + index + 1;
  }
  return -1;
}

function hasAlternatives(source: string): boolean {
  let depth = 0;
  for (const [found] of source.matchAll(REGEXP_SYNTAX)) {
    if (found.startsWith("(")) depth++;
    else if (found === ")") depth--;
    else if (found === "|" && depth === 0) return true;
  }
  return false;
}

function isBalanced(source: string): boolean {
  let depth = 0;
  for (const [found] of source.matchAll(REGEXP_SYNTAX)) {
    if (found.startsWith("(")) depth++;
    else if (found === ")" && --depth < 0) return false;
  }
  return depth === 0;
}

function withoutCaptures(source: string): string {
  return source.replace(REGEXP_SYNTAX, (found) => isCapturing(found) ? "(?:" : found);
}

/** Returns groups repeated without a bound, with their quantifiers. */
function repeatedGroups(source: string): string[] {
  const opened: number[] = [];
  const found: string[] = [];
  for (const { 0: part, index } of source.matchAll(REGEXP_SYNTAX)) {
    if (part.startsWith("(")) opened.push(index);
    else if (part === ")") {
      const start = opened.pop();
      const quantifier = /^(?:[*+]|\{\d+,?\d*\})/.exec(source.slice(index + 1))?.[0];
      if (start !== undefined && quantifier !== undefined) found.push(source.slice(start, index + 1) + quantifier);
    }
  }
  return found;
}

/** Returns a key for each group in an expression: groups that are not parameters are numbered. */
function keysOf(source: string, named: readonly PathKey[]): PathKey[] {
  const keys: PathKey[] = [];
  let next = 0;
  let unnamed = 0;
  for (const { 0: found, index } of source.matchAll(REGEXP_SYNTAX)) {
    if (!isCapturing(found)) continue;
    const key = named[next];
    if (key !== undefined && key.offset <= index) {
      keys.push(key);
      next++;
    } else keys.push({ name: unnamed++, optional: false, offset: index });
  }
  return keys;
}

function isOptional(path: string, colon: number): boolean {
  const name = matchAt(PARAMETER_NAME, path, colon + 1) ?? "";
  const open = colon + 1 + name.length;
  const close = path[open] === "(" ? groupEnd(path, open) : open;
  return /^\*?(?:\?|\{0)/.test(path.slice(close));
}
