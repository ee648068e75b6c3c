import type { ByteRange } from "../../http/byte_range.ts";
import type { OptionNames } from "../../util/check_option.ts";
import { fileEntityTag } from "../../http/entity_tag.ts";
import { describe } from "../../util/error_text.ts";
import { extensionOf, NO_FILES, resolvePath, separatorBelow } from "../../util/file_paths.ts";
import type { FileStat, FileSystem, WholeFile } from "../../exchange/file_system.ts";
import type { Validators } from "../../http/freshness.ts";
import { toHttpDate } from "../../http/http_date.ts";
import { HttpError } from "../../http/http_error.ts";
import { contentTypeOf } from "../../http/media_types.ts";
import { GenerationalCache } from "../../util/generational_cache.ts";
import { parseDuration } from "../../util/units.ts";
import { profileKey } from "../../exchange/app_profile.ts";
import type { AppLike } from "../../exchange/app_like.ts";
import { exchangeOf } from "../../exchange/exchange.ts";
import { defaultApp } from "../../exchange/default_app.ts";
import { FileChunks } from "./file_chunks.ts";
import { evaluateConditions, isRangeCurrent } from "./file_conditions.ts";
import { type DotfilePolicy, resolveFilePath, UncoveredError } from "./file_path.ts";
import type { FileResponse } from "./file_response.ts";
import { DirectoryError, type FileCoding, findCoded, findFile, type FoundFile, noteSentWhole } from "./find_file.ts";
import type { ListedNames } from "./listed_names.ts";
import { handOverKey, streamKey } from "../node/outgoing_message.ts";
import { runtimeKey } from "../../util/runtime_key.ts";

/**
 * How `res.sendFile` and `serveStatic` serve files.
 *
 * @example A file whose content never changes
 * ```ts
 * import sluice from "@sluice/sluice";
 *
 * const app = sluice();
 * app.get("/logo", (_req, res) => res.sendFile("logo.4f2a.svg", { root: "/srv/assets", maxAge: "1y", immutable: true }));
 * ```
 */
export interface FileOptions {
  /** Sends `Accept-Ranges` and honors `Range`; on by default. */
  acceptRanges?: boolean | undefined;
  /** Sends `Cache-Control`; on by default. */
  cacheControl?: boolean | undefined;
  /** How to handle names that begin with a dot; `"ignore"` by default. */
  dotfiles?: DotfilePolicy | undefined;
  /** Sends an `ETag`; on by default. */
  etag?: boolean | undefined;
  /** Extensions to try, in order, if the file does not exist. */
  extensions?: string | readonly string[] | false | undefined;
  /** Adds `immutable` to `Cache-Control`; off by default. */
  immutable?: boolean | undefined;
  /** Files to try in a folder; `index.html` by default. */
  index?: string | readonly string[] | false | undefined;
  /** Sends `Last-Modified`; on by default. */
  lastModified?: boolean | undefined;
  /** How long clients may cache the file, in ms or as a string such as `"1d"`; 0 by default, at most a year. */
  maxAge?: number | string | false | undefined;
  /** An older spelling for `maxAge`. */
  maxage?: number | string | false | undefined;
}

/** The names of these options. */
export const FILE_OPTIONS: OptionNames<FileOptions> = {
  acceptRanges: true,
  cacheControl: true,
  dotfiles: true,
  etag: true,
  extensions: true,
  immutable: true,
  index: true,
  lastModified: true,
  maxAge: true,
  maxage: true,
};

/**
 * Replacement for an option that Express 4 has but Express 5 does not.
 *
 * @param name Name of the option
 */
export function insteadOfFileOption(name: string): string | undefined {
  if (name === "hidden") return 'write dotfiles: "allow"';
  return name === "from" ? "write root" : undefined;
}

/** A file to be sent. */
export interface FileTransfer extends FileOptions {
  /** The path as requested, percent-encoded. */
  readonly requested: string;
  /** Folder that the path must stay inside. */
  readonly root?: string | undefined;
  /** First byte to send. */
  readonly start?: number | undefined;
  /** Last byte to send. */
  readonly end?: number | undefined;
  /** Names of the files below the root, if guards compare the requested path. */
  readonly listed?: ListedNames | undefined;
  /** Codings in which copies may be stored next to the file, best first; `undefined` to look for no copies. */
  readonly precompressed?: readonly FileCoding[] | undefined;
  /** Adds headers once the file is known, before it is sent. */
  setHeaders?(path: string, stat: FileStat): void;
}

const YEAR = 365 * 24 * 60 * 60 * 1000;

/**
 * Sends a file, part of a file, or a 304, like npm's send does for Express.
 *
 * @param res The response
 * @param transfer The file and how to send it
 * @throws {HttpError} 400, 403, 404, 412, 416 or 500
 * @throws {DirectoryError} If the path leads to a folder without an index file
 */
export async function transferFile(res: FileResponse, transfer: FileTransfer): Promise<void> {
  const files = filesOf(res);
  if (files === null) throw new Error(NO_FILES);
  assertNames("extensions", transfer.extensions);
  assertNames("index", transfer.index);
  const { requested, index } = transfer;
  const path = resolveFilePath(requested, transfer, () => files.workingDirectory());
  let plain: FoundFile;
  try {
    // the slash as sent: an escaped slash does not request a folder's index file
    plain = await findFile(files, path, transfer.extensions, requested.endsWith("/") ? index : false);
  } catch (error) {
    // a redirect would reveal that the folder exists
    if (error instanceof DirectoryError) await assertListed(files, transfer, error.path);
    throw error;
  }
  const { precompressed } = transfer;
  let found = plain;
  try {
    if (transfer.listed?.isExact === false) await assertListed(files, transfer, plain.path);
    if (precompressed !== undefined) {
      found = await findCoded(files, plain, precompressed, res.req.get("accept-encoding"));
    }
    assertConnected(res);
    if (res.headersSent) throw new HttpError(500, "Can't set headers after they are sent.");
    await sendFound(res, files, found, transfer);
  } finally {
    plain.opened?.close();
    if (found !== plain) found.opened?.close();
  }
}

function filesOf(res: FileResponse): FileSystem | null {
  const app: Partial<AppLike> | undefined = exchangeOf(res.req)?.app ?? res.app;
  return (app?.[runtimeKey] ?? defaultApp()[runtimeKey]).files;
}

async function assertListed(files: FileSystem, { listed, root = "" }: FileTransfer, path: string): Promise<void> {
  if (listed === undefined || listed.isExact) return;
  const folder = resolvePath(root, () => files.workingDirectory());
  if (await listed.has(files, folder, path)) return;
  throw new UncoveredError(`"${path}" is not the name that its folder lists`);
}

function assertNames(option: string, value: unknown): void {
  // as in Express, an empty value means none
  if ([value || []].flat().every((name) => typeof name === "string")) return;
  throw new TypeError(`option ${option} must be a string, a list of strings or false, not ${describe(value)}`);
}

function position(option: string, value: unknown): number {
  if (Number.isInteger(value) && value as number >= 0) return value as number;
  throw new TypeError(`option ${option} must be a byte position from 0, not ${describe(value)}`);
}

async function sendFound(
  res: FileResponse,
  files: FileSystem,
  found: FoundFile,
  transfer: FileTransfer,
): Promise<void> {
  setFileHeaders(res, found, transfer);
  const validators = {
    etag: res.get("ETag") as string | undefined,
    lastModified: res.get("Last-Modified") as string | undefined,
  };
  const status = evaluateConditions(res.req, validators);
  if (status === 412) throw new HttpError(412);
  // with other statuses, such as an error page's, the client's copy is not of this file
  if (status === 304 && isCacheable(res.statusCode)) return sendNotModified(res);
  await sendBytes(res, files, found, requestedPart(res, found.stat.size, validators, transfer));
}

function isCacheable(status: number): boolean {
  return (status >= 200 && status < 300) || status === 304;
}

function sendNotModified(res: FileResponse): void {
  for (const name of ["Content-Encoding", "Content-Language", "Content-Length", "Content-Range", "Content-Type"]) {
    res.removeHeader(name);
  }
  res.statusCode = 304;
  res.end();
}

// a request for several ranges gets the whole file, as in npm's send
function requestedPart(
  res: FileResponse,
  size: number,
  validators: Validators,
  transfer: FileTransfer,
): ByteRange {
  const { req } = res;
  const start = position("start", transfer.start || 0);
  const end = Math.min(position("end", transfer.end ?? size), size - 1);
  const length = Math.max(0, end - start + 1);
  const range = transfer.acceptRanges !== false && asksForBytes(req) && isRangeCurrent(req, validators)
    ? req.range(length, { combine: true })
    : undefined;
  if (range === -1) {
    // also set for error handlers that respond themselves, as in npm's send
    res.setHeader("Content-Range", `bytes */${length}`);
    throw new HttpError(416, undefined, { headers: { "Content-Range": `bytes */${length}` } });
  }
  if (typeof range !== "object" || range.length !== 1) return { start, end };
  const part = range[0]!;
  res.statusCode = 206;
  res.setHeader("Content-Range", `bytes ${part.start}-${part.end}/${length}`);
  return { start: start + part.start, end: start + part.end };
}

// ranges in other units are ignored (RFC 9110 section 14.2)
function asksForBytes(req: FileResponse["req"]): boolean {
  return /^ *bytes=/.test(req.get("range") ?? "");
}

function setFileHeaders(res: FileResponse, { path, stat, coded }: FoundFile, transfer: FileTransfer): void {
  const shownPath = coded?.from ?? path;
  transfer.setHeaders?.(shownPath, stat);
  // even for an unencoded file, because other clients may get an encoded one
  if (transfer.precompressed !== undefined) res.vary("Accept-Encoding");
  if (coded !== undefined) res.setHeader("Content-Encoding", coded.as);
  const { acceptRanges = true, cacheControl = true, lastModified = true, etag = true, immutable = false } = transfer;
  if (acceptRanges && !res.hasHeader("Accept-Ranges")) res.setHeader("Accept-Ranges", "bytes");
  if (cacheControl && !res.hasHeader("Cache-Control")) {
    // `false` means none, as in `maxAge: isProduction && "1d"`
    const maxAge = Math.min(Math.max(0, parseDuration(transfer.maxAge || transfer.maxage || 0, "option maxAge")), YEAR);
    res.setHeader("Cache-Control", `public, max-age=${Math.floor(maxAge / 1000)}${immutable ? ", immutable" : ""}`);
  }
  const dated = lastModified && stat.tag === undefined;
  if (dated && !res.hasHeader("Last-Modified")) res.setHeader("Last-Modified", toHttpDate(stat.mtimeMs));
  if (etag && !res.hasHeader("ETag")) res.setHeader("ETag", tagOf(stat, coded?.as));
  if (res.hasHeader("Content-Type")) return;
  // a file named "html" has no extension
  const type = typeFor(extensionOf(shownPath, separatorBelow(shownPath)));
  res.setHeader("Content-Type", res.app?.[profileKey]?.fileType(type) ?? type);
}

// two codings for a file may have the same size and date, but their ranges are not interchangeable
function tagOf(stat: FileStat, coding: FileCoding | undefined): string {
  const tag = stat.tag ?? fileEntityTag(stat);
  return coding === undefined ? tag : `${tag.slice(0, -1)}-${coding}"`;
}

/** Content types by extension, cached because finding one takes several regular expressions. */
const types = new GenerationalCache<string>(64);

function typeFor(extension: string): string {
  const known = types.get(extension);
  if (known !== undefined) return known;
  const type = contentTypeOf(extension) ?? "application/octet-stream";
  types.set(extension, type);
  return type;
}

async function sendBytes(
  res: FileResponse,
  files: FileSystem,
  { path, stat, opened }: FoundFile,
  { start, end }: ByteRange,
): Promise<void> {
  const length = Math.max(0, end - start + 1);
  res.setHeader("Content-Length", length);
  if (res.req.method === "HEAD" || length === 0) return void res.end();
  const whole = length === stat.size;
  let content: Promise<Uint8Array> | undefined;
  if (whole && files.opensWhole?.(length)) {
    const file = opened ?? await files.openWhole!(path);
    if (opened === undefined) noteSentWhole(path);
    assertConnected(res, file);
    const taken = file.take(length);
    if (taken instanceof ReadableStream) return res[handOverKey](taken);
    content = taken;
  } else if (length <= files.wholeBytes) {
    content = whole ? files.readBytes(path) : readPart(files, path, start, length);
  }
  if (content !== undefined) {
    const bytes = await content;
    assertConnected(res);
    return res[handOverKey](bytes as Uint8Array<ArrayBuffer>);
  }
  res[streamKey](new FileChunks(await files.open(path, start), length));
  // "close" has already been emitted, and the response has closed the file
  assertConnected(res);
  // other frameworks report the outcome in other ways
  if (exchangeOf(res) === null) return;
  await new Promise<void>((resolve) => res.once("close", resolve));
  if (res.writableFinished) return;
  throw clientAborted();
}

/** The client may have disconnected while the file was being found, opened or read. Then no code ends the response. */
function assertConnected(res: FileResponse, file?: WholeFile): void {
  if (!res.destroyed || res.writableFinished) return;
  file?.close();
  // the response's watchers learn that the transfer is over
  res.destroy();
  throw clientAborted();
}

function clientAborted(): Error {
  return Object.assign(new Error("Request aborted"), { code: "ECONNABORTED" });
}

async function readPart(files: FileSystem, path: string, start: number, length: number): Promise<Uint8Array> {
  const part = new Uint8Array(length);
  let read = 0;
  for await (const chunk of new FileChunks(await files.open(path, start), length)) {
    part.set(chunk, read);
    read += chunk.length;
  }
  return part.subarray(0, read);
}
