import { describe } from "../util/error_text.ts";
import { isPlainObject } from "../util/is_plain_object.ts";
import { refuseMembers } from "../util/refuse_members.ts";
import { canonicalAddress } from "../http/ip_address.ts";
import { type InjectedRequest, peerKey } from "../exchange/peer.ts";

/**
 * Options for `app.inject`: those of `fetch`, plus a body sent as JSON and the client's address.
 *
 * @example A user as JSON
 * ```ts
 * import sluice, { type InjectInit } from "@sluice/sluice";
 *
 * const app = sluice().use(sluice.json());
 * app.post("/users", (req, res) => res.status(201).json(req.body));
 * const init: InjectInit = { method: "POST", body: { name: "Ada" } };
 * console.log((await app.inject("/users", init)).status); // 201
 * ```
 */
export interface InjectInit extends Omit<RequestInit, "body"> {
  /** The body. A plain object or array is sent as JSON, with that content type unless a different one is set. */
  body?: RequestInit["body"] | object | undefined;
  /** A Worker's bindings, for `req.env`. */
  env?: object | undefined;
  /** A Worker's execution context, for `req.waitUntil` and `req.executionCtx`. */
  ctx?: object | undefined;
  /**
   * The peer's IP address, for `req.ip`, `trust proxy` and limiters; `"127.0.0.1"` by default. An address that the
   * platform reports takes precedence, such as the header `CF-Connecting-IP` on Workers.
   */
  remoteAddress?: string | undefined;
}

/**
 * A request for `app.inject` as one object, as in Fastify.
 *
 * @example A request with its method
 * ```ts
 * import sluice, { type InjectRequest } from "@sluice/sluice";
 *
 * const app = sluice();
 * app.delete("/users/:id", (_req, res) => void res.sendStatus(204));
 * const request: InjectRequest = { method: "DELETE", url: "/users/7" };
 * console.log((await app.inject(request)).status); // 204
 * ```
 */
export interface InjectRequest extends InjectInit {
  /** Path with its query, or a URL. */
  url: string | URL;
}

/** What `app.inject` sends: a path with its query, a URL, a request, or an object with `url` and options. */
export type InjectTarget = string | URL | Request | InjectRequest;

/** Option names from light-my-request and HTTP clients. */
const INSTEAD: Readonly<Record<string, string>> = {
  json: "use body",
  payload: "use body",
  query: "use url",
  cookies: "use headers: { cookie }",
  ip: "use remoteAddress",
};

const FETCHED = "app.inject gives a fetch Response: use";

/** Members of light-my-request's responses. */
const OF_RESPONSE: Readonly<Record<string, string>> = {
  statusCode: `${FETCHED} status`,
  payload: `${FETCHED} await text()`,
  rawPayload: `${FETCHED} await arrayBuffer()`,
  cookies: `${FETCHED} headers.getSetCookie()`,
};

/**
 * Makes the members of light-my-request's responses fail with advice: as `undefined`, they would only fail a test, or
 * pass it.
 *
 * @param response The response
 * @returns The response
 */
export function advised(response: Response): Response {
  return refuseMembers(response, "response", OF_RESPONSE);
}

/**
 * Creates the arguments of `app.fetch` for `app.inject`.
 *
 * @param target What to send
 * @param init Options, which take precedence over those of the target
 * @throws {TypeError} If the target is neither a path starting with a slash nor a URL, `remoteAddress` is not an IP
 * address, or `init` makes no valid request
 */
export function injected(target: InjectTarget, init: InjectInit): [request: Request, env: unknown, ctx: unknown] {
  // a Request's url is not its own property
  const given = Object.hasOwn(Object(target), "url")
    ? { ...target as InjectRequest, ...init }
    : { ...init, url: target };
  const { url, env, ctx, remoteAddress = "127.0.0.1", ...rest } = given;
  for (const name in INSTEAD) {
    if (name in rest) {
      throw new TypeError(`app.inject: there is no option ${name}; ${INSTEAD[name]}`);
    }
  }
  const address = canonicalAddress(`${remoteAddress}`);
  if (!address) {
    throw new TypeError(`app.inject: remoteAddress must be an IP address, not ${describe(remoteAddress)}`);
  }
  // Request would turn them into text such as "[object Object]"
  if (isPlainObject(rest.body) || Array.isArray(rest.body)) {
    const headers = rest.headers = new Headers(rest.headers);
    if (!headers.has("Content-Type")) headers.set("Content-Type", "application/json");
    rest.body = JSON.stringify(rest.body);
  }
  const peer: InjectedRequest = { [peerKey]: { address } };
  return [Object.assign(new Request(absoluteTarget(url), rest as RequestInit), peer), env, ctx];
}

// not resolved against a base, because "//admin" is a path here, not a host
function absoluteTarget(target: unknown): string | Request {
  if (typeof target === "string" && target.startsWith("/")) return `http://localhost${target}`;
  if (target instanceof Request || URL.canParse(target as string)) return target as string | Request;
  throw new TypeError(
    `app.inject expects a path such as "/users/7", a URL, a Request or { url, method }, not ${describe(target)}`,
  );
}
