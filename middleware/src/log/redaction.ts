/** What stands for a secret. */
const REDACTED = "[redacted]";

/** Names that end with, begin with or contain one of these words are those of secrets, however they are written. */
const SECRET =
  /passw|passphrase|secret|token|authorization|cookie|api[-_]?key|private[-_]?key|jwt|credential|signature/i;

/** Names that are those of secrets only if they are the whole name; the second list only in a query. */
const SECRETS = new Set(["auth", "csrf", "otp", "pin", "pwd", "session", "sessionid", "sid"]);
const QUERY_SECRETS = new Set(["code", "key", "sig"]);

/** Levels of a value that are written. */
const MAX_DEPTH = 8;

/** Leaves secrets out, by their names and by where they are. */
export class Redaction {
  readonly #names: ReadonlySet<string>;
  readonly #paths: readonly (readonly string[])[];

  /** @param own Further names, and paths such as `user.email` or `users.*.email` */
  constructor(own: readonly string[]) {
    this.#names = new Set(own.filter((one) => !one.includes(".")).map((one) => one.toLowerCase()));
    this.#paths = own.filter((one) => one.includes(".")).map((one) => one.split("."));
  }

  /** Whether a name is that of a secret. */
  hides(name: string): boolean {
    return SECRET.test(name) || SECRETS.has(name.toLowerCase()) || this.#names.has(name.toLowerCase());
  }

  /**
   * A path with its query, without the values of secrets.
   *
   * @param url What the client sent
   */
  url(url: string): string {
    const start = url.indexOf("?");
    return start === -1 ? url : url.slice(0, start + 1) + url.slice(start + 1).split("&").map((pair) => {
      const end = pair.indexOf("=");
      return end !== -1 && this.#hidesEncoded(pair.slice(0, end)) ? `${pair.slice(0, end)}=${REDACTED}` : pair;
    }).join("&");
  }

  #hidesEncoded(name: string): boolean {
    const [outer = "", ...inner] = decoded(name).split(/[[\].]+/);
    return QUERY_SECRETS.has(outer.toLowerCase()) || this.hides(outer) || inner.some((part) => this.hides(part)) ||
      this.#isHiddenAt(["query", outer, ...inner]);
  }

  /**
   * A text of the record itself.
   *
   * @param name Its name
   * @param text The text
   */
  text(name: string, text: string | undefined): string | undefined {
    return text !== undefined && this.#names.has(name.toLowerCase()) ? REDACTED : text;
  }

  /**
   * Values for JSON, without secrets. Of what is nested too deeply, of cycles and of bytes, only that is left.
   *
   * @param values The values by their names in the record
   */
  fields(values: object): Record<string, unknown> {
    return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, this.#copy(value, [name])]));
  }

  #copy(value: unknown, path: readonly string[]): unknown {
    const name = path.at(-1)!;
    if (this.hides(name) || this.#isHiddenAt(path)) return REDACTED;
    if (typeof value === "bigint") return String(value);
    // a copied method toJSON would be called
    if (typeof value === "function") return undefined;
    if (typeof value !== "object" || value === null) return value;
    if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
    const plain = forJson(value, name);
    if (typeof plain !== "object" || plain === null) return plain;
    if (path.length > MAX_DEPTH) return "[nested too deeply]";
    if (Array.isArray(plain)) return plain.map((one, i) => this.#copy(one, [...path, String(i)]));
    return Object.fromEntries(Object.entries(plain).map(([name, one]) => [name, this.#copy(one, [...path, name])]));
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

function decoded(name: string): string {
  try {
    return decodeURIComponent(name.replaceAll("+", " "));
  } catch {
    return name;
  }
}
