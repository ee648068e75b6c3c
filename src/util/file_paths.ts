/** Error message for runtimes without files. */
export const NO_FILES: string =
  'This runtime has no files; on Node, import "@sluice/sluice/node" first. A Worker has those deployed with it, given ' +
  "nodejs_compat and a compatibility date from 2025-09-15";

/**
 * Returns whether a path is absolute, by POSIX or Windows rules.
 *
 * @param path The path
 * @param separator `/` if only that separates folders, as on POSIX; otherwise both slashes do
 */
export function isAbsolutePath(path: string, separator?: "/"): boolean {
  return separator === "/" ? path.startsWith("/") : rootOf(path) !== "";
}

const PLAIN = /^(?:\/[\w-][\w.-]*)+$/;

/**
 * Returns whether a path needs no decoding, resolving or hiding, as most do: every part begins with a
 * letter, a digit, `_` or `-`, and otherwise contains only those and dots.
 *
 * @param path The path
 */
export function isPlainPath(path: string): boolean {
  return PLAIN.test(path);
}

/** Separates folders, on POSIX or on Windows. */
const EITHER_SLASH = /[\\/]/;

/**
 * Resolves `.`, `..` and repeated slashes in a path, like Node's `path.normalize`. Both kinds of slash separate on
 * every platform, and become `/`, which Windows understands.
 *
 * @param path The path
 * @param separator `/` if only that separates folders; otherwise both slashes do
 * @returns The path, keeping a trailing slash and a relative path's leading `..`; `.` for an empty one
 */
export function normalizePath(path: string, separator?: "/"): string {
  const root = rootOf(path);
  const parts: string[] = [];
  for (const part of path.slice(root.length).split(separator ?? EITHER_SLASH)) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.length > 0 && parts.at(-1) !== "..") parts.pop();
    else if (root === "") parts.push("..");
  }
  const beginning = root.replaceAll("\\", "/");
  if (parts.length === 0 && root !== "") return beginning;
  const isFolder = path.endsWith("/") || (separator !== "/" && path.endsWith("\\"));
  return beginning + (parts.join("/") || ".") + (isFolder ? "/" : "");
}

/**
 * Makes a path absolute, like Node's `path.resolve`, without a trailing slash.
 *
 * @param path The path
 * @param workingDirectory Returns the base folder for a relative path; called only for one
 * @param separator `/` if only that separates folders; otherwise both slashes do
 */
export function resolvePath(path: string, workingDirectory: () => string, separator?: "/"): string {
  if (isPlainPath(path)) return path;
  const absolute = normalizePath(isAbsolutePath(path, separator) ? path : `${workingDirectory()}/${path}`, separator);
  return absolute.endsWith("/") && absolute !== rootOf(absolute) ? absolute.slice(0, -1) : absolute;
}

/**
 * Returns the separator between a path's folders, unless both slashes separate. In a path that starts with a slash, as
 * on POSIX, a backslash is part of a name: treating a client's backslash as a slash would bypass guards on a folder's
 * URL.
 *
 * @param path An absolute path
 */
export function separatorBelow(path: string): "/" | undefined {
  return path.startsWith("/") ? "/" : undefined;
}

/**
 * A path's last part, like Node's `path.basename`.
 *
 * @param path The path
 * @param separator `/` if only that separates folders; otherwise both slashes do
 */
export function baseName(path: string, separator?: "/"): string {
  let end = path.length;
  while (isSlash(path, end - 1, separator)) end--;
  let start = end;
  while (start > 0 && !isSlash(path, start - 1, separator)) start--;
  return path.slice(start, end);
}

/**
 * The extension of a path's last part, like Node's `path.extname`.
 *
 * @param path The path
 * @param separator `/` if only that separates folders; otherwise both slashes do
 * @returns The extension with its dot, `""` if there is none
 */
export function extensionOf(path: string, separator?: "/"): string {
  const name = baseName(path, separator);
  const dot = name.lastIndexOf(".");
  // a leading dot hides a file, and ".." is the parent folder
  return dot < 1 || name === ".." ? "" : name.slice(dot);
}

// "/", a Windows drive such as "C:\", or the "\\" in front of a server name
function rootOf(path: string): string {
  return /^(?:[a-z]:[\\/]|[\\/]{2}(?![\\/.]|$)|[\\/])/i.exec(path)?.[0] ?? "";
}

function isSlash(path: string, at: number, separator?: "/"): boolean {
  const code = path.charCodeAt(at);
  return code === 47 || (code === 92 && separator !== "/");
}
