import { asciiUpperCase } from "../util/ascii.ts";
import { describe } from "../util/error_text.ts";
import { originLength } from "../http/host.ts";
import { TARGET_DOUBT, type TargetDoubt } from "./target_doubt.ts";
import { originFormKey, type StandIn } from "./web_request.ts";

/** Cold fields, needed only for targets that cannot be sliced from the request's URL. */
class ColdFields {
  /** The target the client requested. */
  readonly original: string;
  /** Scheme and host, if middleware assigned an absolute URL. */
  origin = "";
  /** The assigned URL, if it has no path: npm routers that strip a prefix check the remainder. */
  bare: string | null = null;

  constructor(original: string) {
    this.original = original;
  }
}

/** Fields that only a target's methods assign. They are no accessors, because every request reads them many times. */
interface Assignable {
  method: string;
  mount: number;
  path: string;
}

/**
 * A request's method and target, and how much of the path mounts have consumed.
 *
 * Nothing is parsed: parts are sliced from the URL string on demand. `new URL()` would cost eight times as much, and
 * would resolve `/../`, so path checks would not see the path as sent.
 *
 * @internal
 */
export class Target {
  /** The request as the platform delivered it. */
  readonly request: Request;
  /** Whether the URL, before any rewrite, may differ from the client's request; see {@linkcode TARGET_DOUBT}. */
  readonly doubt: TargetDoubt;
  /** The method used for routing: an assigned one (method-override) in uppercase. */
  readonly method: string;
  /** Length of the path part consumed by the mounts entered so far. */
  readonly mount: number = 0;
  /** Path below the current mount, always with a leading slash, not decoded. */
  readonly path: string;
  /** Incremented whenever the method or the path changes, so a walk can detect that it must match again. */
  version = 0;
  /** The running layer's path parameters, or their placeholder until they are read; `undefined` outside layers. */
  params: unknown = undefined;

  /** The target, perhaps after an origin: the request's URL, until a new one is assigned. */
  #text: string;
  /** Start of the path in it. */
  #start: number;
  /** End of the path. */
  #end: number;
  #coldFields: ColdFields | null = null;

  /**
   * Reads the method and the URL.
   *
   * @param request The web request
   */
  constructor(request: Request) {
    this.request = request;
    this.method = request.method;
    const asSent = (request as Partial<StandIn>)[originFormKey] ?? null;
    const url = asSent ?? request.url ?? refused(request);
    const start = asSent !== null ? 0 : url.startsWith(lastOrigin) ? lastOrigin.length - 1 : pathStart(url);
    // servers always deliver a path and no fragment, but in-process requests may not; and without a valid Host, Bun
    // delivers the path alone
    const isUnusual = start === -1 || url.includes("#");
    if (isUnusual) this.#coldFields = new ColdFields(targetOfUrl(url));
    this.#text = this.#coldFields === null ? url : this.#coldFields.original;
    this.#start = isUnusual ? 0 : start;
    this.#end = queryStart(this.#text, this.#start);
    this.path = this.#below(0);
    this.doubt = asSent !== null ? TARGET_DOUBT.none : isUnusual ? doubtOfUrl(url) : doubtOf(url, start);
  }

  /** Mounts do not change the URL; only the length they consumed is recorded. */
  get writesUrl(): boolean {
    return false;
  }

  /** The original target: path and query. */
  get originalUrl(): string {
    return this.#coldFields === null ? this.#text.slice(this.#start) : this.#coldFields.original;
  }

  /**
   * Assigns the method that later layers match.
   *
   * @param value The method, in any case
   */
  overrideMethod(value: string): void {
    if (value === this.method) return;
    (this as Assignable).method = asciiUpperCase(value);
    this.version++;
  }

  /** The method the client sent, whatever was assigned since: this alone decides whether bodies are allowed. */
  get originalMethod(): string {
    // reads the request only if a method was assigned, because on Bun that takes a hundredth of a request's time
    return this.version === 0 ? this.method : this.request.method;
  }

  /** Whether the client sent HEAD, and expects no body. */
  get isHead(): boolean {
    return this.originalMethod === "HEAD";
  }

  /**
   * Changes the length of the path part consumed by mounts.
   *
   * @param length The new length
   */
  consume(length: number): void {
    if (length === this.mount) return;
    // a mount may consume the slash that is added to an empty path, but nothing after it
    (this as Assignable).mount = Math.min(length, this.#end - this.#start);
    (this as Assignable).path = this.#below(this.mount);
    if (this.#coldFields !== null) this.#coldFields.bare = null;
  }

  #below(mount: number): string {
    return rooted(this.#text.slice(this.#start + mount, this.#end));
  }

  /** Path and query below the current mount, as Express's `req.url`. */
  get url(): string {
    const shown = rooted(this.#text.slice(this.#start + this.mount));
    return this.#coldFields === null ? shown : this.#coldFields.bare ?? this.#coldFields.origin + shown;
  }

  set url(value: string) {
    const assigned = this.#coldFields ??= new ColdFields(this.originalUrl);
    const mounted = this.#text.slice(this.#start, this.#start + this.mount);
    const origin = assignedOrigin(value);
    const rest = value.slice(origin);
    assigned.origin = value.slice(0, origin);
    this.#text = mounted + this.#joined(mounted, rest);
    this.#start = 0;
    // its query begins after the part consumed by mounts
    this.#end = queryStart(this.#text, this.mount);
    (this as Assignable).path = this.#below(this.mount);
    assigned.bare = isPathless(rest) ? value : null;
    this.version++;
  }

  // a URL assigned below a mount may include a slash that was only added for display, or lack one
  #joined(mounted: string, rest: string): string {
    if (mounted === "" || isPathless(rest)) return rest;
    const isShown = this.#text.charCodeAt(this.#start + this.mount) !== 47;
    const closed = mounted.endsWith("/");
    if (isShown && (/^\/(?:\?|$)/.test(rest) || (closed && rest.charCodeAt(0) === 47))) return rest.slice(1);
    return closed || rest.charCodeAt(0) === 47 ? rest : "/" + rest;
  }

  /** The path part consumed by mounts, without a trailing slash, as Express's `req.baseUrl`. */
  get baseUrl(): string {
    const end = this.#start + this.mount;
    const bare = this.#text.charCodeAt(end - 1) === 47 ? end - 1 : end;
    return bare <= this.#start ? "" : this.#text.slice(this.#start, bare);
  }

  /** Query string without the question mark, `null` if there is none. */
  get query(): string | null {
    return this.#end === this.#text.length ? null : this.#text.slice(this.#end + 1);
  }
}

// index of the query's question mark, or the end
function queryStart(text: string, from: number): number {
  const mark = text.indexOf("?", from);
  return mark === -1 ? text.length : mark;
}

/** Returns a path with a leading slash, which it may lack below a mount. */
export function rooted(path: string): string {
  return path.charCodeAt(0) === 47 ? path : "/" + path;
}

/** The last valid origin, with a trailing slash: most requests have the same one. */
let lastOrigin = "http://localhost/";
/** Whether its host may differ from the client's header. */
let isServers = false;

// start of the path; -1 if it does not follow a valid origin
function pathStart(url: string): number {
  const end = originLength(url);
  if (end === -1 || url.charCodeAt(end) !== 47) return -1;
  lastOrigin = url.slice(0, end + 1);
  isServers = NOT_THE_CLIENTS.test(lastOrigin);
  return end;
}

/**
 * Deno's placeholder hosts for a missing, empty or non-ASCII header; and schemes for Unix sockets and absolute targets,
 * which may come with any header.
 */
const NOT_THE_CLIENTS = /^(?!https?:)|^https?:\/\/localhost:/;

// a second slash, even in the query, may be the first one in the client's target
function doubtOf(url: string, start: number): TargetDoubt {
  return isServers || url.indexOf("/", start + 1) !== -1 ? TARGET_DOUBT.shared : TARGET_DOUBT.none;
}

function doubtOfUrl(url: string): TargetDoubt {
  if (url.charCodeAt(0) === 47) return TARGET_DOUBT.alone;
  return originLength(url) === -1 ? TARGET_DOUBT.improper : TARGET_DOUBT.shared;
}

function refused(given: unknown): never {
  throw new TypeError(`app.fetch expects a Request, not ${describe(given)}`);
}

function isPathless(target: string): boolean {
  return target === "" || target.charCodeAt(0) === 63;
}

/** Returns the length of `scheme://host` before a URL that middleware made absolute, 0 for a path. */
function assignedOrigin(url: string): number {
  if (url.charCodeAt(0) === 47) return 0;
  const query = url.indexOf("?");
  const scheme = url.indexOf("://");
  if (scheme === -1 || (query !== -1 && query < scheme)) return 0;
  const slash = url.indexOf("/", scheme + 3);
  if (slash === -1 || (query !== -1 && query < slash)) return query === -1 ? url.length : query;
  return slash;
}

/**
 * Extracts the target (path and query, no fragment) from an unusual URL: one with a fragment, without a path, or only a
 * path.
 *
 * @param url An absolute URL, or a path
 * @returns The target, always with a leading slash
 */
export function targetOfUrl(url: string): string {
  const fragment = url.indexOf("#");
  const end = fragment === -1 ? url.length : fragment;
  const slash = firstSlash(url);
  const query = url.indexOf("?");
  const queryFirst = query !== -1 && query < end && (slash === -1 || query < slash);
  if (queryFirst) return "/" + url.slice(query, end);
  return slash === -1 || slash > end ? "/" : url.slice(slash, end);
}

function firstSlash(url: string): number {
  if (url.startsWith("/")) return 0;
  // on Unix sockets, Deno's scheme is "http+unix:"; a colon before the path may also be an empty port
  return url.indexOf("/", url.indexOf("://") + 3);
}
