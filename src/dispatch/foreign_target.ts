import { asciiUpperCase } from "../util/ascii.ts";
import { emptyParams, isEmptyParams } from "../util/empty_params.ts";
import { isOriginal } from "../util/original_object.ts";
import { exchangeOf } from "../exchange/exchange.ts";
import type { Target } from "../exchange/target.ts";
import type { RoutingTarget, WalkedRequest } from "./routing_target.ts";

/** A foreign request: Node's own, or a plain object in a test. */
export interface ForeignRequest extends WalkedRequest {
  /** HTTP method. */
  method?: string;
  /** Path and query. */
  url?: string;
  /** Path and query before any mount. */
  originalUrl?: string;
  /** The path part consumed by mounts. */
  baseUrl?: string | undefined;
  /** Path parameters. */
  params?: unknown;
}

/** Maintains a foreign request's `url` and `baseUrl` as Express does, by rewriting them at every mount. */
export class ForeignTarget implements RoutingTarget {
  readonly writesUrl = true;
  #req: ForeignRequest;
  /** The previous `baseUrl`, or `undefined` if the request comes straight from a server. */
  #outside: string | undefined;
  #base: string;
  #removed = "";
  #slashAdded = false;
  #seen = "";
  #version = 0;

  /** @param req The request */
  constructor(req: ForeignRequest) {
    this.#req = req;
    this.#outside = req.baseUrl;
    this.#base = req.baseUrl ?? "";
    req.baseUrl = this.#base;
    req.originalUrl = req.originalUrl || req.url || "";
  }

  /**
   * Returns the function to call when no layer responded.
   *
   * @param next Called after the previous `req.baseUrl` is restored
   */
  leaving(next: (error?: unknown) => void): (error?: unknown) => void {
    return (error) => {
      this.#req.baseUrl = this.#outside;
      next(error);
    };
  }

  get params(): unknown {
    return this.#req.params;
  }

  set params(value: unknown) {
    this.#req.params = isEmptyParams(value) ? emptyParams(value) : value;
  }

  get method(): string {
    return asciiUpperCase(this.#req.method ?? "");
  }

  get path(): string | undefined {
    const { url } = this.#req;
    if (typeof url !== "string" || url === "") return undefined;
    const rest = url.slice(originOf(url).length);
    const end = rest.search(/[?#]/);
    const path = end === -1 ? rest : rest.slice(0, end);
    return path.startsWith("/") || path === "*" ? path : "/" + path;
  }

  get version(): number {
    const seen = `${this.method} ${this.#removed}${this.#req.url}`;
    if (seen !== this.#seen) this.#version++;
    this.#seen = seen;
    return this.#version;
  }

  get mount(): number {
    return this.#removed.length;
  }

  consume(length: number): void {
    if (length === this.#removed.length || typeof this.#req.url !== "string") return;
    const origin = originOf(this.#req.url);
    const tail = this.#req.url.slice(origin.length);
    const full = this.#removed + (this.#slashAdded && isAddedSlash(this.#removed, tail) ? tail.slice(1) : tail);
    this.#removed = full.slice(0, length);
    const rest = full.slice(length);
    this.#slashAdded = length > 0 && origin === "" && !rest.startsWith("/");
    this.#req.url = origin + (this.#slashAdded ? "/" + rest : rest);
    this.#req.baseUrl = this.#base + this.#removed.replace(/\/$/, "");
    // a URL written by a mount is not a rewrite
    this.#seen = `${this.method} ${this.#removed}${this.#req.url}`;
  }
}

/**
 * Returns a walk's position in a request's URL. An object derived from one of our requests gets its own URL once a
 * mount writes to it, as in Express, so other code can still use the original.
 *
 * @param req The request
 */
export function positionOf(req: object): Target | ForeignTarget {
  const exchange = exchangeOf(req);
  return exchange !== null && isOriginal(req) ? exchange.target : new ForeignTarget(req);
}

// removes an added slash; keeps one from a rewritten path
function isAddedSlash(removed: string, tail: string): boolean {
  return /^\/(?:\?|$)/.test(tail) || (removed.endsWith("/") && tail.startsWith("/"));
}

function originOf(url: string): string {
  return /^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i.exec(url)?.[0] ?? "";
}
