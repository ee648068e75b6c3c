import { usualSpelling } from "../util/path_spelling.ts";
import type { PathOptions } from "./path_options.ts";

/** Characters that all clients send unencoded, and two that no client does: `%` and the backslash. */
const ONE_SPELLING = /^[\w\-./%\\]*$/;
/** Characters that the URL Standard encodes in paths, so browsers never send them unencoded. */
const ALWAYS_ENCODED = /^[\0-\x20"#<>?^`{}\x7f-\uffff]/;
const PARTS = /(?:%[89a-f][\da-f])+|%[0-7][\da-f]|[^]/giu;

/**
 * Returns whether clients may write a literal in several ways.
 *
 * @param text The literal
 */
export function hasSpellings(text: string): boolean {
  return !ONE_SPELLING.test(usualSpelling(text));
}

/**
 * Converts a literal to a regular expression source that matches all spellings clients use.
 *
 * `/café` matches `/caf%C3%A9`, as browsers send it. A mount also matches both `/@me` and `/%40me`, because clients
 * send both, and it may guard a directory of files. A route does not, as in Express, because a check on `req.path` may
 * guard it.
 *
 * @param text The literal
 * @param options How the path matches
 */
export function literalSource(text: string, options: PathOptions): string {
  if (ONE_SPELLING.test(text) && !text.includes("%")) return escaped(text);
  return (text.match(PARTS) ?? []).map((part) => {
    const usual = usualSpelling(part);
    const isEncoded = ALWAYS_ENCODED.test(usual);
    if (!isEncoded && (options.end || ONE_SPELLING.test(usual))) return escaped(part);
    return Array.from(usual, (character) => spellings(character, options)).join("");
  }).join("");
}

function spellings(character: string, { sensitive }: PathOptions): string {
  // half a surrogate pair has no encoded form
  if (!character.isWellFormed()) return escaped(character);
  const cases = sensitive ? [] : [character.toLowerCase(), character.toUpperCase()].filter(isOneBeyondAscii);
  const encoded = new Set([character, ...cases].map(encodedSource));
  return `(?:${escaped(character)}|${[...encoded].join("|")})`;
}

// not the "SS" of a sharp s, nor the "S" of a long one
function isOneBeyondAscii(text: string): boolean {
  return text.length === String.fromCodePoint(text.codePointAt(0)!).length && text > "\x7f";
}

// the hex digits in either case, even where paths are case-sensitive
function encodedSource(text: string): string {
  const bytes = Array.from(new TextEncoder().encode(text), (byte) => byte.toString(16).padStart(2, "0"));
  return bytes.map((hex) => `%${hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)}`).join("");
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
