/** A path parameter. */
export interface TemplateParam {
  /** Its name, without duplicates. */
  readonly name: string;
  /** Its name in `req.params`; absent if a later parameter with the same name replaces it there. */
  readonly key?: string;
  /** A regular expression that its whole value must match. */
  readonly pattern?: string;
  /** Whether its value may contain slashes. */
  readonly spans: boolean;
}

/** A path in OpenAPI's syntax. */
export interface PathTemplate {
  /** Such as `/users/{id}`. */
  readonly path: string;
  /** Its parameters, in order and without duplicates. */
  readonly params: readonly TemplateParam[];
}

/** A part of a registered path. */
type Part = string | TemplateParam | { readonly optional: readonly Part[] };

/** As many as five optional parts produce; more templates would clutter the document. */
const MOST_TEMPLATES = 32;

const NAME = /[$_\p{ID_Start}\d][$\u200c\u200d\p{ID_Continue}]*|"[^"]*"/yu;

/** Regular expression syntax that only Express 4 paths have. */
const EXPRESSION = /[()[\]+?!|^$]/;

/**
 * Converts a path to OpenAPI's syntax, one template per combination of its optional parts.
 *
 * @param path The path as registered, in the syntax of Express 5 or 4
 * @returns The templates, shortest first; or why OpenAPI cannot express the path
 */
export function pathTemplates(path: string): readonly PathTemplate[] | string {
  const parts = new PartReader(path).read();
  if (parts === undefined) return "its path has parts that OpenAPI has no syntax for";
  const found = new Map<string, PathTemplate>();
  for (const combination of combinations(parts)) {
    if (found.size === MOST_TEMPLATES) {
      return `its path has more than ${MOST_TEMPLATES} combinations of optional parts`;
    }
    const template = templateOf(combination);
    found.set(template.path, template);
  }
  return [...found.values()];
}

function* combinations(parts: readonly Part[]): Iterable<readonly Exclude<Part, { optional: unknown }>[]> {
  const [first, ...rest] = parts;
  if (first === undefined) return yield [];
  if (typeof first === "string" || !("optional" in first)) {
    for (const others of combinations(rest)) yield [first, ...others];
    return;
  }
  yield* combinations(rest);
  yield* combinations([...first.optional, ...rest]);
}

function templateOf(parts: readonly (string | TemplateParam)[]): PathTemplate {
  const params = new Map<string, TemplateParam>();
  let path = "";
  for (const part of parts) {
    if (typeof part === "string") path += part;
    else {
      // a name may be reused below a mount, but not in one OpenAPI path
      let name = part.name;
      for (let i = 2; params.has(name); i++) name = `${part.name}${i}`;
      for (const [other, param] of params) {
        const { key, ...others } = param;
        if (key === part.name) params.set(other, others);
      }
      params.set(name, { ...part, name, key: part.name });
      path += `{${name}}`;
    }
  }
  return { path: path.startsWith("/") ? path : `/${path}`, params: [...params.values()] };
}

class PartReader {
  readonly #path: string;
  #at = 0;
  /** Number of unnamed wildcards so far, which names the next one. */
  #unnamed = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** Reads the whole path. */
  read(): Part[] | undefined {
    const parts = this.#sequence();
    return this.#at === this.#path.length ? parts : undefined;
  }

  /** Reads up to the end, or the brace that closes an optional part. */
  #sequence(): Part[] | undefined {
    const parts: Part[] = [];
    while (this.#at < this.#path.length && this.#path[this.#at] !== "}") {
      const char = this.#path[this.#at]!;
      if (EXPRESSION.test(char)) return undefined;
      if (char === "{") {
        this.#at++;
        const optional = this.#sequence();
        if (optional === undefined || this.#path[this.#at++] !== "}") return undefined;
        parts.push({ optional });
      } else if (char === "*") this.#wildcard(parts);
      else if (char === ":") {
        if (!this.#parameter(parts)) return undefined;
      } else {
        if (char === "\\") this.#at++;
        const literal = this.#path[this.#at++] ?? "";
        if (literal === "{" || literal === "}") return undefined;
        parts.push(literal);
      }
    }
    return parts;
  }

  #wildcard(parts: Part[]): void {
    this.#at++;
    parts.push({ name: this.#name() ?? String(this.#unnamed++), spans: true });
  }

  #parameter(parts: Part[]): boolean {
    this.#at++;
    const name = this.#name();
    if (name === undefined) return false;
    const pattern = this.#constraint();
    const suffix = /^[*+?]/.exec(this.#path.slice(this.#at))?.[0] ?? "";
    this.#at += suffix.length;
    const param = { name, spans: suffix === "*" || suffix === "+", ...pattern === undefined ? {} : { pattern } };
    if (suffix !== "?") parts.push(param);
    // the preceding slash or dot is also optional
    else parts.push({ optional: [...(/^[/.]$/.test(String(parts.at(-1))) ? [parts.pop()!] : []), param] });
    return true;
  }

  #name(): string | undefined {
    NAME.lastIndex = this.#at;
    const found = NAME.exec(this.#path)?.[0];
    if (found === undefined) return undefined;
    this.#at += found.length;
    return found.startsWith('"') ? found.slice(1, -1) : found;
  }

  #constraint(): string | undefined {
    if (this.#path[this.#at] !== "(") return undefined;
    let depth = 0;
    for (let i = this.#at; i < this.#path.length; i++) {
      if (this.#path[i] === "\\") i++;
      else if (this.#path[i] === "(") depth++;
      else if (this.#path[i] === ")" && --depth === 0) {
        const source = this.#path.slice(this.#at + 1, i);
        this.#at = i + 1;
        return source;
      }
    }
    return undefined;
  }
}
