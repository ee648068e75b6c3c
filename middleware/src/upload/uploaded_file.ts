import type { Request } from "@sluice/sluice";

/** A form's claims about a file. The client wrote all of them, so they may be anything. */
export interface FileClaims {
  /** The field's name. */
  readonly fieldname: string;
  /** The client's name for the file, without a path. Never use it as a path, and escape it in pages. */
  readonly originalname: string;
  /** The type that the client claims, in lower case and without parameters; not checked against the content. */
  readonly mimetype: string;
}

/** A received file, with multer's names. */
export interface UploadedFile<Value = unknown> extends FileClaims {
  /** Size in bytes. */
  readonly size: number;
  /** The bytes, if files are kept in memory: a `Buffer` where the runtime has one. */
  readonly buffer?: Uint8Array<ArrayBuffer>;
  /** The folder, if files are written to one. */
  readonly destination?: string;
  /** The file's random name in its folder. */
  readonly filename?: string;
  /** The file's path. */
  readonly path?: string;
  /** The value that the program's function returned, if files go to one. */
  readonly value?: Value;
}

/** A file being received. */
export interface IncomingFile extends FileClaims {
  /**
   * The bytes as they arrive. The client is read no faster than the stream is. It fails if the client disconnects or
   * the file is too large; the request is then rejected regardless of what the function does. Unread bytes are
   * discarded.
   */
  readonly stream: ReadableStream<Uint8Array<ArrayBuffer>>;
}

/**
 * Stores a file.
 *
 * @param file The file
 * @param req Its request; `req.body` has the fields that came before the file
 * @returns The file's `value`; the next part is not read before it resolves
 */
export type TakeFile<Value = unknown> = (file: IncomingFile, req: Request) => Promise<Value> | Value;

/** Where files go. */
export interface FileStore {
  /**
   * Stores a file, and removes it again on failure.
   *
   * @param claims The form's claims about it
   * @param content Its bytes
   * @param req Its request
   * @returns The properties that are set once it is stored
   */
  take(claims: FileClaims, content: FileContent, req: Request): Promise<Partial<UploadedFile>>;
  /**
   * Removes a stored file.
   *
   * @param file The file
   * @param req Its request
   */
  readonly remove?: ((file: UploadedFile, req: Request) => unknown) | undefined;
  /** Whether files are removed after the response. */
  readonly isTemporary?: boolean;
}

/** A file's bytes as they arrive, within their limits. */
export interface FileContent {
  /** Returns the next bytes, `undefined` at the end. */
  read(): Promise<Uint8Array<ArrayBuffer> | undefined>;
  /** Records bytes that stay in memory. */
  hold(bytes: number): void;
  /** Called with the reason if the client disconnects while no read is pending. */
  onAbort(listener: (reason: Error) => void): void;
}
