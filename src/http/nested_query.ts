import type { ParsedQuery } from "./query_string.ts";

/** Limits for the extended parser. */
export interface ExtendedQueryOptions {
  /** Bracket levels to parse; deeper ones become part of the key. 5 by default. */
  depth?: number;
  /** Highest index that creates an array; a higher one creates an object. 20 by default. */
  arrayLimit?: number;
  /** Maximum number of pairs; further ones are ignored. 1000 by default. */
  parameterLimit?: number;
  /** Throws a `RangeError` for levels beyond `depth`; off by default. */
  strictDepth?: boolean;
  /** Encoding for percent escapes; UTF-8 by default. */
  charset?: "utf-8" | "iso-8859-1";
  /** Reads the charset from a pair `utf8=✓`; off by default. */
  charsetSentinel?: boolean;
  /** Decodes `&#9786;` into its character, in ISO-8859-1; off by default. */
  interpretNumericEntities?: boolean;
  /** Allows names that objects inherit, such as `toString`; off by default. `__proto__` is never allowed. */
  allowPrototypes?: boolean;
}

const SENTINEL_UTF8 = "utf8=%E2%9C%93";
const SENTINEL_LATIN1 = "utf8=%26%2310003%3B";

/**
 * Parses a query string with brackets like npm's qs: `a[b][c]=1`, `a[]=1`, `a[0]=1`. As in qs, values with the same
 * name are combined first, then every name becomes an object, and the objects are merged.
 *
 * @param text The query without its question mark
 * @param options Limits
 * @returns Nested objects and arrays
 * @throws {RangeError} If `strictDepth` is on and the brackets are too deep
 */
export function parseExtendedQuery(text: string, options: ExtendedQueryOptions = {}): ParsedQuery {
  if (typeof text !== "string" || text === "") return {};
  return new Nesting(options).parse(text);
}

type Tree = Record<string, unknown> | unknown[];

class Nesting {
  readonly #options: ExtendedQueryOptions;
  readonly #limit: number;
  /** Highest index in objects that replace arrays beyond the limit. */
  readonly #overflow = new WeakMap<object, number>();
  /** Highest index in arrays and objects that merged a string and an object. */
  readonly #conflict = new WeakMap<object, number>();

  constructor(options: ExtendedQueryOptions) {
    this.#options = options;
    this.#limit = options.arrayLimit ?? 20;
  }

  parse(text: string): ParsedQuery {
    let result: unknown = {};
    for (const [name, value] of this.#values(text)) {
      const keys = this.#keysOf(name);
      if (keys !== null) result = this.#merge(result, this.#treeOf(keys, value));
    }
    return dense(result) as ParsedQuery;
  }

  // objects list integer keys first, whatever the insertion order; qs also depends on that
  #values(text: string): [string, unknown][] {
    const { parameterLimit = 1000, charsetSentinel = false, interpretNumericEntities = false } = this.#options;
    const limit = Number.isFinite(parameterLimit) ? parameterLimit : undefined;
    const parts = text.replace(/%5B/gi, "[").replace(/%5D/gi, "]").split("&", limit);
    let charset = this.#options.charset ?? "utf-8";
    const sentinel = charsetSentinel ? parts.findIndex((part) => part.startsWith("utf8=")) : -1;
    if (parts[sentinel] === SENTINEL_UTF8) charset = "utf-8";
    else if (parts[sentinel] === SENTINEL_LATIN1) charset = "iso-8859-1";
    const read = charset === "utf-8" ? decodeUtf8 : decodeLatin1;
    const values: Record<string, unknown> = Object.create(null);
    for (const [i, part] of parts.entries()) {
      if (i === sentinel) continue;
      const bracket = part.indexOf("]=");
      const equals = bracket === -1 ? part.indexOf("=") : bracket + 1;
      const name = read(equals === -1 ? part : part.slice(0, equals));
      let value = equals === -1 ? "" : read(part.slice(equals + 1));
      if (interpretNumericEntities && charset !== "utf-8") {
        value = value.replace(
          /&#(\d+);/g,
          (_, code) => Number(code) > 0x10ffff ? "" : String.fromCodePoint(Number(code)),
        );
      }
      values[name] = name in values ? this.#combine(values[name], value) : value;
    }
    return Object.entries(values);
  }

  #keysOf(name: string): string[] | null {
    const { depth = 5, strictDepth = false, allowPrototypes = false } = this.#options;
    const inherited = (key: string): boolean => !allowPrototypes && Object.hasOwn(Object.prototype, key);
    if (name === "") return null;
    if (depth <= 0) return inherited(bareKey(name)) ? null : [name];
    let open = name.indexOf("[");
    const parent = open === -1 ? name : name.slice(0, open);
    if (inherited(parent)) return null;
    const keys = parent === "" ? [] : [parent];
    for (let level = 0; open !== -1 && level < depth; level++) {
      const close = closingBracket(name, open);
      if (close === -1) return [...keys, `[${name.slice(open)}]`];
      if (inherited(name.slice(open + 1, close))) return null;
      keys.push(name.slice(open, close + 1));
      open = name.indexOf("[", close + 1);
    }
    if (open === -1) return keys;
    if (strictDepth) throw new RangeError(`Input depth exceeded depth option of ${depth} and strictDepth is true`);
    return [...keys, `[${name.slice(open)}]`];
  }

  #treeOf(keys: readonly string[], value: unknown): unknown {
    let leaf = value;
    for (const key of keys.toReversed()) {
      if (key === "[]") {
        if (!isTree(leaf) || !this.#overflow.has(leaf)) leaf = this.#combine([], leaf);
        continue;
      }
      const bare = bareKey(key);
      const isIndex = bare !== key && /^(?:0|[1-9]\d*)$/.test(bare) && String(Number(bare)) === bare;
      const made = (isIndex && Number(bare) < this.#limit ? listFor(Number(bare)) : {}) as Record<string, unknown>;
      if (bare !== "__proto__") made[bare] = leaf;
      if (isIndex && !Array.isArray(made)) this.#overflow.set(made, Number(bare));
      leaf = made;
    }
    return leaf;
  }

  #combine(a: unknown, b: unknown): unknown {
    // in place, because otherwise a name that occurs a thousand times would be copied a thousand times
    if (Array.isArray(a) && !isTree(b) && a.length < this.#limit) {
      a.push(b);
      return a;
    }
    if (!isTree(a) || !this.#overflow.has(a)) return this.#joined(a, b);
    for (const one of [b].flat()) this.#append(this.#overflow, a, one);
    return a;
  }

  #append(indexes: WeakMap<object, number>, to: Tree, value: unknown): void {
    const index = indexes.get(to)! + 1;
    (to as Record<string, unknown>)[index] = value;
    indexes.set(to, index);
  }

  // array gaps are kept, and count
  #joined(a: unknown, b: unknown): Tree {
    const list = ([] as unknown[]).concat(a, b);
    return this.#limited(list, list.length);
  }

  #limited(list: unknown[], count?: number): Tree {
    if (list.length <= this.#limit || (count ?? Object.keys(list).length) <= this.#limit) return list;
    const made = toObject(list);
    this.#overflow.set(made, list.length - 1);
    return made;
  }

  #merge(target: unknown, source: unknown): unknown {
    if (source === "" || source === undefined) return target;
    if (!isTree(source)) return this.#mergeText(target, source as string);
    if (!isTree(target)) {
      if (!this.#overflow.has(source)) return this.#joined(target, source);
      const made: Record<string, unknown> = { 0: target };
      for (const [key, value] of Object.entries(source)) made[parseInt(key, 10) + 1] = value;
      this.#overflow.set(made, this.#overflow.get(source)! + 1);
      return made;
    }
    if (Array.isArray(target) && Array.isArray(source)) {
      // only over existing elements, because a few characters from a client can create an array that is nearly all gaps
      for (const [key, item] of Object.entries(source)) {
        const i = Number(key);
        if (!(i in target)) target[i] = item;
        else if (isTree(target[i]) && isTree(item)) target[i] = this.#merge(target[i], item);
        else target.push(item);
      }
      return this.#limited(target);
    }
    return this.#mergeObject(target, source);
  }

  #mergeText(target: unknown, text: string): unknown {
    if (!isTree(target)) return this.#limited([target, text]);
    if (Array.isArray(target)) {
      target.push(text);
      return this.#limited(target);
    }
    const indexes = [this.#overflow, this.#conflict].find((one) => one.has(target));
    if (indexes !== undefined) {
      this.#append(indexes, target, text);
      return target;
    }
    const pair = this.#limited([target, text]);
    if (Array.isArray(pair)) this.#conflict.set(pair, 1);
    return pair;
  }

  #mergeObject(target: Tree, source: Tree): Tree {
    const into = Array.isArray(target) ? toObject(target) : target;
    if (into !== target && this.#conflict.has(target)) this.#conflict.set(into, (target as unknown[]).length - 1);
    for (const [key, value] of Object.entries(source)) {
      into[key] = Object.hasOwn(into, key) ? this.#merge(into[key], value) : value;
      if (this.#overflow.has(source) && !this.#overflow.has(into)) {
        this.#overflow.set(into, Math.max(this.#overflow.get(source)!, ...indexesOf(into)));
      }
      for (const indexes of [this.#overflow, this.#conflict]) {
        if (indexes.has(into)) indexes.set(into, Math.max(indexes.get(into)!, ...indexesOf({ [key]: 0 })));
      }
    }
    return into;
  }
}

// qs keeps a string with a broken escape unchanged
function decodeUtf8(text: string): string {
  const spaced = text.replaceAll("+", " ");
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced;
  }
}

function decodeLatin1(text: string): string {
  return text.replaceAll("+", " ").replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(parseInt(hex, 16)));
}

// brackets inside brackets belong to the key
function closingBracket(name: string, open: number): number {
  let depth = 0;
  for (let i = open; i < name.length; i++) {
    if (name[i] === "[") depth++;
    else if (name[i] === "]" && --depth === 0) return i;
  }
  return -1;
}

function bareKey(key: string): string {
  return key.startsWith("[") && key.endsWith("]") ? key.slice(1, -1) : key;
}

function isTree(value: unknown): value is Tree {
  return typeof value === "object" && value !== null;
}

/** Up to this index, arrays with gaps use little memory. */
const FEW_ELEMENTS = 32;

/** Highest index in an array. */
const LAST_INDEX = 2 ** 32 - 2;

// Engines allocate all elements up to the first one set, unless the array was already very long (then it is a hash
// table). The gaps in a 100 kB form's nested arrays would take hundreds of megabytes.
function listFor(index: number): unknown[] {
  const list: unknown[] = [];
  if (index < FEW_ELEMENTS) return list;
  list[LAST_INDEX] = null;
  list.length = 0;
  return list;
}

function toObject(list: readonly unknown[]): Record<string, unknown> {
  const made: Record<string, unknown> = {};
  list.forEach((value, index) => made[index] = value);
  return made;
}

function indexesOf(object: object): number[] {
  return Object.keys(object).filter((key) => String(parseInt(key, 10)) === key).map(Number);
}

function dense(value: unknown): unknown {
  if (!isTree(value)) return value;
  if (Array.isArray(value)) return Object.values(value).map(dense);
  for (const [key, one] of Object.entries(value)) value[key] = dense(one);
  return value;
}
