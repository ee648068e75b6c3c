import { isDeveloped, warnInDevelopment } from "../../util/development_warning.ts";
import { type OptionNames, unknownOptions } from "../../util/check_option.ts";
import { describe } from "../../util/error_text.ts";
import { isAbsolutePath, resolvePath, separatorBelow } from "../../util/file_paths.ts";
import { appOf, given } from "../../exchange/derived_object.ts";
import { exchangeOf } from "../../exchange/exchange.ts";
import { callGuarded } from "../../exchange/call_guarded.ts";
import { failListener } from "../../exchange/fail_listener.ts";
import { FILE_OPTIONS, type FileOptions, insteadOfFileOption, transferFile } from "./file_transfer.ts";
import type { FileResponse } from "./file_response.ts";
import type { HeaderValue } from "../web/outgoing_headers.ts";
import { runtimeKey } from "../../util/runtime_key.ts";

/**
 * Options for `res.sendFile` and `res.download`.
 *
 * @example A file that may be cached for a day
 * ```ts
 * import sluice from "@sluice/sluice";
 *
 * const app = sluice();
 * app.get("/report", (_req, res) => {
 *   res.sendFile("report.pdf", { root: "/srv/reports", maxAge: "1d", headers: { "X-Kind": "report" } });
 * });
 * ```
 */
export interface SendFileOptions extends FileOptions {
  /** Base folder for paths, which must stay inside it. */
  root?: string | undefined;
  /** Headers to send with the file. */
  headers?: Record<string, HeaderValue | boolean> | undefined;
  /** First byte to send. */
  start?: number | undefined;
  /** Last byte to send. */
  end?: number | undefined;
}

const NAMES: OptionNames<SendFileOptions> = { ...FILE_OPTIONS, root: true, headers: true, start: true, end: true };

const NOTHING = (): void => {};

/**
 * Declared as a method, so callbacks may be typed `(error: Error)` or `(error?: Error)`, as in Express's types.
 *
 * @internal
 */
export interface SendFileCallbackShape {
  /** The callback. */
  call(error?: FileError): void;
}

/** Called when a transfer ends, with the error if it failed. */
export type SendFileCallback = SendFileCallbackShape["call"];

/** A file transfer's error, with a status and Node's error code if it has them. */
export type FileError = Error & {
  /** Status of the response. */
  status?: number;
  /** Node's error code, such as `ENOENT`, `EISDIR`, `ECONNABORTED`. */
  code?: string;
};

/**
 * Sends a file as the response.
 *
 * @param res The response
 * @param path Absolute, or relative to `options.root`
 * @param options How to serve it
 * @param callback Called when the transfer ends or fails; without it, errors go to the error handlers
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
  if (typeof options !== "object") {
    throw new TypeError(`res.sendFile expects its options as an object, not ${describe(options)}`);
  }
  if (options.root && typeof options.root !== "string") {
    throw new TypeError(`option root of res.sendFile must be a path as a string, not ${describe(options.root)}`);
  }
  if (!options.root && !isAbsolutePath(path)) {
    throw new TypeError("path must be absolute or specify root to res.sendFile");
  }
  if (isDeveloped(res.app)) {
    for (const text of unknownOptions("res.sendFile", options, NAMES, insteadOfFileOption)) {
      warnInDevelopment(res.app, text);
    }
  }
  const { headers, index = "index.html", ...rest } = options;
  const { next } = given(res.req, "res.sendFile", "res.req");
  const transfer = {
    ...rest,
    // an option for serveStatic only, but a program may still pass it
    precompressed: undefined,
    index,
    etag: options.etag ?? appOf(res, "res.sendFile").enabled("etag"),
    requested: encodeURI(path).replace(/[?#]/g, encodeURIComponent),
    setHeaders() {
      for (const [name, value] of Object.entries(headers ?? {})) res.setHeader(name, value as HeaderValue);
    },
  } as const;
  const { app } = res;
  const reporter = { reportError: (failure: unknown) => failListener(app, res.req, failure) };
  const over = (error?: FileError): void => callGuarded(reporter, { phase: "listener" }, () => callback?.(error));
  // without a listener, nothing detects the disconnect, which the callback reports
  if (callback !== undefined) exchangeOf(res.req)?.onAbort(NOTHING);
  transferFile(res, transfer).then(
    () => over(),
    (error: FileError) => {
      if (callback !== undefined) return over(error);
      if (error.code === "EISDIR") return next();
      // a disconnected client needs no response
      if (error.code !== "ECONNABORTED") next(error);
    },
  );
}

/**
 * Makes a download's path absolute and resolves `..` segments, because the path comes from the developer.
 *
 * @param res The response
 * @param path The path, absolute or relative
 */
export function absolutePath(res: FileResponse, path: string): string {
  const { files } = exchangeOf(res.req)?.app[runtimeKey] ?? appOf(res, "res.download")[runtimeKey];
  // without a file system the transfer itself fails
  if (files === null) return path;
  const absolute = isAbsolutePath(path) ? path : `${files.workingDirectory()}/${path}`;
  // backslashes separate folders only in a Windows path; a name such as "..\\secret" may come from a client and must
  // stay intact for the check that refuses it
  return resolvePath(absolute, () => absolute, separatorBelow(absolute));
}
