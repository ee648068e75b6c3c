import { encodeUrl } from "encodeurl";
import { isDeveloped, noteWarning, warnInDevelopment } from "../util/development_warning.ts";
import { type OptionNames, unknownOptions } from "../util/check_option.ts";
import { describe } from "../util/error_text.ts";
import { escapeHtml } from "../util/escape_html.ts";
import { isAbsolutePath } from "../util/file_paths.ts";
import type { FileStat, FileSystem } from "../exchange/file_system.ts";
import { HttpError } from "../http/http_error.ts";
import { parseDuration } from "../util/units.ts";
import { adoptKey, type AppLike } from "../exchange/app_like.ts";
import type { FrameworkRequest } from "../request/framework_request.ts";
import { defaultApp } from "../exchange/default_app.ts";
import { FILE_OPTIONS, type FileOptions, insteadOfFileOption, transferFile } from "../response/files/file_transfer.ts";
import type { FrameworkResponse } from "../response/framework_response.ts";
import { handOverKey } from "../response/node/outgoing_message.ts";
import type { Response } from "../response/request_and_response.ts";
import { UncoveredError } from "../response/files/file_path.ts";
import { CODED_ENDINGS, type FileCoding } from "../response/files/find_file.ts";
import { ListedNames } from "../response/files/listed_names.ts";
import type { FileError } from "../response/files/send_file.ts";
import { runtimeKey } from "../util/runtime_key.ts";

/** Information about a file, for `setHeaders`: the part of Node's `fs.Stats` that every runtime provides. */
export interface StaticFileStat {
  /** Size in bytes. */
  readonly size: number;
  /** Modification time. */
  readonly mtime: Date;
  /** Modification time, in ms since 1970. */
  readonly mtimeMs: number;
  /** Always `true`, because only files are served. */
  isFile(): boolean;
  /** Always `false`. */
  isDirectory(): boolean;
}

/**
 * Options for `serveStatic`.
 *
 * @example Files compressed at build time
 * ```ts
 * import sluice from "@sluice/sluice";
 *
 * const app = sluice();
 * app.use(sluice.static("dist", { precompressed: true, setHeaders: (res) => res.set("X-From", "dist") }));
 * ```
 */
export interface ServeStaticOptions extends FileOptions {
  /** Passes missing files, and methods other than GET and HEAD, to the next layer; on by default. */
  fallthrough?: boolean | undefined;
  /**
   * Sends the precompressed file next to the requested one, `app.js.br`, `app.js.zst` or `app.js.gz`, to clients that
   * accept its coding, with `app.js`'s type and its own tags and ranges. `true` tries `br`, `zstd` and `gzip` in this
   * order, and an array sets its own order; the client's preference comes first. The uncompressed file must exist.
   * Off by default.
   */
  precompressed?: boolean | readonly ("br" | "zstd" | "gzip")[] | undefined;
  /** Redirects from a directory's path to the same path with a trailing slash; on by default. */
  redirect?: boolean | undefined;
  /** Sets headers before a file is sent. */
  setHeaders?: ((res: Response, path: string, stat: StaticFileStat) => void) | undefined;
}

/** Option names. Express also accepts those for part of a file, and overwrites `root`. */
function optionNames(): OptionNames<ServeStaticOptions & { start: unknown; end: unknown; root: unknown }> {
  const own = { fallthrough: true, precompressed: true, redirect: true, setHeaders: true } as const;
  return { ...FILE_OPTIONS, ...own, start: true, end: true, root: true };
}

/** Middleware that serves files. */
export type StaticFiles = (req: FrameworkRequest, res: FrameworkResponse, next: (error?: unknown) => void) => void;

/**
 * Serves the files in a directory, like Express's `express.static`.
 *
 * Layers match the path as sent, so a directory is served only under the spellings that a guard covers, as in
 * `app.use("/admin", guard)`. A path finds no file if a letter, a digit, `-`, `.`, `_`, a slash or a backslash in it is
 * percent-encoded, or if it has an empty segment, a dot segment, or a backslash. No client sends such paths; Express
 * serves them. Where the disk finds a file under several names, as on Windows and macOS, it is served under the name in
 * the directory listing, with ASCII letters in either case unless routing is case-sensitive.
 *
 * @param root The directory, relative to the working directory
 * @param options How to serve
 * @returns The middleware
 * @throws {TypeError} If the directory is missing or not a string, or an option is invalid
 *
 * @example The files in a directory
 * ```ts
 * import sluice, { serveStatic } from "@sluice/sluice";
 *
 * const app = sluice();
 * app.use("/assets", serveStatic("public", { maxAge: "1h", immutable: true }));
 * ```
 */
export function serveStatic(root: string, options?: ServeStaticOptions): StaticFiles {
  if (!root) throw new TypeError("root path required");
  if (typeof root !== "string") throw new TypeError("root path must be a string");
  if (options && typeof options !== "object") {
    throw new TypeError(`serveStatic expects its options as an object, not ${describe(options)}`);
  }
  unknownOptions("serveStatic", options, optionNames(), insteadOfFileOption).forEach(noteWarning);
  const { fallthrough = true, redirect = true, index = "index.html", setHeaders, ...fileOptions } = options ?? {};
  const precompressed = codingsOf(fileOptions.precompressed);
  if (setHeaders && typeof setHeaders !== "function") throw new TypeError("option setHeaders must be function");
  const maxAge = parseDuration(fileOptions.maxAge || fileOptions.maxage || 0, "option maxAge of serveStatic");
  const listed = new ListedNames();
  let isRootKnown = false;
  const middleware: StaticFiles = (req, res, next) => {
    if (!(handOverKey in res)) return serveForeign(middleware, req, res, next);
    if (req.method !== "GET" && req.method !== "HEAD") return fallthrough ? next() : refuseMethod(res);
    // for a mount requested without a trailing slash, the only response is a redirect
    const mountOnly = req.path === "/" && !pathOf(req.originalUrl ?? req.url).endsWith("/");
    const requested = mountOnly ? "" : req.path;
    const transfer = {
      ...fileOptions,
      index,
      listed,
      maxAge,
      precompressed,
      root,
      requested,
      setHeaders: (path: string, stat: FileStat) => setHeaders?.(res, path, shownStat(stat)),
    };
    transferFile(res, transfer).catch((error: FileError) => {
      const metFolder = isOfFolder(error);
      if (metFolder && redirect && !requested.endsWith("/")) return redirectToFolder(req, res);
      const failure = metFolder ? new HttpError(404) as FileError : error;
      if (failure.code === "ECONNABORTED") return;
      if (failure instanceof UncoveredError) explain(req, failure);
      if (!isRootKnown && failure.status === 404 && isDeveloped(req.app)) {
        isRootKnown = true;
        adviseOfRoot(req.app, root);
      }
      if (fallthrough && failure.status !== undefined && failure.status < 500) {
        return isRefusal(failure) ? next(failure) : next();
      }
      next(failure);
    }).catch(next);
  };
  // so packages find the layer by its name, even in a bundle
  return Object.defineProperty(middleware, "name", { value: "serveStatic" });
}

function codingsOf(option: unknown): readonly FileCoding[] | undefined {
  if (!option) return undefined;
  const known = Object.keys(CODED_ENDINGS) as FileCoding[];
  if (option === true) return known;
  if (Array.isArray(option) && option.every((name) => known.includes(name))) return [...option];
  throw new TypeError(
    `serveStatic: option precompressed must be true or a list of ${known.join(", ")}, not ${describe(option)}`,
  );
}

// a request from Node or another copy of Sluice, or a test's mock
function serveForeign(
  middleware: StaticFiles,
  req: FrameworkRequest,
  res: FrameworkResponse,
  next: (error?: unknown) => void,
): void {
  const leave = defaultApp()[adoptKey](req, res);
  middleware(req, res, (error) => {
    leave();
    next(error);
  });
}

// warns, because a missing directory behaves like an empty one
function adviseOfRoot(app: AppLike, root: string): void {
  const { files } = app[runtimeKey];
  if (files === null) return;
  const path = isAbsolutePath(root) ? root : `${files.workingDirectory()}/${root}`;
  if (isFolder(files, path)) return;
  const remedy = isAbsolutePath(root)
    ? "create it, or pass another one"
    : "a relative path starts at the working directory";
  warnInDevelopment(app, `serveStatic: there is no folder ${path}, so no file is found; ${remedy}`);
}

function explain(req: FrameworkRequest, { reason }: UncoveredError): void {
  warnInDevelopment(req.app, `serveStatic found no file, because ${reason}: a guard in front would not cover it`);
}

function isFolder(files: FileSystem, path: string): boolean {
  try {
    return files.statSync(path).isDirectory;
  } catch (error) {
    // other errors are self-explanatory
    const { code } = error as { code?: unknown };
    return code !== "ENOENT" && code !== "ENOTDIR";
  }
}

function shownStat({ size, mtimeMs }: FileStat): StaticFileStat {
  return { size, mtime: new Date(mtimeMs), mtimeMs, isFile: () => true, isDirectory: () => false };
}

// the runtime's own EISDIR, for a file that has since become a directory, has no path
function isOfFolder({ code, path }: FileError & { path?: string }): boolean {
  return code === "EISDIR" && path !== undefined;
}

// failed conditions and ranges mean that the file exists
function isRefusal(failure: FileError): boolean {
  return failure.status === 412 || failure.status === 416;
}

function pathOf(target: string): string {
  const query = target.indexOf("?");
  return query === -1 ? target : target.slice(0, query);
}

function refuseMethod(res: FrameworkResponse): void {
  res.statusCode = 405;
  res.setHeader("Allow", "GET, HEAD");
  res.setHeader("Content-Length", "0");
  res.end();
}

function redirectToFolder(req: FrameworkRequest, res: FrameworkResponse): void {
  const { originalUrl = req.url } = req;
  const path = pathOf(originalUrl);
  const query = originalUrl.slice(path.length);
  // with several leading slashes, browsers would treat the first segment as a host
  const location = encodeUrl(`${path.replace(/^\/+/, "/")}/${query}`);
  const shown = escapeHtml(location);
  res.statusCode = 301;
  res.setHeader("Content-Type", "text/html; charset=UTF-8");
  res.setHeader("Content-Security-Policy", "default-src 'none'");
  res.setHeader("X-Content-Type-Options", "nosniff");
  res.setHeader("Location", location);
  const page =
    '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>Redirecting</title>\n</head>\n' +
    `<body>\n<pre>Redirecting to ${shown}</pre>\n</body>\n</html>\n`;
  // express-session writes a known-length response in two pieces; the page is ASCII, because its location is encoded
  res.setHeader("Content-Length", page.length);
  res.end(page);
}
