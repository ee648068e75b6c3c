/**
 * What is known of a file or folder.
 *
 * @internal
 */
export interface FileStat {
  /** Whether it is a regular file. */
  readonly isFile: boolean;
  /** Whether it is a folder. */
  readonly isDirectory: boolean;
  /** Size in bytes. */
  readonly size: number;
  /** Last change in ms since 1970. */
  readonly mtimeMs: number;
  /** Entity tag of the contents, if the date does not depend on them. */
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
   * @param into Where the bytes go, as many as fit
   * @returns How many were read, 0 at the end
   */
  read(into: Uint8Array): Promise<number>;
  /** Closes the file. */
  close(): void | Promise<void>;
}

/**
 * A whole file that is open.
 *
 * @internal
 */
export interface WholeFile {
  /** Information about it; synchronous, because an open file is not looked up. */
  stat(): FileStat;
  /** Hands over its content, as a body that the runtime sends by itself, and then closes. */
  take(): ReadableStream<Uint8Array>;
  /** Closes it, unless its content was taken. */
  close(): void;
}

/**
 * The files of a platform that has some. Errors carry Node's `code`: `ENOENT`, `ENOTDIR`, `EACCES`, `ENAMETOOLONG`.
 *
 * @internal
 */
export interface FileSystem {
  /** Information about a file or folder, following links. */
  stat(path: string): Promise<FileStat>;
  /** The same synchronously; views are looked up this way. */
  statSync(path: string): FileStat;
  /** Names of what is in a folder, as the disk keeps them. */
  names(folder: string): Promise<readonly string[]>;
  /**
   * Opens a file for reading.
   *
   * @param path The file
   * @param start Where reading begins
   */
  open(path: string, start: number): Promise<OpenFile>;
  /**
   * Opens a file whose content the runtime can send by itself. Then nobody learns how it went, or can break it off.
   *
   * @param path The file
   */
  openWhole?(path: string): Promise<WholeFile>;
  /** Files up to this many bytes are read at once rather than streamed; absent for the default. */
  readonly wholeBytes?: number;
  /** Reads a whole file at once. */
  readBytes(path: string): Promise<Uint8Array>;
  /** Reads a whole file as UTF-8. */
  readText(path: string): Promise<string>;
  /**
   * Text of a source file, for its developer. Synchronous, because the page that shows it is the end of an exchange.
   *
   * @param path Absolute path of the file
   * @returns The text; `undefined` if it cannot be read, also where somebody would have to be asked for a permission
   */
  sourceText(path: string): string | undefined;
  /** The folder that relative paths are resolved against. */
  workingDirectory(): string;
}
