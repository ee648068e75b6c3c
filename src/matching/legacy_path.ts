import { isExponential } from "./ambiguity.ts";

/** A path in path-to-regexp's present syntax, and what that syntax cannot express. */
export interface TranslatedPath {
  /** The path as path-to-regexp 8 and 9 read it. */
  readonly path: string;
  /** Regular expressions that whole parameters must match, by name. */
  readonly constraints: ReadonlyMap<string, RegExp>;
  /** Parameters whose value is one string although they span segments: Express 4's `*`, `:name(*)` and `:name(.*)`. */
  readonly joined: ReadonlySet<string>;
}

const NAME_START = /[$_\p{ID_Start}]/u;
const NAME_PART = /[$\u200c\u200d\p{ID_Continue}]/u;

/** Elsewhere a `?` is more likely the beginning of a query, which is no part of a path. */
const OPTIONAL_SLASH = /^\/\?\*?$/;

/**
 * Translates the Express 4 forms still in use: `*`, `/:id?`, `/:id(\d+)`, and `/?` or `/?*` at the end.
 *
 * @param path The path as it was registered
 * @returns The same path in Express 5's syntax
 * @throws {TypeError} If a constraint is no regular expression, or may take exponential time
 */
export function translateLegacyPath(path: string): TranslatedPath {
  const constraints = new Map<string, RegExp>();
  const joined = new Set<string>();
  let out = "";
  let unnamed = 0;
  for (let i = 0; i < path.length;) {
    const char = path[i]!;
    if (char === "\\") {
      out += path.slice(i, i + 2);
      i += 2;
    } else if (char === "*" && !startsName(path, i + 1)) {
      const name = String(unnamed++);
      joined.add(name);
      out += `{*"${name}"}`;
      i++;
    } else if (char === ":" && startsName(path, i + 1)) {
      const end = nameEnd(path, i + 1);
      const name = path.slice(i + 1, end);
      const close = path[end] === "(" ? constraintEnd(path, end) : end;
      let token = path.slice(i, end);
      if (close > end) {
        const source = path.slice(end + 1, close - 1);
        if (source === ".*" || source === "*" || source === ".+") {
          joined.add(name);
          token = source === ".+" ? `*${name}` : `{*${name}}`;
        } else constraints.set(name, constraintOf(path, name, source));
      }
      const optional = path[close] === "?";
      if (!optional) out += token;
      else if (out.endsWith("/")) out = `${out.slice(0, -1)}{/${token}}`;
      else out += `{${token}}`;
      i = optional ? close + 1 : close;
    } else if (OPTIONAL_SLASH.test(path.slice(i))) {
      out += "{/}";
      i += 2;
    } else {
      out += char;
      i++;
    }
  }
  return { path: out, constraints, joined };
}

function startsName(path: string, at: number): boolean {
  const char = path[at];
  return char !== undefined && (char === '"' || NAME_START.test(char));
}

function nameEnd(path: string, at: number): number {
  if (path[at] === '"') {
    const close = path.indexOf('"', at + 1);
    return close === -1 ? path.length : close + 1;
  }
  let end = at;
  while (end < path.length && NAME_PART.test(path[end]!)) end++;
  return end;
}

function constraintEnd(path: string, open: number): number {
  let depth = 0;
  for (let i = open; i < path.length; i++) {
    if (path[i] === "\\") i++;
    else if (path[i] === "(") depth++;
    else if (path[i] === ")" && --depth === 0) return i + 1;
  }
  return open;
}

function constraintOf(path: string, name: string, source: string): RegExp {
  let regexp: RegExp;
  try {
    regexp = new RegExp(`^(?:${source})$`, "i");
  } catch (cause) {
    throw new TypeError(`The constraint (${source}) of ":${name}" in "${path}" is not a regular expression`, { cause });
  }
  if (!isExponential(regexp)) return regexp;
  throw new TypeError(
    `The constraint (${source}) of ":${name}" in "${path}" repeats what can match the same text in several ways, such as ` +
      "a repetition, which a hostile path can make very slow; simplify it",
  );
}
