import type { Request } from "@sluice/sluice";

/** What a form says of a file. All of it was written by the client, and may be anything. */
export interface FileClaims {
  /** Name of the field. */
  readonly fieldname: string;
  /** What the client calls the file, without a path. Never use it as a path, and escape it in pages. */
  readonly originalname: string;
  /** The type that the client claims, in lower case and without parameters; nobody has looked into the file. */
  readonly mimetype: string;
}

/** A file that was received, with multer's names. */
export interface UploadedFile<Value = unknown> extends FileClaims {
  /** Bytes. */
  readonly size: number;
  /** The bytes, if files go to memory: a `Buffer` where the runtime has one. */
  readonly buffer?: Uint8Array<ArrayBuffer>;
  /** The folder, if files go to one. */
  readonly destination?: string;
  /** The random name of the file in its folder. */
  readonly filename?: string;
  /** Path of the file. */
  readonly path?: string;
  /** What the program's function has returned, if files go to one. */
  readonly value?: Value;
}

/** A file that is being received. */
export interface IncomingFile extends FileClaims {
  /**
   * The bytes as they come. The client is not read any faster than this is. It fails if the client leaves or the file is
   * too large; the request is refused then, whatever the function does about it. What is not read is discarded.
   */
  readonly stream: ReadableStream<Uint8Array<ArrayBuffer>>;
}

/**
 * Takes a file.
 *
 * @param file The file
 * @param req Its request; `req.body` has the fields that came before the file
 * @returns What becomes the file's `value`; the next part is not read before
 */
export type TakeFile<Value = unknown> = (file: IncomingFile, req: Request) => Promise<Value> | Value;

/** Where a file goes. */
export interface FileStore {
  /**
   * Takes a file, and removes all of it again if that fails.
   *
   * @param claims What the form says of it
   * @param content Its bytes
   * @param req Its request
   * @returns What is known of it then
   */
  take(claims: FileClaims, content: FileContent, req: Request): Promise<Partial<UploadedFile>>;
  /**
   * Removes a file that was taken.
   *
   * @param file The file
   * @param req Its request
   */
  readonly remove?: ((file: UploadedFile, req: Request) => unknown) | undefined;
  /** Whether files are removed when the response is over. */
  readonly isTemporary?: boolean;
}

/** The bytes of a file as they come, within their limits. */
export interface FileContent {
  /** The next ones, `undefined` at the end. */
  read(): Promise<Uint8Array<ArrayBuffer> | undefined>;
  /** Notes that bytes stay in memory. */
  hold(bytes: number): void;
  /** Called with the reason if the client leaves while nobody reads. */
  onLeave(listener: (reason: Error) => void): void;
}
