import { asciiLowerCase, checkNames, checkType, type OptionNames, refuseOption, trimBlanks } from "@sluice/shared";
import type { Request, Response } from "@sluice/sluice";

/** Attributes of a cookie that a middleware manages. */
export interface CookieAttributes {
  /** Domain of the cookie; only the host by default. */
  domain?: string | undefined;
  /** Hides the cookie from scripts; `true` by default. */
  httpOnly?: boolean | undefined;
  /** Stores the cookie separately for each top-level site (CHIPS). */
  partitioned?: boolean | undefined;
  /** Path of the cookie, `"/"` by default. */
  path?: string | undefined;
  /** Which cookies the browser drops first. */
  priority?: "low" | "medium" | "high" | undefined;
  /** When requests from other sites carry the cookie; by default, `"lax"`, when a user follows a link. */
  sameSite?: "lax" | "strict" | "none" | undefined;
  /**
   * Whether the cookie is only sent over TLS; `"auto"` by default: if the request came over TLS according to
   * `req.secure`, which behind a proxy requires `trust proxy`.
   */
  secure?: boolean | "auto" | undefined;
}

const NAMES: OptionNames<CookieAttributes> = {
  domain: true,
  httpOnly: true,
  partitioned: true,
  path: true,
  priority: true,
  sameSite: true,
  secure: true,
};

/** The attributes' names. */
export const COOKIE_NAMES: readonly string[] = Object.keys(NAMES);

/** Maximum bytes in a cookie, with its name and attributes, that every browser keeps (RFC 6265 section 6.1). */
const MOST_BYTES = 4096;

/** What `res.cookie` accepts; a later error would fail every request. */
const LABEL = "[a-z\\d](?:[a-z\\d-]{0,61}[a-z\\d])?";
const DOMAIN = new RegExp(`^\\.?${LABEL}(?:\\.${LABEL})*$`, "i");
const PATH = /^\/[\x20-\x3a\x3d-\x7e]*$/;

/** A cookie that a middleware reads and writes. */
export class KeptCookie {
  readonly #caller: string;
  readonly #name: string;
  readonly #mayHavePrefix: boolean;
  readonly #secure: boolean | "auto";
  readonly #attributes: Omit<CookieAttributes, "secure">;

  /**
   * @param caller The middleware's name, for error messages
   * @param name The name that the program chose, if any
   * @param ownName The name otherwise, which gets the prefix `__Host-` where possible
   * @param attributes The attributes
   * @param lifetime Where its lifetime comes from, for the error about `maxAge` or `expires`
   * @throws {TypeError} If an attribute is unknown, of the wrong type, or impossible with the name
   */
  constructor(
    caller: string,
    name: string | undefined,
    ownName: string,
    attributes: CookieAttributes,
    lifetime: string,
  ) {
    const instead = (unknown: string) => unknown === "maxAge" || unknown === "expires" ? lifetime : undefined;
    checkNames(`${caller}: option cookie`, attributes, NAMES, instead);
    const { secure = "auto", httpOnly = true, path = "/", sameSite = "lax", ...others } = attributes;
    const { domain, partitioned, priority } = others;
    checkType(caller, "cookie.httpOnly", httpOnly, "boolean");
    checkType(caller, "cookie.partitioned", partitioned, "boolean");
    if (domain !== undefined && !isMatch(DOMAIN, domain)) {
      refuseOption(caller, "cookie.domain", 'the name of a host, such as "example.com"', domain);
    }
    if (!isMatch(PATH, path)) refuseOption(caller, "cookie.path", "an escaped URL path that begins with /", path);
    if (priority !== undefined && !["low", "medium", "high"].includes(priority)) {
      refuseOption(caller, "cookie.priority", '"low", "medium" or "high"', priority);
    }
    if (typeof secure !== "boolean" && secure !== "auto") {
      refuseOption(caller, "cookie.secure", 'true, false or "auto"', secure);
    }
    if (!["lax", "strict", "none"].includes(sameSite)) {
      refuseOption(caller, "cookie.sameSite", '"lax", "strict" or "none"', sameSite);
    }
    if ((sameSite === "none" || partitioned) && secure === false) {
      const attribute = partitioned ? "partitioned" : 'sameSite "none"';
      throw new TypeError(
        `${caller}: browsers refuse a cookie with ${attribute} unless it is secure: leave out cookie.secure`,
      );
    }
    if (name !== undefined && !/^[\w!#$%&'*+.^`|~-]+$/.test(name)) {
      refuseOption(caller, "name", "the name of a cookie", name);
    }
    const isOfHost = path === "/" && domain === undefined;
    const prefix = asciiLowerCase(/^__(?:host|secure)-/i.exec(name ?? "")?.[0] ?? "");
    if (prefix !== "" && (secure !== true || (prefix === "__host-" && !isOfHost))) {
      throw new TypeError(
        `${caller}: browsers refuse a cookie named ${name} unless it is secure` +
          (prefix === "__host-" ? ", for path / and without a domain" : "") + "; give cookie.secure: true",
      );
    }
    this.#caller = caller;
    this.#name = name ?? ownName;
    this.#mayHavePrefix = name === undefined && isOfHost;
    this.#secure = secure;
    this.#attributes = { ...others, httpOnly, path, sameSite };
  }

  /**
   * Returns the cookie's name for a request. Over TLS its own name has the prefix `__Host-`: browsers then let no other
   * host in the domain set it, nor an attacker who can tamper with plain HTTP.
   *
   * @param req The request
   */
  nameFor(req: Request): string {
    return this.#mayHavePrefix && this.#isSecure(req) ? `__Host-${this.#name}` : this.#name;
  }

  /**
   * Returns its value in a request, `undefined` if it has none. If there are several, the first has the longest path.
   * Only spaces and tabs are trimmed from names: browsers let any host in the domain set `\u00a0__Host-session`.
   *
   * @param req The request
   */
  read(req: Request): string | undefined {
    const header = req.get("cookie");
    if (header === undefined) return undefined;
    const start = `${this.nameFor(req)}=`;
    for (const part of header.split(";")) {
      const pair = trimBlanks(part);
      if (pair.startsWith(start)) return pair.slice(start.length);
    }
    return undefined;
  }

  /**
   * Sets it with the response, replacing a value set before.
   *
   * @param req The request
   * @param res The response
   * @param value Its value, in characters that need no encoding
   * @param maxAgeMs How long browsers keep it, in ms; if `undefined`, until they are closed
   * @throws {RangeError} If it is too long for browsers
   */
  write(req: Request, res: Response, value: string, maxAgeMs?: number): void {
    const others = this.#forget(req, res);
    const name = this.nameFor(req);
    res.cookie(name, value, {
      ...this.#attributes,
      secure: this.#isSecure(req),
      ...(maxAgeMs === undefined ? {} : { maxAge: maxAgeMs }),
    });
    const bytes = [res.getHeader("Set-Cookie")].flat().at(-1)!.toString().length;
    if (bytes <= MOST_BYTES) return;
    setCookies(res, others);
    throw new RangeError(
      `${this.#caller}: the cookie ${name} would have ${bytes} bytes, and browsers drop those of more than ` +
        `${MOST_BYTES}: store less in it, or use option store`,
    );
  }

  /**
   * Makes the client delete it.
   *
   * @param req The request
   * @param res The response
   */
  clear(req: Request, res: Response): void {
    this.#forget(req, res);
    res.clearCookie(this.nameFor(req), { ...this.#attributes, secure: this.#isSecure(req) });
  }

  #isSecure(req: Request): boolean {
    return this.#secure === "auto" ? req.secure : this.#secure;
  }

  #forget(req: Request, res: Response): string[] {
    const start = `${this.nameFor(req)}=`;
    const others = [res.getHeader("Set-Cookie") ?? []].flat().map(String).filter((one) => !one.startsWith(start));
    setCookies(res, others);
    return others;
  }
}

function isMatch(pattern: RegExp, value: unknown): boolean {
  return typeof value === "string" && pattern.test(value);
}

function setCookies(res: Response, cookies: string[]): void {
  if (cookies.length > 0) res.setHeader("Set-Cookie", cookies);
  else res.removeHeader("Set-Cookie");
}
