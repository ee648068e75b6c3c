import { decode, type ParsedQuery } from "./query_string.ts";

/** Bounds of the extended parser. */
export interface ExtendedQueryOptions {
  /** Levels of brackets that are followed; what is deeper becomes one key. 5 by default. */
  depth?: number;
  /** Highest index that makes a list; a higher one makes an object. 20 by default. */
  arrayLimit?: number;
  /** Pairs that are read; what follows is left out. 1000 by default. */
  parameterLimit?: number;
  /** Refuses what is deeper than `depth` with a `RangeError`; off by default. */
  strictDepth?: boolean;
  /** Encoding of the percent escapes; UTF-8 by default. */
  charset?: "utf-8" | "iso-8859-1";
  /** Lets a pair `utf8=✓` tell the charset; off by default. */
  charsetSentinel?: boolean;
  /** Turns `&#9786;` into its character, in ISO-8859-1; off by default. */
  interpretNumericEntities?: boolean;
  /** Keeps names that objects inherit, such as `toString`; off by default. `__proto__` is never kept. */
  allowPrototypes?: boolean;
}

/** A value under construction; lists are kept sparse until the end. */
type Node = { list: unknown[] } | { entries: Map<string, unknown> };

const SENTINEL_UTF8 = "utf8=%E2%9C%93";
const SENTINEL_LATIN1 = "utf8=%26%2310003%3B";

/**
 * Parses a query string with brackets, as npm's qs: `a[b][c]=1`, `a[]=1`, `a[0]=1`.
 *
 * @param text The query without its question mark
 * @param options Bounds
 * @returns Nested objects and lists
 * @throws {RangeError} If `strictDepth` is on and the brackets are too deep
 */
export function parseExtendedQuery(text: string, options: ExtendedQueryOptions = {}): ParsedQuery {
  const result: ParsedQuery = {};
  if (typeof text !== "string" || text === "") return result;
  const { parameterLimit = 1000, charsetSentinel = false } = options;
  let parts = text.replace(/^\?/, "").split("&").filter((part) => part !== "");
  if (Number.isFinite(parameterLimit)) parts = parts.slice(0, parameterLimit);
  let charset = options.charset ?? "utf-8";
  if (charsetSentinel) {
    const sentinel = parts.find((part) => part.startsWith("utf8="));
    if (sentinel === SENTINEL_UTF8) charset = "utf-8";
    else if (sentinel === SENTINEL_LATIN1) charset = "iso-8859-1";
    parts = parts.filter((part) => part !== sentinel);
  }
  const root: Node = { entries: new Map() };
  for (const part of parts) addPair(root, part, charset, options);
  return finish(root, options.allowPrototypes ?? false) as ParsedQuery;
}

function addPair(root: Node, part: string, charset: string, options: ExtendedQueryOptions): void {
  const bracket = part.indexOf("]=");
  const equals = bracket === -1 ? part.indexOf("=") : bracket + 1;
  const read = charset === "utf-8" ? decode : decodeLatin1;
  const name = read(equals === -1 ? part : part.slice(0, equals));
  let value = equals === -1 ? "" : read(part.slice(equals + 1));
  if (options.interpretNumericEntities && charset !== "utf-8") {
    value = value.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
  }
  if (name === "") return;
  insert(root, keysOf(name, options), value, options.arrayLimit ?? 20);
}

function decodeLatin1(text: string): string {
  return text.replaceAll("+", " ").replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(parseInt(hex, 16)));
}

function keysOf(name: string, { depth = 5, strictDepth = false }: ExtendedQueryOptions): string[] {
  const first = name.indexOf("[");
  if (first === -1 || depth === 0) return [name];
  const keys = first === 0 ? [] : [name.slice(0, first)];
  let at = first;
  for (let level = 0; level < depth && name[at] === "["; level++) {
    const close = closingBracket(name, at);
    if (close === -1) break;
    keys.push(name.slice(at, close + 1));
    at = close + 1;
  }
  if (at < name.length && name[at] === "[" && keys.length > 0) {
    if (strictDepth) throw new RangeError(`Input depth exceeded depth option of ${depth} and strictDepth is true`);
    keys.push(`[${name.slice(at)}]`);
  }
  return keys.length === 0 ? [name] : keys;
}

function insert(node: Node, keys: readonly string[], value: unknown, arrayLimit: number): void {
  let at = node;
  for (let i = 0; i < keys.length; i++) {
    const key = bareKey(keys[i]!);
    const last = i === keys.length - 1;
    if (!last) at = descend(at, key, keys[i + 1]!, arrayLimit);
    else set(at, key, value, arrayLimit);
  }
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

function isIndex(key: string, arrayLimit: number): boolean {
  return /^(?:0|[1-9]\d*)$/.test(key) && Number(key) <= arrayLimit;
}

function asEntries(node: Node): Map<string, unknown> {
  if ("entries" in node) return node.entries;
  // a name among indexes makes the list an object
  const entries = new Map<string, unknown>();
  node.list.forEach((value, index) => entries.set(String(index), value));
  delete (node as { list?: unknown[] }).list;
  (node as unknown as { entries: Map<string, unknown> }).entries = entries;
  return entries;
}

function get(node: Node, key: string): unknown {
  return "entries" in node ? node.entries.get(key) : node.list[Number(key)];
}

function put(node: Node, key: string, value: unknown, arrayLimit: number): void {
  if ("list" in node && key === "") node.list.push(value);
  else if ("list" in node && isIndex(key, arrayLimit)) node.list[Number(key)] = value;
  else asEntries(node).set(key === "" ? String(asEntries(node).size) : key, value);
}

function descend(node: Node, key: string, next: string, arrayLimit: number): Node {
  const known = key === "" ? undefined : get(node, key);
  if (isNode(known)) return known;
  const bare = bareKey(next);
  const list = next.startsWith("[") && (bare === "" || isIndex(bare, arrayLimit));
  const made: Node = list ? { list: known === undefined ? [] : [known] } : { entries: new Map() };
  if (!list && known !== undefined) asEntries(made).set(String(known), true);
  put(node, key, made, arrayLimit);
  return made;
}

function set(node: Node, key: string, value: unknown, arrayLimit: number): void {
  const known = key === "" ? undefined : get(node, key);
  if (known === undefined) return put(node, key, value, arrayLimit);
  if (isNode(known) && "list" in known) known.list.push(value);
  else put(node, key, { list: [known, value] }, arrayLimit);
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null;
}

function finish(value: unknown, allowPrototypes: boolean): unknown {
  if (!isNode(value)) return value;
  if ("list" in value) return value.list.filter(() => true).map((one) => finish(one, allowPrototypes));
  const made: ParsedQuery = {};
  for (const [key, one] of value.entries) {
    if (key === "__proto__" || (!allowPrototypes && key in Object.prototype)) continue;
    made[key] = finish(one, allowPrototypes);
  }
  return made;
}
