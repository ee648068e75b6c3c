import { isAbsolutePath, resolvePath, separatorBelow } from "../http/file_paths.ts";
import { exchangeKey } from "../request/exchange.ts";
import type { FileOptions, FileTransfer, FileWays } from "./file_transfer.ts";
import type { FileResponse } from "./file_response.ts";
import type { HeaderValue } from "./outgoing_headers.ts";
import { handOverKey, streamKey } from "./outgoing_message.ts";

/**
 * What needs keys that are made when a module runs. tsx loads a CommonJS program's packages by `require`, and what they
 * import later as ES modules of their own, in which the same keys would be others.
 */
const WAYS: FileWays = {
  files: (res) => res.req[exchangeKey].app.runtimeFace.files,
  handOver: (res, body) => res[handOverKey](body),
  stream: (res, body) => res[streamKey](body),
};

/**
 * Sends a file; see `file_transfer.ts`. Few programs send any, so it is loaded when the first one is asked for.
 *
 * @param res The response
 * @param transfer What to send
 */
export function transferFile(res: FileResponse, transfer: FileTransfer): Promise<void> {
  return import("./file_transfer.ts").then(({ transferFile }) => transferFile(res, transfer, WAYS));
}

/** Options of `res.sendFile` and `res.download`. */
export interface SendFileOptions extends FileOptions {
  /** Folder that relative paths start from, and that none may leave. */
  root?: string | undefined;
  /** Headers to send with the file. */
  headers?: Record<string, HeaderValue | boolean> | undefined;
  /** First byte to send. */
  start?: number | undefined;
  /** Last byte to send. */
  end?: number | undefined;
}

/** Runs when a transfer is over, or with what went wrong. */
export type SendFileCallback = (error?: FileError | null) => void;

/** What went wrong with a file: a status where it has one, Node's code where there is one. */
export type FileError = Error & {
  /** Status of the answer. */
  status?: number;
  /** Node's code, such as `ENOENT`, `EISDIR`, `ECONNABORTED`. */
  code?: string;
};

/**
 * Sends a file as the answer.
 *
 * @param res The response
 * @param path Absolute, or relative to `options.root`
 * @param options How to serve it
 * @param callback Runs when the transfer is over; without it errors go to the error handlers
 * @throws {TypeError} If there is no path, or it is relative and there is no root
 */
export function sendFile(
  res: FileResponse,
  path: string,
  options: SendFileOptions,
  callback?: SendFileCallback,
): void {
  if (!path) throw new TypeError("path argument is required to res.sendFile");
  if (typeof path !== "string") throw new TypeError("path must be a string to res.sendFile");
  if (!options.root && !isAbsolutePath(path)) {
    throw new TypeError("path must be absolute or specify root to res.sendFile");
  }
  const { headers, index = "index.html", ...rest } = options;
  const { next } = res.req;
  const transfer = {
    ...rest,
    index,
    etag: options.etag ?? res.app.enabled("etag"),
    requested: encodeURI(path).replace(/[?#]/g, encodeURIComponent),
    setHeaders() {
      for (const [name, value] of Object.entries(headers ?? {})) res.setHeader(name, value as HeaderValue);
    },
  } as const;
  transferFile(res, transfer).then(
    () => callback?.(),
    (error: FileError) => {
      if (callback !== undefined) return callback(error);
      if (error.code === "EISDIR") return next();
      // a client that left needs no answer
      if (error.code !== "ECONNABORTED") next(error);
    },
  );
}

/**
 * Makes the path of a download absolute, taking out of it what the developer climbs.
 *
 * @param res The response
 * @param path The path as it was given
 */
export function absolutePath(res: FileResponse, path: string): string {
  const { files } = res.req[exchangeKey].app.runtimeFace;
  // without files nothing can be sent, and the error of that comes later
  if (files === null) return path;
  const absolute = isAbsolutePath(path) ? path : `${files.workingDirectory()}/${path}`;
  // a name such as "..\\secret" may be a client's, and is left for the check that refuses it; only a path of Windows
  // climbs by backslashes
  return resolvePath(absolute, () => absolute, separatorBelow(absolute));
}
