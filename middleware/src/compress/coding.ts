/** A content coding that `compress` applies, by its name in HTTP (RFC 9110 section 8.4.1, RFC 7932, RFC 8878). */
export type CodingName = "br" | "deflate" | "gzip" | "zstd";

/** How hard to compress, by coding: `gzip` and `deflate` 0 to 9, `br` 0 to 11, `zstd` 1 to 22. */
export type CodingLevels = Partial<Record<CodingName, number>>;

/** What a compressor tells. */
export interface CompressorEvents {
  /**
   * Compressed bytes have come.
   *
   * @returns Whether more may come right away; otherwise the compressor waits for `resume`
   */
  piece(bytes: Uint8Array<ArrayBuffer>): boolean;
  /** There is room again, after `write` had returned `false`. */
  drain(): void;
  /** The last piece has come. */
  end(): void;
  /** It has failed, and nothing more will come. */
  fail(error: unknown): void;
}

/** Called when bytes were taken, or with the reason why they never will be. */
export type Taken = (error?: Error | null) => void;

/** Compresses one body, piece by piece. */
export interface Compressor {
  /** Bytes that wait to be compressed. */
  readonly waitingBytes: number;
  /**
   * Adds bytes.
   *
   * @param bytes The bytes
   * @param taken Called when they have been taken
   * @returns Whether there is room for more; otherwise `drain` follows
   */
  write(bytes: Uint8Array<ArrayBuffer>, taken?: Taken): boolean;
  /** Makes all that was written come as pieces, so that a client can read it. */
  flush(): void;
  /** Ends the body. */
  end(): void;
  /** Lets pieces come again. */
  resume(): void;
  /** Frees its memory; nothing more comes. */
  destroy(): void;
}

/** A coding as a runtime has it. */
export interface Coding {
  /** Its name. */
  readonly name: CodingName;
  /** Whether what was written can be flushed before the end. */
  readonly canFlush: boolean;
  /** Compresses a short body at once, where the runtime can. */
  whole?(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer>;
  /**
   * Begins with a body.
   *
   * @param events Told what comes
   * @param eager Whether to flush after each write
   */
  start(events: CompressorEvents, eager: boolean): Compressor;
}
