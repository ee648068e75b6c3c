/** What is known of a file or folder. */
export interface FileStat {
  /** Whether it is a regular file. */
  readonly isFile: boolean;
  /** Whether it is a folder. */
  readonly isDirectory: boolean;
  /** Size in bytes. */
  readonly size: number;
  /** Last change in ms since 1970. */
  readonly mtimeMs: number;
  /** Entity tag of the contents, where the date says nothing of them. */
  readonly tag?: string;
}

/** A file being read. */
export interface OpenFile {
  /**
   * Reads on.
   *
   * @param into Where the bytes go, as many as fit
   * @returns How many were read, 0 at the end
   */
  read(into: Uint8Array): Promise<number>;
  /** Closes the file. */
  close(): void | Promise<void>;
}

/**
 * The files of a platform that has some. Errors carry Node's `code`: `ENOENT`, `ENOTDIR`, `EACCES`, `ENAMETOOLONG`.
 */
export interface FileSystem {
  /** Looks at a file or folder, following links. */
  stat(path: string): Promise<FileStat>;
  /** Looks at a file or folder at once; views are looked up this way. */
  statSync(path: string): FileStat;
  /**
   * Opens a file for reading.
   *
   * @param path The file
   * @param start Where reading begins
   */
  open(path: string, start: number): Promise<OpenFile>;
  /**
   * Opens a whole file as a body that the runtime sends by itself, where it can: nobody is told how it went, and nobody
   * can break it off.
   *
   * @param path The file
   */
  openWhole?(path: string): Promise<ReadableStream<Uint8Array> | Blob>;
  /** Up to how many bytes a file is read at once rather than streamed, where that is not the usual measure. */
  readonly wholeBytes?: number;
  /** Reads a whole file at once. */
  readBytes(path: string): Promise<Uint8Array>;
  /** Reads a whole file as UTF-8. */
  readText(path: string): Promise<string>;
  /** The folder relative paths start from. */
  workingDirectory(): string;
}
