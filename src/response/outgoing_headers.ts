import { assertHeaderName, assertHeaderValue } from "../http/header_values.ts";

/** A header value as it was set; several values become several header lines. */
export type HeaderValue = number | string | string[];

/**
 * Headers of a response before it is sent, as Node keeps them: names in their first spelling, found in any case.
 * The content type has a slot of its own, so that the commonest answer needs no map.
 */
export class OutgoingHeaders {
  #contentType: HeaderValue | undefined = undefined;
  #contentTypeName = "Content-Type";
  #others: Map<string, { name: string; value: HeaderValue }> | null = null;
  /** Whether a header that frames the body was ever set: `Content-Length` or `Transfer-Encoding`. */
  framed = false;

  /** The content type as text, `undefined` when none is set. */
  get contentType(): string | undefined {
    const type = this.#contentType;
    return type === undefined || typeof type === "string" ? type : String(type);
  }

  /** Sets the content type without checking it; for values made by the framework itself. */
  set contentType(type: string) {
    this.#contentType = type;
  }

  /** Sets a header without checking it; for lower-case names and values made by the framework itself. */
  put(name: string, value: string): void {
    (this.#others ??= new Map()).set(name, { name, value });
  }

  /**
   * Sets a header.
   *
   * @param method The caller's name for the error message
   * @param name Header name
   * @param value One value or several
   * @throws {TypeError} If the name is no token or a value has CR, LF or other forbidden characters
   */
  set(method: string, name: string, value: HeaderValue): void {
    assertHeaderName(method, name);
    if (Array.isArray(value)) { for (const one of value) assertHeaderValue(method, name, String(one)); }
    else assertHeaderValue(method, name, String(value));
    const key = name.toLowerCase();
    if (key !== "content-type") {
      if (key === "content-length" || key === "transfer-encoding") this.framed = true;
      (this.#others ??= new Map()).set(key, { name, value });
      return;
    }
    this.#contentType = value;
    this.#contentTypeName = name;
  }

  /** Reads a header, `undefined` when it is not set. */
  get(name: string): HeaderValue | undefined {
    const key = name.toLowerCase();
    return key === "content-type" ? this.#contentType : this.#others?.get(key)?.value;
  }

  /** Tells whether a header is set. */
  has(name: string): boolean {
    return this.get(name) !== undefined;
  }

  /** Tells whether a validator is set, by which a client's copy can be judged. */
  get validated(): boolean {
    const others = this.#others;
    return others !== null && (others.has("etag") || others.has("last-modified"));
  }

  /** Takes a header away. */
  delete(name: string): void {
    const key = name.toLowerCase();
    if (key === "content-type") this.#contentType = undefined;
    else this.#others?.delete(key);
  }

  /** Names in lower case, as Node's `getHeaderNames`. */
  names(): string[] {
    const names = this.#others === null ? [] : [...this.#others.keys()];
    return this.#contentType === undefined ? names : ["content-type", ...names];
  }

  /** Names as they were spelled, as Node's `getRawHeaderNames`. */
  rawNames(): string[] {
    const names = this.#others === null ? [] : Array.from(this.#others.values(), (entry) => entry.name);
    return this.#contentType === undefined ? names : [this.#contentTypeName, ...names];
  }

  /** A copy by lower-case name, as Node's `getHeaders`. */
  toRecord(): Record<string, HeaderValue> {
    const record: Record<string, HeaderValue> = Object.create(null);
    for (const name of this.names()) record[name] = this.get(name)!;
    return record;
  }

  /** Tells whether there is nothing but, at most, a content type. */
  get bare(): boolean {
    return this.#others === null || this.#others.size === 0;
  }

  /** Copies everything but the content type to a web response's headers. */
  copyTo(headers: Headers): void {
    if (this.#others === null) return;
    for (const [key, { value }] of this.#others) {
      if (!Array.isArray(value)) headers.set(key, String(value));
      else for (const one of value) headers.append(key, String(one));
    }
  }
}
