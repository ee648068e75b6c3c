import { type PartHead, partHead } from "./part_head.ts";
import { refusal } from "./upload_error.ts";

const CR = 0x0d;
const DASH = 0x2d;

/** Maximum bytes in a part's headers, including the rest of the delimiter line before them. */
export const MOST_HEAD_BYTES: number = 8 * 1024;

const encoder = new TextEncoder();
const EMPTY_LINE = encoder.encode("\r\n\r\n");

/**
 * Reads a form of type `multipart/form-data` (RFC 7578, RFC 2046 section 5.1) part by part and chunk by chunk. It holds
 * one chunk of the body at a time, and reads the next on demand. Its time is proportional to the body's length, for any
 * body and any boundary.
 */
export class MultipartReader {
  readonly #source: AsyncIterator<Uint8Array<ArrayBuffer>>;
  readonly #delimiter: Uint8Array;
  /** The received bytes; the first delimiter may start the body, as if a line had ended before it. */
  #bytes: Uint8Array<ArrayBuffer> = encoder.encode("\r\n");
  /** Where the unread bytes start. */
  #at = 0;
  #part: PartHead | undefined;
  /** Whether it is inside a part's content; the preamble before the first delimiter counts as such. */
  #inContent = true;

  /**
   * @param source The body
   * @param boundary Its boundary
   */
  constructor(source: AsyncIterator<Uint8Array<ArrayBuffer>>, boundary: string) {
    this.#source = source;
    this.#delimiter = encoder.encode(`\r\n--${boundary}`);
  }

  /** The current part. */
  get part(): PartHead | undefined {
    return this.#part;
  }

  /**
   * Advances to the next part, once the current one has been read completely.
   *
   * @returns Its head; `undefined` after the last part, when the whole body has arrived
   * @throws {HttpError} 400 if the form is malformed, 413 if the part headers are too long
   */
  async next(): Promise<PartHead | undefined> {
    while (await this.read() !== undefined);
    this.#part = undefined;
    await this.#need(2);
    if (this.#byte(0) === DASH && this.#byte(1) === DASH) {
      // the epilogue is ignored, but the connection needs it read
      while (!(await this.#source.next()).done);
      return undefined;
    }
    this.#part = partHead(await this.#headText());
    if (this.#part === undefined) this.#refuse("a part's head is malformed");
    // the end of the empty line may start a delimiter: a part may be empty
    await this.#need(this.#delimiter.length);
    if (!this.#delimiter.every((byte, i) => byte === this.#byte(i))) this.#at += 2;
    this.#inContent = true;
    return this.#part;
  }

  /**
   * Returns the part's next bytes.
   *
   * @returns The bytes, in memory that the caller owns; `undefined` at the end of the part
   * @throws {HttpError} 400 if the form ends in the middle of it
   */
  async read(): Promise<Uint8Array<ArrayBuffer> | undefined> {
    while (this.#inContent) {
      const bytes = this.#bytes;
      const end = beginningOf(this.#delimiter, bytes, this.#at);
      const content = bytes.subarray(this.#at, end);
      this.#inContent = end + this.#delimiter.length > bytes.length;
      this.#at = this.#inContent ? end : end + this.#delimiter.length;
      // the caller may transfer the chunk's memory, and with it the bytes still unread
      if (content.length > 0) return end === bytes.length ? content : new Uint8Array(content);
      if (this.#inContent) await this.#more();
    }
    return undefined;
  }

  // from the delimiter to the empty line after the headers, without its line ending
  async #headText(): Promise<string> {
    for (let from = 0;;) {
      const end = beginningOf(EMPTY_LINE, this.#bytes, this.#at + from);
      from = end - this.#at;
      if (from > MOST_HEAD_BYTES) {
        throw refusal(413, "LIMIT_HEADER_SIZE", `a part's head has more than ${MOST_HEAD_BYTES} bytes`);
      }
      if (end + EMPTY_LINE.length <= this.#bytes.length) {
        const head = this.#bytes.subarray(this.#at, end);
        this.#at = end + 2;
        return new TextDecoder().decode(head);
      }
      await this.#more();
    }
  }

  #byte(offset: number): number | undefined {
    return this.#bytes[this.#at + offset];
  }

  async #need(count: number): Promise<void> {
    while (this.#bytes.length - this.#at < count) await this.#more();
  }

  async #more(): Promise<void> {
    const { value, done } = await this.#source.next();
    if (done) this.#refuse("the form ends too early");
    const rest = this.#bytes.length - this.#at;
    if (rest === 0) this.#bytes = value;
    else {
      const joined = new Uint8Array(rest + value.length);
      joined.set(this.#bytes.subarray(this.#at));
      joined.set(value, rest);
      this.#bytes = joined;
    }
    this.#at = 0;
  }

  #refuse(message: string): never {
    throw refusal(400, "MALFORMED_FORM", message, this.#part?.name);
  }
}

/**
 * Finds a pattern that begins with a carriage return: a delimiter, or an empty line. Unless the pattern contains a
 * second carriage return, bytes already compared need not be compared again.
 *
 * @param pattern The pattern
 * @param bytes Where to search
 * @param from Where to start
 * @returns Where the pattern begins, or, at the end, a possible beginning of it; otherwise the length of the bytes
 */
function beginningOf(pattern: Uint8Array, bytes: Uint8Array, from: number): number {
  for (let at = bytes.indexOf(CR, from); at !== -1;) {
    let matched = 1;
    while (matched < pattern.length && bytes[at + matched] === pattern[matched]) matched++;
    if (matched === pattern.length || at + matched === bytes.length) return at;
    at = bytes.indexOf(CR, at + matched);
  }
  return bytes.length;
}
