import { type Group, type Parameter, PathError, type Text, type Token, type Wildcard } from "path-to-regexp";
import { literalSource } from "./literal_source.ts";
import type { PathOptions } from "./path_options.ts";

/** A parameter or a wildcard. */
export type Key = Parameter | Wildcard;

/** Maximum number of alternatives that a path's optional parts may expand to. */
const MOST_ALTERNATIVES = 256;

/** Thrown for too many optional parts: no expression could match such a path in a bounded number of steps. */
export class OptionalPartsError extends PathError {}

/**
 * Creates one regular expression from a parsed path.
 *
 * Parameters are greedy, as in Express 5, which uses a path-to-regexp version that is not an ES module. In the ES
 * module version, they are lazy, and `/:name.:ext` would split `a.tar.gz` at the other dot. No part backtracks over the
 * literal before it, so matching takes a bounded number of steps per path character.
 *
 * @param tokens The path
 * @param path The path as registered
 * @param options How to match
 * @returns The expression, and a key for each group
 * @throws {PathError} If two parameters have no literal between them, or there are too many optional parts
 */
export function pathRegExp(
  tokens: readonly Token[],
  path: string,
  options: PathOptions,
): { regexp: RegExp; keys: Key[] } {
  const { sensitive, strict, end } = options;
  const keys: Key[] = [];
  const alternatives: string[] = [];
  for (const alternative of alternativesOf(tokens)) {
    if (alternatives.length >= MOST_ALTERNATIVES) throw new OptionalPartsError("Too many optional parts", path);
    alternatives.push(sourceOf(alternative, path, (text) => literalSource(text, options)));
    for (const token of alternative) if (token.type !== "text") keys.push(token);
  }
  const source = `^(?:${alternatives.join("|")})${strict ? "" : "(?:\\/$)?"}${end ? "$" : "(?=\\/|$)"}`;
  return { regexp: new RegExp(source, sensitive ? "" : "i"), keys };
}

// for each optional part, first with it, then without
function* alternativesOf(tokens: readonly Token[]): Generator<readonly (Text | Key)[]> {
  const at = tokens.findIndex(({ type }) => type === "group");
  if (at === -1) return yield tokens as (Text | Key)[];
  const [before, after] = [tokens.slice(0, at), tokens.slice(at + 1)];
  yield* alternativesOf([...before, ...(tokens[at] as Group).tokens, ...after]);
  yield* alternativesOf([...before, ...after]);
}

function sourceOf(tokens: readonly (Text | Key)[], path: string, literal: (text: string) => string): string {
  const anythingBut = (...texts: readonly string[]) => anyCharacterBut(texts.map(literal));
  let source = "";
  /** The previous key, and the literal after it. */
  let last: Key | null = null;
  let between = "";
  /** The literal after the last wildcard, up to the next key. */
  let afterWildcard = "";
  /** Key kinds in the current segment so far. */
  let hadParam = false;
  let hadWildcard = false;
  for (const [i, token] of tokens.entries()) {
    if (token.type === "text") {
      source += literal(token.value);
      between += token.value;
      if (last?.type === "wildcard") afterWildcard += token.value;
      if (token.value.includes("/")) hadParam = hadWildcard = false;
      continue;
    }
    if (last !== null && between === "") {
      throw new PathError(`Missing text before "${token.name}" ${token.type}`, path);
    }
    if (token.type === "param") {
      if (hadWildcard) source += `(${anythingBut("/", between)}+)`;
      else if (wildcardFollows(tokens, i + 1)) source += `(${anythingBut("/", textFrom(tokens, i + 1))}+)`;
      else if (hadParam) source += `(${anythingBut("/", between)}+|${literal(between)})`;
      else source += "([^/]+)";
      hadParam = true;
    } else {
      if (hadWildcard) source += `(${anythingBut(between)}+)`;
      else if (afterWildcard !== "") source += `(${anythingBut(afterWildcard)}+|[^/]+)`;
      else source += "([^]+)";
      hadWildcard = true;
      afterWildcard = "";
    }
    last = token;
    between = "";
  }
  return source;
}

function wildcardFollows(tokens: readonly (Text | Key)[], start: number): boolean {
  for (const token of tokens.slice(start)) {
    if (token.type === "wildcard") return true;
    if (token.type === "text" && token.value.includes("/")) return false;
  }
  return false;
}

function textFrom(tokens: readonly (Text | Key)[], start: number): string {
  let text = "";
  for (const token of tokens.slice(start)) {
    if (token.type !== "text") break;
    text += token.value;
  }
  return text;
}

/** Returns a source that matches one character at which none of the given literals begins. */
function anyCharacterBut(literals: readonly string[]): string {
  const isSingle = (literal: string) => /^\\?.?$/.test(literal);
  const single = literals.filter(isSingle).join("");
  const longer = literals.filter((literal) => !isSingle(literal)).join("|");
  return longer === "" ? `[^${single}]` : `(?:(?!${longer})[^${single}])`;
}
