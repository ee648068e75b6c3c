import process from "node:process";

/** Frames per second. */
const PER_SECOND = 8;
const WIDTH = 24;

/** A progress bar for reading a log, shown only in a terminal. */
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
   * @param size Bytes per reading, `null` if unknown
   */
  constructor(size: number | null) {
    this.#size = size;
  }

  /** Starts a reading. */
  begin(title: string): void {
    this.#title = title;
    this.#read = 0;
    this.#begun = performance.now();
  }

  /** Adds to the bytes read. */
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

  /** Removes the bar. */
  end(): void {
    if (this.#isSeen && this.#drawn > 0) process.stderr.write("\r\u001b[K");
  }
}
