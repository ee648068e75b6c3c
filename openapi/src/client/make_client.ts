import { type Call, requestOf } from "./call.ts";
import { readResponse } from "./read_response.ts";
import type { AnyResult } from "./result.ts";
import type { Wire } from "./wire.ts";

/**
 * Where a client sends its requests, and how.
 *
 * @example A test that calls the application without a server
 * ```ts
 * import { type AnyResult, type ClientOptions, makeClient } from "@sluice/openapi/client";
 * import sluice from "@sluice/sluice";
 *
 * const app = sluice();
 * app.get("/greeting", (req, res) => res.json({ language: req.get("accept-language") }));
 *
 * const options: ClientOptions = { fetch: app.fetch, headers: () => ({ "accept-language": "de" }) };
 * const api = makeClient<{ get(path: string): Promise<AnyResult> }>({}, options);
 * console.log((await api.get("/greeting")).data); // { language: "de" }
 * ```
 */
export interface ClientOptions {
  /** The application's address, such as `https://api.example`; in a browser, the page's address by default. */
  readonly baseUrl?: string | URL;
  /** Sends requests; the global `fetch` by default, and `app.fetch` in tests. */
  readonly fetch?: (request: Request) => Response | Promise<Response>;
  /** Headers for all requests, or a function that returns them, for example with a token that changes. */
  readonly headers?: HeadersInit | (() => HeadersInit | Promise<HeadersInit>);
}

const METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace"] as const;

/**
 * Creates a client: `createClient` in a file that `sluice client` has generated calls this, with its routes' types.
 *
 * @param wire Routes that differ from the defaults
 * @param options Where requests go
 * @returns A function for each method, which accepts a path and the data to send
 * @throws {TypeError} If there is no address: outside browsers, `baseUrl` or `fetch` is required
 *
 * @example A client for routes without descriptions
 * ```ts
 * import { type AnyResult, makeClient } from "@sluice/openapi/client";
 *
 * const api = makeClient<{ get(path: string): Promise<AnyResult> }>({}, { baseUrl: "http://localhost:3000" });
 * console.log(typeof api.get); // function
 * ```
 */
export function makeClient<Client>(wire: Wire, options: ClientOptions = {}): Client {
  const origin = originOf(options);
  const send = options.fetch ?? ((request: Request) => fetch(request));
  const { headers } = options;
  const calls = METHODS.map((method) => {
    const call = async (path: string, call: Call = {}): Promise<AnyResult> => {
      const own = wire[`${method} ${path}`] ?? {};
      const common = typeof headers === "function" ? await headers() : headers;
      return await readResponse(await send(requestOf(origin, method, path, call, own, common)), own);
    };
    return [method, call] as const;
  });
  return Object.fromEntries(calls) as Client;
}

function originOf({ baseUrl, fetch }: ClientOptions): string {
  const page = (globalThis as { location?: { href?: string } }).location?.href;
  if (baseUrl === undefined && page === undefined && fetch === undefined) {
    throw new TypeError('createClient: outside of a browser it needs baseUrl, such as "http://localhost:3000"');
  }
  // the application decides how to use the host
  const whole = new URL(baseUrl ?? "/", page ?? "http://localhost").href;
  return whole.replace(/[?#].*$|\/+$/gs, "").replace(/\/+$/, "");
}
