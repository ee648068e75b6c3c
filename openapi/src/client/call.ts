import { filledPath } from "./client_path.ts";
import { fieldTexts, joined } from "./parameters.ts";
import type { WireRoute } from "./wire.ts";

/**
 * `fetch` options that a route does not determine: `signal`, `credentials`, `cache` and the rest.
 *
 * @example A call with a deadline
 * ```ts
 * import { type AnyResult, type CallOptions, makeClient } from "@sluice/openapi/client";
 *
 * const api = makeClient<{ get(path: string, options?: CallOptions): Promise<AnyResult> }>({}, {
 *   fetch: () => Response.json({ id: "7" }),
 * });
 * const { status } = await api.get("/notes/7", { signal: AbortSignal.timeout(1000) });
 * console.log(status); // 200
 * ```
 */
export type CallOptions = Omit<RequestInit, "body" | "headers" | "method">;

/**
 * A route's argument, from its row in the generated file. It is a conditional type because TypeScript would check an
 * argument of the type `Routes[Path]["call"]` against all routes first, which takes half of a check with many calls.
 *
 * @typeParam Route The route's row
 *
 * @example The argument for one route
 * ```ts
 * import type { CallOf, CallOptions } from "@sluice/openapi/client";
 *
 * interface GetRoutes {
 *   "/notes/:id": { call: CallOptions & { params: { id: string } }; result: unknown };
 * }
 * const call: CallOf<GetRoutes["/notes/:id"]> = { params: { id: "7" } };
 * ```
 */
export type CallOf<Route> = [Route] extends [{ call: infer Argument }] ? Argument : never;

/** A call as seen by the runtime; the generated types define which parts a route accepts. */
export interface Call extends CallOptions {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly cookies?: Readonly<Record<string, unknown>>;
  readonly json?: unknown;
  readonly form?: Readonly<Record<string, unknown>>;
  readonly urlencoded?: Readonly<Record<string, unknown>>;
  readonly body?: BodyInit;
  readonly contentType?: string;
}

/**
 * Creates the request for a call.
 *
 * @param origin The application's address, with any prefix that all paths share
 * @param method Its method in lower case
 * @param path Its path, in route syntax
 * @param call The data to send
 * @param wire How to send it, where that differs from the default
 * @param common Headers for all requests; the call's own replace them
 * @throws {TypeError} If a path parameter is missing
 */
export function requestOf(
  origin: string,
  method: string,
  path: string,
  { params = {}, query = {}, headers = {}, cookies, json, form, urlencoded, body, contentType, ...init }: Call,
  { styles = {}, type }: WireRoute,
  common: HeadersInit | undefined,
): Request {
  const texts = (part: string, fields: Readonly<Record<string, unknown>>): string[] =>
    Object.entries(fields).flatMap(([name, value]) => fieldTexts(name, value, styles[`${part}.${name}`]));
  const written = texts("query", query).join("&");
  const target = filledPath(path, params, (name) => styles[`params.${name}`]);
  // asks for JSON errors from servers that otherwise respond with HTML
  const all = new Headers({ accept: "application/json, */*;q=0.5" });
  new Headers(common).forEach((value, name) => all.set(name, value));
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && value !== null) all.set(name, joined(value, styles[`headers.${name}`] === "simple*"));
  }
  const pairs = texts("cookies", cookies ?? {});
  if (pairs.length > 0) all.set("cookie", [all.get("cookie") ?? [], pairs].flat().join("; "));
  let content: BodyInit | undefined;
  if (json !== undefined) {
    content = JSON.stringify(json);
    if (!all.has("content-type")) all.set("content-type", type?.endsWith("+json") ? type : "application/json");
  } else if (form !== undefined) content = formOf(form);
  else if (urlencoded !== undefined) {
    content = texts("body", urlencoded).join("&");
    all.set("content-type", "application/x-www-form-urlencoded");
  } else if (body !== undefined) {
    content = body;
    const named = contentType ?? type;
    if (named !== undefined) all.set("content-type", named);
  }
  const isStream = content instanceof ReadableStream;
  return new Request(`${origin}${target}${written === "" ? "" : `?${written}`}`, {
    ...init,
    method: method.toUpperCase(),
    headers: all,
    ...content === undefined ? {} : { body: content },
    // fetch requires this to send a body before reading the response
    ...isStream ? { duplex: "half" } : {},
  } as RequestInit);
}

/** Arrays become repeated fields, files stay files, and objects become JSON parts. */
function formOf(fields: Readonly<Record<string, unknown>>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one === undefined || one === null) continue;
      if (one instanceof Blob) form.append(name, one);
      else if (typeof one !== "object") form.append(name, String(one));
      else form.append(name, new Blob([JSON.stringify(one)], { type: "application/json" }));
    }
  }
  return form;
}
