import {
  hasEncodedSecret,
  isSecretName,
  isSecretParameter,
  parameterNames,
  REDACTED,
  redactedPath,
  redactedText,
} from "@sluice/shared";

/** Maximum depth of a logged value. */
const MAX_DEPTH = 8;

/** Number of path patterns to cache: more than any program has routes. */
const MAX_PATTERNS = 4096;

/** Removes secrets, by name and by path. */
export class Redaction {
  readonly #names: ReadonlySet<string>;
  readonly #paths: readonly (readonly string[])[];
  /** Whether a path's pattern is free of secret names. */
  readonly #harmless = new Map<string, boolean>();
  readonly #hides = (name: string): boolean => isSecretName(name) || this.#names.has(name.toLowerCase());

  /** @param own Further names, and paths such as `user.email` or `users.*.email` */
  constructor(own: readonly string[]) {
    this.#names = new Set(own.filter((one) => !one.includes(".")).map((one) => one.toLowerCase()));
    this.#paths = own.filter((one) => one.includes(".")).map((one) => one.split("."));
  }

  /**
   * Returns a path with its query, without secret values.
   *
   * @param url The request's path and query
   * @param params The parameters, which routers reset when the request leaves them
   * @param pattern The route's path, if there is one
   */
  url(url: string, params: Readonly<Record<string, unknown>>, pattern: string | undefined): string {
    const end = url.indexOf("?");
    const plain = end === -1 ? url : url.slice(0, end);
    const path = this.message(this.#isHarmless(pattern) ? plain : redactedPath(plain, params, this.#hides, pattern));
    return end === -1 ? path : `${path}?${url.slice(end + 1).split("&").map((pair) => this.#pair(pair)).join("&")}`;
  }

  // searching for names would account for a tenth of the time per request
  #isHarmless(pattern: string | undefined): boolean {
    if (pattern === undefined) return false;
    let isHarmless = this.#harmless.get(pattern);
    if (isHarmless === undefined) {
      isHarmless = !pattern.split(/\W+/).some(this.#hides);
      if (this.#harmless.size < MAX_PATTERNS) this.#harmless.set(pattern, isHarmless);
    }
    return isHarmless;
  }

  #pair(pair: string): string {
    const end = pair.indexOf("=") + 1;
    if (end === 0) return this.message(pair);
    const name = pair.slice(0, end - 1);
    const value = pair.slice(end);
    const isHidden = isSecretParameter(name, this.#hides, true) || hasEncodedSecret(value, this.#hides) ||
      this.#isHiddenAt(["query", ...parameterNames(name)]);
    return `${name}=${isHidden ? REDACTED : this.message(value)}`;
  }

  /**
   * Removes secrets from text for people, such as an error's message.
   *
   * @param text The text
   */
  message(text: string): string {
    return redactedText(text, this.#hides);
  }

  /**
   * Redacts one of the record's own strings.
   *
   * @param name Its name
   * @param text The string
   */
  text(name: string, text: string | undefined): string | undefined {
    return text !== undefined && this.#names.has(name.toLowerCase()) ? REDACTED : text;
  }

  /**
   * Copies values for JSON, without secrets. Values nested too deeply, cycles and bytes are replaced by placeholders.
   *
   * @param values The values by their names in the record
   */
  fields(values: object): Record<string, unknown> {
    return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, this.#copy(value, [name])]));
  }

  #copy(value: unknown, path: readonly string[]): unknown {
    const name = path.at(-1)!;
    if (this.#hides(name) || this.#isHiddenAt(path)) return REDACTED;
    if (typeof value === "string") return this.message(value);
    if (typeof value === "bigint") return String(value);
    // a copied `toJSON` method would be called
    if (typeof value === "function") return undefined;
    if (typeof value !== "object" || value === null) return value;
    if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
    const plain = forJson(value, name);
    if (typeof plain === "string") return this.message(plain);
    if (typeof plain !== "object" || plain === null) return plain;
    if (path.length > MAX_DEPTH) return "[nested too deeply]";
    if (Array.isArray(plain)) {
      return plain.map((one, i) => this.#element(plain, i) ?? this.#copy(one, [...path, String(i)]));
    }
    // a form sent with the wrong content type ends up as a name
    const members = Object.entries(plain).map(([name, one]) => [this.message(name), this.#copy(one, [...path, name])]);
    return Object.fromEntries(members);
  }

  // names and values alternate, as in `req.rawHeaders` and in entries
  #element(list: readonly unknown[], at: number): string | undefined {
    const name = list[at - 1];
    return at % 2 === 1 && typeof name === "string" && this.#hides(name) ? REDACTED : undefined;
  }

  #isHiddenAt(path: readonly string[]): boolean {
    return this.#paths.some((hidden) =>
      hidden.length === path.length && hidden.every((name, i) => name === "*" || name === path[i])
    );
  }
}

function forJson(value: object, name: string): unknown {
  if (value instanceof Headers) return Object.fromEntries(value);
  if (value instanceof Error) return { name: value.name, message: value.message };
  const { toJSON } = value as { toJSON?: unknown };
  return typeof toJSON === "function" ? toJSON.call(value, name) : value;
}
