import process from "node:process";

/** Pictures a second. */
const PER_SECOND = 8;
const WIDTH = 24;

/** A bar on a terminal that shows how much of a log has been read. It is not there where nobody sees it. */
export class Progress {
  readonly #size: number | null;
  readonly #isSeen = process.stderr.isTTY === true;
  #begun = performance.now();
  #drawn = 0;
  #read = 0;
  #title = "";

  /**
   * Creates an instance.
   *
   * @param size Bytes that one reading takes, `null` if that is not known
   */
  constructor(size: number | null) {
    this.#size = size;
  }

  /** Begins a reading. */
  begin(title: string): void {
    this.#title = title;
    this.#read = 0;
    this.#begun = performance.now();
  }

  /** Notes how much has been read. */
  readonly add = (bytes: number): void => {
    this.#read += bytes;
    if (!this.#isSeen) return;
    const now = performance.now();
    if (now - this.#drawn < 1000 / PER_SECOND) return;
    this.#drawn = now;
    const megabytes = this.#read / 1e6;
    const rate = `${megabytes.toFixed(0)} MB, ${(megabytes * 1000 / (now - this.#begun)).toFixed(0)} MB/s`;
    const share = this.#size === null ? null : Math.min(1, this.#read / Math.max(1, this.#size));
    const bar = share === null ? "" : `[${"#".repeat(Math.round(share * WIDTH)).padEnd(WIDTH, ".")}] ` +
      `${(share * 100).toFixed(0).padStart(3)} %  `;
    process.stderr.write(`\r\u001b[K${this.#title}  ${bar}${rate}`);
  };

  /** Takes the bar away. */
  end(): void {
    if (this.#isSeen && this.#drawn > 0) process.stderr.write("\r\u001b[K");
  }
}
