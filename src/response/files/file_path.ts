import type { ListedNames } from "./listed_names.ts";
import { isPlainPath, normalizePath, resolvePath, separatorBelow } from "../../util/file_paths.ts";
import { HttpError } from "../../http/http_error.ts";
import { refusedSpelling } from "../../util/path_spelling.ts";

/** How to handle names that begin with a dot. */
export type DotfilePolicy = "allow" | "deny" | "ignore";

/** How a requested path maps to a path on disk. */
export interface FilePathOptions {
  /** Folder that the path must stay inside; if missing or empty, the path is absolute. */
  readonly root?: string | undefined;
  /** How to handle dotfiles; `"ignore"` by default. */
  readonly dotfiles?: DotfilePolicy | undefined;
  /** Names of the files below the root, if a path must have the spelling that earlier guards compare. */
  readonly listed?: ListedNames | undefined;
}

/** No file has this name, or guards may not cover the spelling. */
export class UncoveredError extends HttpError {
  /** The reason, for the developer error page. */
  readonly reason: string;

  /** @param reason The reason, for the developer error page */
  constructor(reason: string) {
    // the message for a missing file
    super(404, "ENOENT: no such file or directory", { code: "ENOENT", expose: false });
    this.reason = reason;
  }
}

/**
 * Decodes a requested path and resolves it below the root.
 *
 * @param requested The path as requested, percent-encoded
 * @param options Root and dotfiles
 * @param workingDirectory The folder against which a relative root is resolved
 * @returns The path on disk; a trailing slash is kept
 * @throws {HttpError} 400 for a broken escape or a NUL, 403 for a path outside the root or a denied dotfile, 404 for an
 * ignored dotfile
 * @throws {UncoveredError} With status 404 for a spelling that no client uses, where guards matter
 * @throws {TypeError} If the dotfile policy is unknown
 */
export function resolveFilePath(
  requested: string,
  options: FilePathOptions,
  workingDirectory: () => string,
): string {
  const { root, dotfiles = "ignore" } = options;
  assertDotfilePolicy(dotfiles);
  if (isPlainPath(requested)) return root ? below(resolvePath(root, workingDirectory), requested) : requested;
  const decoded = decode(requested);
  if (decoded.includes("\0")) throw new HttpError(400);
  // backslashes separate folders only on Windows, but must not bypass the checks on any platform
  const climbs = /(?:^|[\\/])\.\.(?:[\\/]|$)/;
  if (!root) {
    if (climbs.test(decoded)) throw new HttpError(403);
    const path = resolvePath(decoded, workingDirectory, separatorBelow(decoded));
    applyDotfilePolicy(path.split(/[\\/]/), dotfiles);
    return decoded.endsWith("/") && path !== "/" ? `${path}/` : path;
  }
  const folder = resolvePath(root, workingDirectory);
  const separator = separatorBelow(folder);
  const inside = decoded === "" ? "." : normalizePath(`./${decoded}`, separator);
  if (climbs.test(inside)) throw new HttpError(403);
  const refused = options.listed === undefined ? null : refusedSpelling(requested);
  if (refused !== null) throw new UncoveredError(`a path has "${refused}", which no client sends`);
  applyDotfilePolicy(inside.split(/[\\/]/), dotfiles);
  return normalizePath(`${folder}/${inside}`, separator);
}

// only a disk's root folder ends with a slash
function below(folder: string, path: string): string {
  return folder.endsWith("/") ? folder + path.slice(1) : folder + path;
}

function decode(requested: string): string {
  try {
    return decodeURIComponent(requested);
  } catch (cause) {
    throw new HttpError(400, undefined, { cause });
  }
}

function assertDotfilePolicy(policy: unknown): asserts policy is DotfilePolicy {
  if (policy === "ignore" || policy === "allow" || policy === "deny") return;
  throw new TypeError(`option dotfiles must be "allow", "deny" or "ignore", not ${JSON.stringify(policy)}`);
}

function applyDotfilePolicy(parts: readonly string[], policy: DotfilePolicy): void {
  const hidden = parts.some((part) => part.length > 1 && part.startsWith(".") && part !== "..");
  if (!hidden || policy === "allow") return;
  throw new HttpError(policy === "deny" ? 403 : 404);
}
