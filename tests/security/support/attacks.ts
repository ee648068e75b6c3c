/** Requests from attackers trying to get past a guard. */
import type { FrameworkApp } from "@sluice/sluice";
import { assert, assertMatch } from "@std/assert";

/** Source of every attack request: a page in a browser on this machine, or a proxy here. */
export const LOCAL = { remoteAddr: { hostname: "127.0.0.1", port: 5, transport: "tcp" } } as const;

let clients = 0;

/** A new client, for guards that count requests by address. */
export function stranger(): typeof LOCAL {
  const hostname = `10.${(clients >> 16) & 255}.${(clients >> 8) & 255}.${clients++ & 255}`;
  return { remoteAddr: { ...LOCAL.remoteAddr, hostname } } as unknown as typeof LOCAL;
}

/** Handles requests. */
export type Handle = (request: Request, info?: unknown) => Response | Promise<Response>;

/**
 * A request with a raw target; `new Request` alone would resolve dot segments.
 *
 * @param target Its path and query
 * @param init Method and headers; `host` becomes the URL's
 */
export function sent(target: string, init: RequestInit = {}): Request {
  const headers = new Headers(init.headers);
  const host = headers.get("host") ?? "localhost";
  const request = new Request(`http://${host}/`, { ...init, headers });
  Object.defineProperty(request, "url", { value: `http://${host}${target}` });
  return request;
}

/** Other spellings of a path, most of which match no route. */
export function spellings(path: string): string[] {
  const [, first = "", rest = ""] = /^\/([^/]*)(.*)$/.exec(path)!;
  const letter = `%${first.charCodeAt(0).toString(16)}`;
  return [
    path.toUpperCase(),
    `${path}/`,
    `${path}//`,
    `/${path}`,
    `/.${path}`,
    `/x/..${path}`,
    `/x/%2e%2e${path}`,
    `/${letter}${first.slice(1)}${rest}`,
    `/${first}%2f${rest.slice(1)}`,
    `/${first}%5c${rest.slice(1)}`,
    `/${first}//${rest.slice(1)}`,
    `/${first}/.${rest}`,
    `/${first};x${rest}`,
    `${path}%00`,
    `${path}%20`,
    `${path}.json`,
    `${path}?x=1`,
    `${path}#x`,
  ];
}

/** Headers that a client, a page or a proxy may add to a request. */
export const ADDED: readonly Record<string, string>[] = [
  {},
  // DNS rebinding: a page on evil.example, a name that now resolves to this machine
  { host: "evil.example:3000" },
  { host: "evil.example:3000", origin: "http://evil.example:3000", "sec-fetch-site": "same-origin" },
  // a proxy on the same machine, and clients that pretend to be one
  { "x-forwarded-for": "203.0.113.9" },
  { "x-forwarded-for": "127.0.0.1" },
  { "x-forwarded-host": "localhost", "x-forwarded-proto": "https" },
  { forwarded: "for=127.0.0.1;host=localhost" },
  { "x-real-ip": "127.0.0.1" },
  // header names that other servers set, or use as the method and the path
  { "x-http-method-override": "GET" },
  { "x-method-override": "GET", "x-http-method": "GET" },
  { "x-original-url": "/", "x-rewrite-url": "/" },
  { "x-user": "ann", "remote-user": "ann", "x-remote-user": "ann" },
  // empty credentials
  { authorization: "" },
  { authorization: "Bearer" },
  { authorization: "Bearer null" },
  { authorization: "Basic Og==" },
  { "x-api-key": "" },
  { "x-api-key": "undefined" },
  { "x-api-key": "__proto__" },
  { "x-key": "1" },
  { cookie: "session=" },
  { cookie: "session=undefined; user=ann" },
];

const METHODS = ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "QUERY"];

/** Requests to a guard, and the protected response. */
export interface Guarded {
  readonly path: string;
  /** The permitted request. */
  readonly allowed: RequestInit;
  /** Matches the response that only the permitted request may get. */
  readonly secret: RegExp;
  /** The requests' host, `localhost` by default. */
  readonly host?: string;
  /** Other requests that must not get this response. */
  readonly wrong?: readonly RequestInit[];
}

/**
 * Asserts that only the permitted request gets the guarded response. Other spellings of the path, other methods, extra
 * headers and incomplete credentials do not.
 *
 * @param handle Handles requests
 * @param guarded The requests and the response
 */
export async function assertGuarded(
  handle: Handle,
  { path, allowed, secret, host = "localhost", wrong = [] }: Guarded,
): Promise<void> {
  const seen = async (target: string, { headers, ...init }: RequestInit) => {
    const response = await handle(sent(target, { ...init, headers: { host, ...headers as object } }), LOCAL);
    assert(response.status !== 429, "a limiter is in front of the guard that is attacked");
    return await response.text();
  };
  assertMatch(await seen(path, allowed), secret, "the guard lets through whom it should");
  const { method = "GET", body = null } = allowed;
  const attack = async (target: string, init: RequestInit) => {
    const text = await seen(target, init);
    assert(!secret.test(text), `${JSON.stringify([target, init.method, init.headers])} got ${text}`);
  };
  for (const target of [path, ...spellings(path)]) {
    for (const headers of ADDED) await attack(target, { method, body, headers });
    for (const other of METHODS) {
      const hasBody = !["GET", "HEAD"].includes(other);
      await attack(target, { method: other, ...hasBody ? { body } : {} });
      await attack(target, { method: other, headers: { "x-http-method-override": method } });
    }
    for (const init of [...wrong, ...lessThan(allowed)]) await attack(target, { method, body, ...init });
  }
}

/** The same assertion for an application. */
export function assertGuardedApp(app: FrameworkApp, guarded: Guarded): Promise<void> {
  return assertGuarded((request, info) => app.handle(request, info), guarded);
}

/** Requests that lack part of the permitted request or add to it. */
function lessThan({ headers }: RequestInit): RequestInit[] {
  const needed = Object.entries(headers as Record<string, string>).filter(([name]) => !/^content-/i.test(name));
  return needed.flatMap(([name, value]) =>
    [
      value.slice(0, -1),
      value.slice(1),
      `${value}x`,
      `${value}, ${value}`,
      value.toUpperCase(),
      // changes a character inside a value that only the server can make
      value.replace(/.(?=.{20}$)/, (one) => one === "A" ? "B" : "A"),
      ...["", "*", "null", "true", "[object Object]"],
    ].filter((other) => other !== value).map((other) => ({ headers: { ...headers as object, [name]: other } }))
  );
}
