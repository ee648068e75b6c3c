/** A content coding that `compress` applies, by its name in HTTP (RFC 9110 section 8.4.1, RFC 7932, RFC 8878). */
export type CodingName = "br" | "deflate" | "gzip" | "zstd";

/** Compression levels by coding: `gzip` and `deflate` 0 to 9, `br` 0 to 11, `zstd` 1 to 22. */
export type CodingLevels = Partial<Record<CodingName, number>>;

/** A compressor's events. */
export interface CompressorEvents {
  /**
   * Receives compressed bytes.
   *
   * @returns Whether more may follow immediately; otherwise the compressor waits for `resume`
   */
  piece(bytes: Uint8Array<ArrayBuffer>): boolean;
  /** There is room again after `write` returned `false`. */
  drain(): void;
  /** There are no more pieces. */
  end(): void;
  /** The compressor has failed, and no more pieces follow. */
  fail(error: unknown): void;
}

/** Called when bytes have been accepted, or with the reason they never will be. */
export type Taken = (error?: Error | null) => void;

/** Compresses one body, piece by piece. */
export interface Compressor {
  /** Bytes waiting to be compressed. */
  readonly waitingBytes: number;
  /**
   * Adds bytes.
   *
   * @param bytes The bytes
   * @param taken Called when they have been accepted
   * @returns Whether there is room for more; otherwise `drain` follows
   */
  write(bytes: Uint8Array<ArrayBuffer>, taken?: Taken): boolean;
  /** Emits everything written so far as pieces, so that a client can read it. */
  flush(): void;
  /** Ends the body. */
  end(): void;
  /** Resumes emitting pieces. */
  resume(): void;
  /** Frees its memory; no more pieces follow. */
  destroy(): void;
}

/** A runtime's implementation for a coding. */
export interface Coding {
  /** Its name. */
  readonly name: CodingName;
  /** Whether it can flush before the end. */
  readonly canFlush: boolean;
  /** Compresses a short body in one call, where the runtime can. */
  whole?(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer>;
  /**
   * Starts compressing a body.
   *
   * @param events Receives the output
   * @param eager Whether to flush after each write
   */
  start(events: CompressorEvents, eager: boolean): Compressor;
}
