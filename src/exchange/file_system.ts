/**
 * Information about a file or directory.
 *
 * @internal
 */
export interface FileStat {
  /** Whether it is a regular file. */
  readonly isFile: boolean;
  /** Whether it is a directory. */
  readonly isDirectory: boolean;
  /** Size in bytes. */
  readonly size: number;
  /** Modification time, in ms since 1970. */
  readonly mtimeMs: number;
  /** Entity tag for the contents, if the date does not depend on them. */
  readonly tag?: string;
}

/**
 * A file being read.
 *
 * @internal
 */
export interface OpenFile {
  /**
   * Reads the next bytes.
   *
   * @param into Receives the bytes, as many as fit
   * @returns The number of bytes read, 0 at the end
   */
  read(into: Uint8Array): Promise<number>;
  /** Closes the file. */
  close(): void | Promise<void>;
}

/**
 * A whole open file.
 *
 * @internal
 */
export interface WholeFile {
  /** Returns information about it; synchronous, because an open file needs no lookup. */
  stat(): FileStat;
  /**
   * Hands over its content: as bytes, or as a body that the runtime sends itself, which can then be neither observed nor
   * broken off. The file closes itself afterwards.
   *
   * @param bytes Its size
   */
  take(bytes: number): ReadableStream<Uint8Array> | Promise<Uint8Array<ArrayBuffer>>;
  /** Closes it, unless its content was handed over. */
  close(): void;
}

/**
 * A platform's file system. Errors have Node's `code`: `ENOENT`, `ENOTDIR`, `EACCES`, `ENAMETOOLONG`.
 *
 * @internal
 */
export interface FileSystem {
  /** Returns information about a file or directory, following links. */
  stat(path: string): Promise<FileStat>;
  /** The same synchronously, for looking up views. */
  statSync(path: string): FileStat;
  /** Returns the names in a directory, as stored on disk. */
  names(folder: string): Promise<readonly string[]>;
  /**
   * Opens a file for reading.
   *
   * @param path The file
   * @param start Offset of the first byte to read
   */
  open(path: string, start: number): Promise<OpenFile>;
  /**
   * Opens a file to hand over its whole content. Absent where this costs no less than `stat` and `readBytes`.
   *
   * @param path The file
   */
  openWhole?(path: string): Promise<WholeFile>;
  /**
   * Whether to send a file through `openWhole`.
   *
   * @param bytes Its size
   */
  opensWhole?(bytes: number): boolean;
  /** Other files up to this many bytes are read at once, which is cheaper than a stream. */
  readonly wholeBytes: number;
  /** Reads a whole file at once. */
  readBytes(path: string): Promise<Uint8Array>;
  /** Reads a whole file as UTF-8. */
  readText(path: string): Promise<string>;
  /**
   * Returns a source file's content, for the developer error page. Synchronous, because that page ends an exchange.
   *
   * @param path The file's absolute path
   * @returns The string; `undefined` if it cannot be read without a permission prompt
   */
  sourceText(path: string): string | undefined;
  /** Returns the directory that relative paths are resolved against. */
  workingDirectory(): string;
}
