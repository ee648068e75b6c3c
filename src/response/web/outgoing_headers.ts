import { assertHeaderValue, checkedHeaderKey, headerKey } from "../../http/header_values.ts";

/** A header value as it was set; several values become several header lines. */
export type HeaderValue = number | string | string[];

/** A header as one line, `""` if it is not set. */
export function headerText(value: HeaderValue | undefined): string {
  if (value === undefined) return "";
  return Array.isArray(value) ? value.join(", ") : String(value);
}

/** One header. The list is short, so searching it is cheaper than a map. */
class Entry {
  readonly key: string;
  name: string;
  value: HeaderValue;

  constructor(key: string, name: string, value: HeaderValue) {
    this.key = key;
    this.name = name;
    this.value = value;
  }
}

/**
 * A response's headers before it is sent, as in Node: names keep their spelling and are matched case-insensitively.
 * The content type has its own slot, so the most common response needs no list.
 *
 * @internal
 */
export class OutgoingHeaders {
  #contentType: HeaderValue | undefined = undefined;
  #contentTypeName = "Content-Type";
  #others: Entry[] | null = null;
  /** Whether a header that frames the body was ever set: `Content-Length` or `Transfer-Encoding`. */
  framed = false;
  /** Whether the body is already in its `Content-Encoding`; for a web response body, the response that decides. */
  coded: boolean | Response = false;

  /** The content type as a string, `undefined` if none is set. */
  get contentType(): string | undefined {
    const type = this.#contentType;
    return type === undefined || typeof type === "string" ? type : String(type);
  }

  /** Sets the content type without validation, for the framework's own values. */
  set contentType(type: string) {
    this.#contentType = type;
  }

  /** Sets a header without validation, for lower-case names and the framework's own values. */
  put(name: string, value: string): void {
    this.#put(name, name, value);
  }

  #find(key: string): Entry | undefined {
    const others = this.#others;
    if (others === null) return undefined;
    for (const entry of others) if (entry.key === key) return entry;
    return undefined;
  }

  #put(key: string, name: string, value: HeaderValue): void {
    const known = this.#find(key);
    if (known === undefined) {
      const entry = new Entry(key, name, value);
      if (this.#others === null) this.#others = [entry];
      else this.#others.push(entry);
      return;
    }
    known.name = name;
    known.value = value;
  }

  /**
   * Sets a header.
   *
   * @param caller Name of the caller for error messages
   * @param name Header name
   * @param value One value or several
   * @throws {TypeError} If the name is not a token, or a value has CR, LF or other forbidden characters
   */
  set(caller: string, name: string, value: HeaderValue): void {
    const key = checkedHeaderKey(caller, name);
    // not String(), which turns a symbol into a string
    if (Array.isArray(value)) { for (const one of value) assertHeaderValue(caller, name, `${one}`); }
    else assertHeaderValue(caller, name, `${value}`);
    if (key !== "content-type") {
      if (key === "content-length" || key === "transfer-encoding") this.framed = true;
      if (key === "content-encoding") this.coded = true;
      this.#put(key, name, value);
      return;
    }
    this.#contentType = value;
    this.#contentTypeName = name;
  }

  /** Reads a header, `undefined` if it is not set. */
  get(name: string): HeaderValue | undefined {
    const key = headerKey(name);
    return key === "content-type" ? this.#contentType : this.#find(key)?.value;
  }

  /** Returns whether a header is set. */
  has(name: string): boolean {
    return this.get(name) !== undefined;
  }

  /** Removes a header. */
  delete(name: string): void {
    const key = headerKey(name);
    if (key === "content-type") this.#contentType = undefined;
    else if (this.#others !== null) this.#others = this.#others.filter((entry) => entry.key !== key);
  }

  /** Names in lower case, like Node's `getHeaderNames`. */
  names(): string[] {
    const names = this.#others === null ? [] : this.#others.map((entry) => entry.key);
    return this.#contentType === undefined ? names : ["content-type", ...names];
  }

  /** Names as they were set, like Node's `getRawHeaderNames`. */
  rawNames(): string[] {
    const names = this.#others === null ? [] : this.#others.map((entry) => entry.name);
    return this.#contentType === undefined ? names : [this.#contentTypeName, ...names];
  }

  /** A copy of all headers. */
  copy(): OutgoingHeaders {
    const copy = new OutgoingHeaders();
    copy.#contentType = this.#contentType;
    copy.#contentTypeName = this.#contentTypeName;
    copy.#others = this.#others?.map(({ key, name, value }) => new Entry(key, name, value)) ?? null;
    copy.framed = this.framed;
    copy.coded = this.coded;
    return copy;
  }

  /** A copy by lower-case name, like Node's `getHeaders`. */
  toRecord(): Record<string, HeaderValue> {
    const record: Record<string, HeaderValue> = Object.create(null);
    for (const name of this.names()) record[name] = this.get(name)!;
    return record;
  }

  /** Whether there are no headers except possibly a content type. */
  get bare(): boolean {
    return this.#others === null || this.#others.length === 0;
  }

  /** Whether the headers fit any body: none describes the body, and there is no validator to compare. */
  get allowsBody(): boolean {
    return this.#contentType === undefined && !this.framed && this.coded === false &&
      this.#find("etag") === undefined && this.#find("last-modified") === undefined;
  }

  /** Lower-case names and values alternately, one pair per line. */
  toList(): string[] {
    const type = this.contentType;
    const list = type === undefined ? [] : ["content-type", type];
    if (this.#others === null) return list;
    for (const { key, value } of this.#others) {
      if (!Array.isArray(value)) list.push(key, String(value));
      else for (const one of value) list.push(key, String(one));
    }
    return list;
  }

  /** Copies everything but the content type to a web response's headers. */
  copyTo(headers: Headers): void {
    if (this.#others === null) return;
    for (const { key, value } of this.#others) {
      if (!Array.isArray(value)) headers.set(key, String(value));
      else for (const one of value) headers.append(key, String(one));
    }
  }
}
