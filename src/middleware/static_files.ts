import { encodeUrl } from "encodeurl";
import { escapeHtml } from "../http/escape_html.ts";
import type { FileStat } from "../http/file_system.ts";
import { HttpError } from "../http/http_error.ts";
import { parseDuration } from "../http/units.ts";
import type { FrameworkRequest } from "../request/framework_request.ts";
import type { FileOptions } from "../response/file_transfer.ts";
import type { FrameworkResponse } from "../response/framework_response.ts";
import { type FileError, transferFile } from "../response/send_file.ts";

/** What is known of a file that static files serve. */
export interface StaticFileStat extends FileStat {
  /** Last change, as Node tells it. */
  readonly mtime: Date;
}

/** Options of `serveStatic`. */
export interface ServeStaticOptions extends FileOptions {
  /** Leaves what is not found, and requests that are not GET or HEAD, to the next layer; on by default. */
  fallthrough?: boolean | undefined;
  /** Redirects from a folder's name to the same with a slash; on by default. */
  redirect?: boolean | undefined;
  /** Sets headers of a file about to be sent. */
  setHeaders?: ((res: FrameworkResponse, path: string, stat: StaticFileStat) => void) | undefined;
}

/** A middleware that serves files. */
export type StaticFiles = (req: FrameworkRequest, res: FrameworkResponse, next: (error?: unknown) => void) => void;

/**
 * Serves the files of a folder, as Express's `express.static`.
 *
 * As there, a file is found by the path decoded and without its dots and double slashes, whereas layers are matched by
 * the path as it was sent. What guards some of the files belongs to the same mount as they do, for `//secret/a.txt` gets
 * past `app.use("/secret", guard)`: `app.use("/secret", guard, serveStatic("secret"))`.
 *
 * @param root The folder; relative to the working directory
 * @param options How to serve
 * @returns The middleware
 * @throws {TypeError} If the folder is missing or no string, or an option is not usable
 */
export function serveStatic(root: string, options?: ServeStaticOptions): StaticFiles {
  if (!root) throw new TypeError("root path required");
  if (typeof root !== "string") throw new TypeError("root path must be a string");
  const { fallthrough = true, redirect = true, index = "index.html", setHeaders, ...fileOptions } = options ?? {};
  if (setHeaders && typeof setHeaders !== "function") throw new TypeError("option setHeaders must be function");
  const maxAge = parseDuration(fileOptions.maxAge || 0, "option maxAge of serveStatic");
  const middleware: StaticFiles = (req, res, next) => {
    if (req.method !== "GET" && req.method !== "HEAD") return fallthrough ? next() : refuseMethod(res);
    // below a mount without a slash there is nothing but a redirect to it
    const mountOnly = req.path === "/" && !pathOf(req.originalUrl).endsWith("/");
    const transfer = {
      ...fileOptions,
      index,
      maxAge,
      root,
      requested: mountOnly ? "" : req.path,
      setHeaders: (path: string, stat: FileStat) => setHeaders?.(res, path, { ...stat, mtime: new Date(stat.mtimeMs) }),
    };
    transferFile(res, transfer).catch((error: FileError) => {
      const folder = folderOf(error);
      if (folder !== null && redirect && (mountOnly || !folder.endsWith("/"))) return redirectToFolder(req, res);
      const failure = folder === null ? error : new HttpError(404) as FileError;
      if (failure.code === "ECONNABORTED") return;
      if (fallthrough && failure.status !== undefined && failure.status < 500) {
        return isUnanswerable(failure) ? next(failure) : next();
      }
      next(failure);
    }).catch(next);
  };
  // so that it is found among the layers, in bundles too
  return Object.defineProperty(middleware, "name", { value: "serveStatic" });
}

// the runtime's own EISDIR, of a file that became a folder meanwhile, names none
function folderOf({ code, path }: FileError & { path?: string }): string | null {
  return code === "EISDIR" ? path ?? null : null;
}

// conditions and ranges speak of a file that was found
function isUnanswerable(failure: FileError): boolean {
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
  const path = pathOf(req.originalUrl);
  const query = req.originalUrl.slice(path.length);
  // several slashes in front would make the browser take the folder for a host
  const location = encodeUrl(`${path.replace(/^\/+/, "/")}/${query}`);
  const shown = escapeHtml(location);
  res.statusCode = 301;
  res.setHeader("Content-Type", "text/html; charset=UTF-8");
  res.setHeader("Content-Security-Policy", "default-src 'none'");
  res.setHeader("X-Content-Type-Options", "nosniff");
  res.setHeader("Location", location);
  res.end(
    '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>Redirecting</title>\n</head>\n' +
      `<body>\n<pre>Redirecting to ${shown}</pre>\n</body>\n</html>\n`,
  );
}
