/** Code point ranges that one step in a regular expression accepts. */
export type Ranges = readonly (readonly [from: number, to: number])[];

/** A regular expression reduced to what decides how many ways it matches: no assertions or back references. */
export type Shape =
  | { readonly kind: "one"; readonly ranges: Ranges }
  | { readonly kind: "all"; readonly parts: readonly Shape[] }
  | { readonly kind: "any"; readonly parts: readonly Shape[] }
  | { readonly kind: "repeated"; readonly part: Shape; readonly min: number; readonly max: number };

const LAST = 0x10ffff;
const DIGITS: Ranges = [[48, 57]];
const WORDS: Ranges = [[48, 57], [65, 90], [95, 95], [97, 122]];
const SPACES: Ranges = [[9, 13], [32, 32], [160, 160], [0x2000, 0x200a], [0x2028, 0x2029], [0xfeff, 0xfeff]];
const ANYTHING: Ranges = [[0, LAST]];
const CONTROLS: Readonly<Record<string, number>> = { n: 10, r: 13, t: 9, v: 11, f: 12, 0: 0 };

const NOTHING: Shape = { kind: "all", parts: [] };

/**
 * Parses a regular expression's shape.
 *
 * @param regexp The expression
 */
export function shapeOf({ source, ignoreCase }: RegExp): Shape {
  return new Reader(source, ignoreCase).alternatives();
}

/** Parses an expression's source, which is known to be valid. */
class Reader {
  readonly #source: string;
  readonly #ignoreCase: boolean;
  #at = 0;

  constructor(source: string, ignoreCase: boolean) {
    this.#source = source;
    this.#ignoreCase = ignoreCase;
  }

  alternatives(): Shape {
    const parts = [this.#sequence()];
    while (this.#takes("|")) parts.push(this.#sequence());
    return parts.length === 1 ? parts[0]! : { kind: "any", parts };
  }

  #sequence(): Shape {
    const parts: Shape[] = [];
    while (this.#at < this.#source.length && !/[|)]/.test(this.#source[this.#at]!)) {
      parts.push(this.#quantified(this.#atom()));
    }
    return { kind: "all", parts };
  }

  #quantified(part: Shape): Shape {
    const found = this.#match(/(?:[*+?]|\{(\d+)(?:(,)(\d*))?\})\??/y);
    if (found === null) return part;
    const [text, from, comma, to] = found;
    const min = from === undefined ? Number(text[0] === "+") : Number(from);
    const bounded = comma === undefined ? min : to === "" ? Infinity : Number(to);
    return { kind: "repeated", part, min, max: from === undefined ? (text[0] === "?" ? 1 : Infinity) : bounded };
  }

  #atom(): Shape {
    if (this.#match(/[\^$]|\\[bB]|\\[1-9]\d*|\\k<[^>]*>/y) !== null) return NOTHING;
    const group = this.#match(/\((?:\?(?:(<?[=!])|<[^>]*>|[\w-]*:))?/y);
    if (group !== null) {
      const inner = this.alternatives();
      this.#at++;
      return group[1] === undefined ? inner : NOTHING;
    }
    if (this.#takes("[")) return this.#one(this.#classRanges());
    if (this.#takes(".")) return this.#one(ANYTHING);
    return this.#one(this.#single());
  }

  #one(ranges: Ranges): Shape {
    if (!this.#ignoreCase) return { kind: "one", ranges };
    const upper = ranges.flatMap(([from, to]) => shifted(from, to, 97, -32));
    const lower = ranges.flatMap(([from, to]) => shifted(from, to, 65, 32));
    return { kind: "one", ranges: [...ranges, ...upper, ...lower] };
  }

  #classRanges(): Ranges {
    const isNegated = this.#takes("^");
    const ranges: (readonly [number, number])[] = [];
    while (!this.#takes("]")) {
      const first = this.#single();
      const isRange = first.length === 1 && first[0]![0] === first[0]![1] && this.#match(/-(?!\])/y) !== null;
      if (isRange) ranges.push([first[0]![0], this.#single()[0]![1]]);
      else ranges.push(...first);
    }
    return isNegated ? others(ranges) : ranges;
  }

  // one character, or an escape's class
  #single(): Ranges {
    if (!this.#takes("\\")) {
      const code = this.#source.codePointAt(this.#at)!;
      this.#at += code > 0xffff ? 2 : 1;
      return [[code, code]];
    }
    const hex = this.#match(/x([\da-f]{2})|u([\da-f]{4})|u\{([\da-f]+)\}/yi);
    if (hex !== null) return at(parseInt(hex[1] ?? hex[2] ?? hex[3]!, 16));
    // the runtime decides which characters have a property, so assume any may
    if (this.#match(/[pP]\{[^}]*\}/y) !== null) return ANYTHING;
    const char = this.#source[this.#at++]!;
    const known = { d: DIGITS, w: WORDS, s: SPACES }[char.toLowerCase()];
    if (known !== undefined) return char === char.toLowerCase() ? known : others(known);
    return at(CONTROLS[char] ?? char.charCodeAt(0));
  }

  #takes(char: string): boolean {
    if (this.#source[this.#at] !== char) return false;
    this.#at++;
    return true;
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#source);
    if (found !== null) this.#at += found[0].length;
    return found;
  }
}

function at(code: number): Ranges {
  return [[code, code]];
}

function others(ranges: Ranges): Ranges {
  const left: [number, number][] = [];
  let next = 0;
  for (const [from, to] of ranges.toSorted(([one], [other]) => one - other)) {
    if (from > next) left.push([next, from - 1]);
    next = Math.max(next, to + 1);
  }
  if (next <= LAST) left.push([next, LAST]);
  return left;
}

// a range's letters, in the other case
function shifted(from: number, to: number, first: number, by: number): [number, number][] {
  const [start, end] = [Math.max(from, first), Math.min(to, first + 25)];
  return start > end ? [] : [[start + by, end + by]];
}
