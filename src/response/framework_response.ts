import { asciiLowerCase } from "../util/ascii.ts";
import { create as contentDisposition } from "content-disposition";
import { encodeUrl } from "encodeurl";
import { isDeveloped, warnInDevelopment } from "../util/development_warning.ts";
import { describe } from "../util/error_text.ts";
import { escapeHtml } from "../util/escape_html.ts";
import { baseName, extensionOf } from "../util/file_paths.ts";
import { appendVary, headerKey } from "../http/header_values.ts";
import { HttpError } from "../http/http_error.ts";
import { assignIfDerived, makeAssignable } from "../util/assignable.ts";
import { originalKey, originalOf } from "../util/original_object.ts";
import { contentTypeOf, offeredMediaType } from "../http/media_types.ts";
import { statusMessage, statusText } from "../http/status_text.ts";
import type { AppLike, RenderCallback } from "../exchange/app_like.ts";
import { appOf, given, ownAppKey, ownAppOf } from "../exchange/derived_object.ts";
import { type Exchange, exchangeFor, exchangeKey, exchangeOf } from "../exchange/exchange.ts";
import type { FrameworkRequest } from "../request/framework_request.ts";
import { callGuarded } from "../exchange/call_guarded.ts";
import type { RuntimeSupport } from "../exchange/runtime_support.ts";
import type { Any } from "../util/any.ts";
import { defaultApp } from "../exchange/default_app.ts";
import { chunkBytes } from "../util/chunk_bytes.ts";
import { HTML, JSON_PLAIN, JSON_UTF8, withUtf8Charset } from "./web/content_type.ts";
import { jsonText } from "./json_text.ts";
import { mayHaveContent } from "./web/framing.ts";
import { headerText, type HeaderValue } from "./web/outgoing_headers.ts";
import { assertOpen, outgoingKey } from "./node/header_methods.ts";
import {
  bodyFailedKey,
  endWholeKey,
  handOverKey,
  isPatched,
  OutgoingMessage,
  passOnKey,
  streamKey,
} from "./node/outgoing_message.ts";
import { ResponseState, responseStateKey } from "./node/response_state.ts";
import { absolutePath, sendFile, type SendFileCallback, type SendFileOptions } from "./files/send_file.ts";
import { type CookieOptions, formatSetCookie, misspeltAttributes, signCookie } from "./set_cookie.ts";
import { ContextChunks, isBodySource } from "./web/streamed_body.ts";
import { assertSendable, assertUnlocked } from "./web/sendable.ts";
import { watchedBody } from "./web/watched_body.ts";
import { asFetched, copyOf, textResponse } from "./web/web_response.ts";
import { runtimeKey } from "../util/runtime_key.ts";

/** Handlers for `res.format` by media type or extension; `default` is called if none is acceptable. */
export type FormatHandlers = Record<
  string,
  (req: FrameworkRequest, res: FrameworkResponse, next: (error?: unknown) => void) => unknown
>;

/**
 * Any body that `res.send` accepts: a string, bytes, a `Blob`, a stream of strings or bytes, or any JSON value. Typed
 * as any, as in Express: programs send values that they caught, and wrappers around `res.send` inspect their argument.
 */
export type SendBody = Any;

/** Extra properties that your middleware attaches to responses; declare them like `RequestExtras`. */
// deno-lint-ignore no-empty-interface -- programs augment it
export interface ResponseExtras {}

/** Methods set by common middleware, unless {@linkcode ResponseExtras} declares them. */
export interface CommonResponseExtras {
  /** Sends what has been written so far, set by `compress` or compression where responses can be compressed. */
  flush?(): void;
}

/** Key of the method that responds with one of the framework's own pages. */
export const pageKey: unique symbol = Symbol("sluice.page");

/** Key of the flag that is set while no header was set and no method replaced. */
export const untouchedKey: unique symbol = Symbol("sluice.untouched");

/** Key of the state, created unless the response is sent at once. */
const begunKey: unique symbol = Symbol("begun");

/** Key of the body, if it was sent without creating a state. */
const sentKey: unique symbol = Symbol("sent");

/** Key of `res.locals`. */
const localsKey: unique symbol = Symbol("locals");

/** Values that a program keeps in every response's `res.locals`; declare them like `RequestExtras`. */
// deno-lint-ignore no-empty-interface -- programs augment it
export interface Locals {}

/**
 * Type of `res.locals`, including the values declared for every response. If none are declared, editors show the type
 * argument alone.
 *
 * @internal
 */
export type LocalsOf<L> = [keyof Locals] extends [never] ? L : L & Locals;

/** Express's response, with the properties that middleware attaches, as declared in {@linkcode ResponseExtras}. */
export interface FrameworkResponse<L extends Record<string, Any> = Record<string, Any>>
  extends ResponseExtras, Omit<CommonResponseExtras, keyof ResponseExtras> {}

/**
 * Express's response: every method of Express 5 on top of Node's, producing one web `Response`.
 *
 * @typeParam L Type of `res.locals`
 *
 * @example Status, header, cookie and body
 * ```ts
 * import sluice from "@sluice/sluice";
 *
 * const app = sluice();
 * app.post("/notes", (_req, res) => {
 *   res.status(201).set("Location", "/notes/7").cookie("last", "7", { httpOnly: true }).json({ id: 7 });
 * });
 *
 * const response = await app.inject("/notes", { method: "POST" });
 * console.log(response.status, response.headers.get("location")); // 201 /notes/7
 * ```
 */
export class FrameworkResponse<L extends Record<string, Any> = Record<string, Any>> extends OutgoingMessage {
  /**
   * The response itself.
   *
   * @internal
   */
  override readonly [originalKey]: object = this;
  /**
   * The exchange, for internal use. Not a private field, because derived responses and proxies only have its
   * properties.
   *
   * @internal
   */
  readonly [exchangeKey]: Exchange;
  private [begunKey]: ResponseState | null = null;
  /**
   * The application whose `response` served as the prototype.
   *
   * @internal
   */
  declare readonly [ownAppKey]?: AppLike;
  private [sentKey]: string | undefined = undefined;
  private [localsKey]: LocalsOf<L> | undefined = undefined;

  /** Status of the response. */
  statusCode = 200;

  /** The request for this response. */
  declare req: FrameworkRequest;

  static {
    // for objects created from the prototype
    Object.assign(this.prototype, { statusCode: 200, [begunKey]: null });
  }

  /**
   * Wraps an exchange; the framework does this for every request.
   *
   * @param exchange The response's exchange
   * @param req The exchange's request
   *
   * @internal
   */
  constructor(exchange: Exchange, req: FrameworkRequest) {
    super();
    this[exchangeKey] = exchange;
    this.req = req;
  }

  /**
   * The response's state.
   *
   * @internal
   */
  get [responseStateKey](): ResponseState {
    return this[begunKey] ?? begin(originalOf(this));
  }

  /** Whether the status and headers have been sent and can no longer change. */
  get headersSent(): boolean {
    const { [sentKey]: sent, [begunKey]: state } = originalOf<AnyResponse>(this);
    return sent !== undefined || (state?.sentStatus ?? 0) !== 0;
  }

  /**
   * Whether no header was set and no method replaced, which permits shortcuts.
   *
   * @internal
   */
  get [untouchedKey](): boolean {
    return (originalOf<AnyResponse>(this)[begunKey]?.bare ?? true) && !isPatched(this);
  }

  /** The application that is handling the request. */
  get app(): AppLike {
    return exchangeOf(this)?.app ?? ownAppOf(this) as AppLike;
  }

  /** Values for the views rendered for this request. */
  get locals(): LocalsOf<L> {
    if (exchangeOf(this) === null) return undefined as unknown as LocalsOf<L>;
    return originalOf(this)[localsKey] ??= Object.create(null) as LocalsOf<L>;
  }

  set locals(value: LocalsOf<L>) {
    if (!assignIfDerived(this, "locals", value)) originalOf(this)[localsKey] = value;
  }

  /**
   * Sets the status.
   *
   * @param code 100 to 999; a web response can carry 200 to 599
   * @throws {TypeError} If the code is not an integer
   * @throws {RangeError} If the code is outside 100 to 999
   *
   * @example A status and a body
   * ```ts
   * import sluice from "@sluice/sluice";
   *
   * const app = sluice();
   * app.post("/notes", (_req, res) => res.status(201).json({ id: 7 }));
   * ```
   */
  status(code: number): this {
    if (!Number.isInteger(code)) {
      throw new TypeError(
        `Invalid status code: ${
          typeof code === "bigint" ? `${code}n` : JSON.stringify(code)
        }. res.status expects an integer.`,
      );
    }
    if (code < 100 || code > 999) {
      throw new RangeError(`Invalid status code: ${code}. res.status expects a number from 100 to 999.`);
    }
    this.statusCode = code;
    return this;
  }

  /** Responds with a status and its reason phrase as the body. */
  sendStatus(code: number): this {
    this.status(code).type("txt");
    return this.send(statusMessage(code));
  }

  /**
   * Responds with a body: strings as HTML; bytes, a `Blob` or a stream as they are; anything else as JSON.
   *
   * Sets a content type if there is none, and an ETag. Responds with a 304 if the client's cached copy is still valid.
   *
   * @param body The body
   * @throws {Error} If the response has already been sent (`ERR_HTTP_HEADERS_SENT`)
   * @throws {TypeError} If the body is a function or a symbol
   *
   * @example A string and a stream
   * ```ts
   * import sluice from "@sluice/sluice";
   *
   * const app = sluice();
   * app.get("/text", (_req, res) => res.type("text").send("Hello"));
   * app.get("/stream", (_req, res) => res.send(new Blob(["Hello"]).stream()));
   * ```
   */
  send(body?: SendBody): this {
    return typeof body === "string" && respondsAtOnce(this) && sendTextAtOnce(this, body, HTML)
      ? this
      : sendAny(this, body);
  }

  /**
   * Responds with a value as JSON, according to the `json replacer`, `json spaces`, `json escape` and `json charset`
   * settings.
   *
   * @param value Any value that JSON can represent
   * @throws {Error} If the response has already been sent (`ERR_HTTP_HEADERS_SENT`)
   *
   * @example A value
   * ```ts
   * import sluice from "@sluice/sluice";
   *
   * const app = sluice();
   * app.get("/users/:id", (req, res) => res.json({ id: req.params.id, name: "Ann" }));
   * ```
   */
  json(value?: Any): this {
    return respondsAtOnce(this) && sendJsonAtOnce(this, value) ? this : sendJson(this, value);
  }

  /**
   * Responds with JSON wrapped in a call to the function in the query parameter that `jsonp callback name` sets.
   *
   * @param value Any value that JSON can represent
   */
  jsonp(value?: Any): this {
    assertOpen(this, "res.jsonp");
    const app = appOf(this, "res.jsonp");
    let text = jsonText(value, app);
    const named = given(this.req, "res.jsonp", "res.req").query[app.get("jsonp callback name")];
    const callback = Array.isArray(named) ? named[0] : named;
    if (givenType(this) === undefined) {
      this.setHeader("X-Content-Type-Options", "nosniff");
      giveType(this, JSON_UTF8);
    }
    if (typeof callback === "string" && callback !== "") {
      this.setHeader("X-Content-Type-Options", "nosniff");
      giveType(this, "text/javascript");
      // line separators are valid in JSON but were once invalid in JavaScript; the comment prevents "Rosetta Flash"
      text = (text ?? "").replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
      const name = callback.replace(/[^\[\]\w$.]/g, "");
      text = `/**/ typeof ${name} === 'function' && ${name}(${text});`;
    }
    return this.send(text);
  }

  /**
   * Responds with one of the framework's own pages if nothing has been set or sent yet.
   *
   * @param response The web response, with a status other than 200
   * @param text Its body
   *
   * @internal
   */
  [pageKey](response: Response, text: string): void {
    exchangeFor(this, "res.send");
    this.statusCode = response.status;
    sendAtOnce(this, response, text);
  }

  /**
   * Responds with a web `Response` returned by a handler. Headers set earlier, such as CORS headers or cookies, are
   * kept unless the response has its own.
   *
   * @param returned The response
   * @throws {TypeError} If it cannot be sent, because its body was used or is being read, or its status is 0
   */
  respondWith(returned: Response): void {
    assertOpen(this, "returning a Response");
    const untouched = this[untouchedKey];
    // srvx's class on Node adds the body's content type only when `body` is read
    if (Object.getPrototypeOf(returned) !== Response.prototype) void returned.body;
    const { app, target } = exchangeFor(this, "returning a Response");
    assertSendable(returned, target.request);
    const response = app[runtimeKey].keepsCoding ? asFetched(returned) : returned;
    if (response.status === 101) return this[passOnKey](untouched ? response : upgradeWithHeaders(this, response));
    if (mayHandOver(this, response)) {
      const body = watchedBody(response, app[runtimeKey], (error) => this[bodyFailedKey](error));
      if (body === null && untouched) return this[passOnKey](response);
      // a copy, because a handler may return the same object to several clients, and their cookies must not mix
      return this[passOnKey](addHeaders(this, body === null ? copyOf(response, app) : new Response(body, response)));
    }
    // first, because on Bun reading the body discards a string's content type
    const given = [...response.headers];
    const { body } = response;
    assertUnlocked(body);
    // the handler's headers win; cookies from both are sent
    for (const [name, value] of given) {
      if (name === "set-cookie") this.appendHeader(name, value);
      else this.setHeader(name, value);
    }
    const isCoded = response.headers.has("content-encoding");
    if (isCoded) this[outgoingKey].coded = response;
    // Workers' fetch and HTMLRewriter keep the old length after changing a body
    const isOther = isCoded || this.get("Content-Type")?.startsWith("text/html");
    if (isOther && app[runtimeKey].sized) this.removeHeader("Content-Length");
    this.statusCode = response.status;
    this.statusMessage = response.statusText;
    if (body === null) this.end();
    else this[streamKey](body);
  }

  /**
   * Sets headers; a `Content-Type` gets its type's default charset.
   *
   * @param field Header name, or an object of names and values
   * @param value A value, or a list of values for several header lines
   * @throws {TypeError} If a name or value is not allowed, or the content type is a list
   *
   * @example One header, and several
   * ```ts
   * import sluice from "@sluice/sluice";
   *
   * const app = sluice();
   * app.get("/", (_req, res) => {
   *   res.set("Cache-Control", "no-store");
   *   res.set({ "Content-Type": "text/plain", "X-Served-By": "Sluice" });
   *   res.send("hello");
   * });
   * ```
   */
  set(field: string | Record<string, Any>, value?: HeaderValue | boolean): this {
    if (typeof field !== "string") {
      if (value !== undefined) throw new TypeError(`res.set expects a header name as a string, not ${describe(field)}`);
      for (const name of Object.keys(field ?? {})) this.set(name, field[name]);
      return this;
    }
    // `res.header("X-Request-Id")` was probably meant to read the header, as on a request
    if (value === undefined && arguments.length === 1) {
      throw new TypeError(`res.set needs a value for ${describe(field)}; res.get reads a header`);
    }
    const text = Array.isArray(value) ? value.map(String) : String(value);
    // a replaced or mocked setHeader need not return anything
    if (headerKey(field) !== "content-type") {
      this.setHeader(field, text);
      return this;
    }
    if (Array.isArray(text)) throw new TypeError("Content-Type cannot be set to an Array");
    const type = contentTypeOf(text);
    // if the value is not a type, such as null from a missing upstream header, send and json choose one
    if (type === undefined) this.removeHeader(field);
    else this.setHeader(field, type);
    return this;
  }

  /** Sets headers; the same as {@linkcode FrameworkResponse.set}. */
  header(field: string | Record<string, Any>, value?: HeaderValue | boolean): this {
    return arguments.length === 1 ? this.set(field) : this.set(field, value);
  }

  /** Reads a header; `undefined` if not set. Typed as in Express, because nearly all headers are strings. */
  get(field: string): string | undefined {
    return this.getHeader(field) as string | undefined;
  }

  /**
   * Adds values to a header.
   *
   * @throws {TypeError} If the name is not a string, or the name or a value is not allowed
   */
  append(field: string, value: string | string[] | undefined): this {
    if (typeof field !== "string") {
      throw new TypeError(`res.append expects a header name as a string, not ${describe(field)}`);
    }
    const earlier = this.getHeader(field);
    if (!earlier) return this.set(field, value);
    const before = Array.isArray(earlier) ? earlier : [String(earlier)];
    return this.set(field, before.concat(Array.isArray(value) ? value : String(value)));
  }

  /**
   * Sets the content type from an extension (`json`), file name or full type.
   *
   * @throws {TypeError} If the type is not a string
   */
  type(type: string): this {
    if (typeof type !== "string") {
      throw new TypeError(`res.type expects a media type or extension as a string, not ${typeof type}`);
    }
    return this.set("Content-Type", type.includes("/") ? type : contentTypeOf(type) ?? "application/octet-stream");
  }

  /** Sets the content type; the same as {@linkcode FrameworkResponse.type}. */
  contentType(type: string): this {
    return this.type(type);
  }

  /**
   * Adds a field to `Vary`.
   *
   * @throws {TypeError} If a field is not a header name
   */
  vary(field: string | readonly string[]): this {
    if (!field) throw new TypeError("field argument is required to res.vary");
    if (typeof field !== "string" && !Array.isArray(field)) {
      throw new TypeError(`res.vary expects a header name or a list of them, not ${describe(field)}`);
    }
    if (field.length === 0) return this;
    this.setHeader("Vary", appendVary(headerText(this.getHeader("Vary")), field));
    return this;
  }

  /**
   * Adds links with their relations to the `Link` header (RFC 8288).
   *
   * @throws {TypeError} If the links are not an object
   */
  links(links: Record<string, string | readonly string[]>): this {
    if (typeof links !== "object" || links === null) {
      throw new TypeError(`res.links expects an object of relations and URLs, not ${describe(links)}`);
    }
    const earlier = headerText(this.getHeader("Link"));
    const added = Object.entries(links).flatMap(([rel, urls]) => [urls].flat().map((url) => `<${url}>; rel="${rel}"`));
    return this.set("Link", (earlier === "" ? added : [earlier, ...added]).join(", "));
  }

  /** Sets `Location`, percent-encoding characters that a URL must not contain. */
  location(url: string | URL): this {
    if (url === "back") adviseOn(this, () => [BACK]);
    return this.set("Location", encodeUrl(String(url)));
  }

  /**
   * Redirects, with a short body in the type that the client prefers.
   *
   * @param status Status, 302 by default
   * @param url Target URL; percent-encoded as needed
   * @throws {TypeError} If the URL is missing, or neither a string nor a `URL`
   *
   * @example After a form
   * ```ts
   * import sluice from "@sluice/sluice";
   *
   * const app = sluice();
   * app.post("/notes", (_req, res) => res.redirect(303, "/notes/7"));
   * ```
   */
  redirect(status: number, url: string | URL): void;
  /** Redirects with status 302. */
  redirect(url: string | URL): void;
  redirect(first: number | string | URL, second?: string | URL): void {
    assertOpen(this, "res.redirect");
    const status = second === undefined ? 302 : first as number;
    const target = second === undefined ? first : second;
    if (typeof target !== "string" && !(target instanceof URL)) {
      const url = typeof first === "number" ? second : target;
      throw new TypeError(`res.redirect([status,] url) expects the URL as a string, not ${describe(url)}`);
    }
    const address = this.location(target).get("Location") as string;
    const text = statusMessage(status);
    let body = "";
    this.format({
      text: () => body = `${text}. Redirecting to ${address}`,
      html: () =>
        body = `<!DOCTYPE html><head><title>${text}</title></head>` +
          `<body><p>${text}. Redirecting to ${escapeHtml(address)}</p></body>`,
      default: () => body = "",
    });
    this.status(status);
    this[endWholeKey](body, true);
  }

  /**
   * Calls the handler whose type the client prefers; if none is acceptable, passes a 406 error to the error handlers.
   *
   * @param handlers Handlers by media type or extension
   * @throws {TypeError} If a handler is not a function
   *
   * @example JSON or HTML, as the client prefers
   * ```ts
   * import sluice from "@sluice/sluice";
   *
   * const app = sluice();
   * app.get("/", (_req, res) =>
   *   res.format({
   *     json: () => res.json({ greeting: "Hello" }),
   *     html: () => res.send("<p>Hello</p>"),
   *   }));
   * ```
   */
  format(handlers: FormatHandlers): this {
    const req = given(this.req, "res.format", "res.req");
    if (typeof handlers !== "object" || handlers === null) {
      throw new TypeError(`res.format expects an object of types and handlers, not ${describe(handlers)}`);
    }
    for (const [type, handler] of Object.entries(handlers)) {
      if (typeof handler === "function") continue;
      throw new TypeError(`res.format: handler "${type}" must be a function, not ${typeof handler}`);
    }
    const offered = Object.keys(handlers).filter((type) => type !== "default");
    const best = offered.length > 0 ? req.accepts(offered) : false;
    this.vary("Accept");
    if (typeof best === "string") {
      this.set("Content-Type", offeredMediaType(best));
      handlers[best]!(req, this as FrameworkResponse, req.next);
    } else if (handlers["default"] !== undefined) {
      handlers["default"](req, this as FrameworkResponse, req.next);
    } else {
      req.next(new HttpError(406, undefined, { types: offered.map(offeredMediaType) }));
    }
    return this;
  }

  /**
   * Sets a cookie; objects are sent as JSON, prefixed with `j:`.
   *
   * @throws {TypeError} If the name, value or an option is invalid
   * @throws {Error} If it must be signed but `req.secret` is missing
   *
   * @example A cookie for a day
   * ```ts
   * import sluice from "@sluice/sluice";
   *
   * const app = sluice();
   * app.get("/theme/:name", (req, res) => {
   *   res.cookie("theme", req.params.name, { maxAge: 24 * 3600 * 1000, httpOnly: true }).sendStatus(204);
   * });
   * ```
   */
  cookie(name: string, value: unknown, options?: CookieOptions | null): this {
    if (typeof name !== "string") throw new TypeError(`res.cookie expects a name as a string, not ${String(name)}`);
    if (options) adviseOn(this, () => misspeltAttributes(options));
    const text = typeof value === "object" ? "j:" + JSON.stringify(value) : String(value);
    const signed = options?.signed ? sign(this, text) : text;
    return this.append("Set-Cookie", formatSetCookie(name, signed, options ?? {}, Date.now()));
  }

  /** Makes the client delete a cookie. */
  clearCookie(name: string, options?: CookieOptions | null): this {
    const { maxAge: _, ...rest } = options ?? {};
    return this.cookie(name, "", { path: "/", ...rest, expires: new Date(1) });
  }

  /**
   * Marks the response as a download, with an optional file name.
   *
   * @throws {TypeError} If the name is not a string
   */
  attachment(filename?: string): this {
    if (filename !== undefined && typeof filename !== "string") {
      throw new TypeError(`res.attachment expects a name as a string, not ${typeof filename}`);
    }
    const separator = supportOf(this).separator();
    const name = filename === undefined ? undefined : baseName(filename, separator);
    if (name !== undefined && name !== "") this.type(extensionOf(name, separator));
    return this.set("Content-Disposition", contentDisposition(name));
  }

  /**
   * Responds with a file. Handles ranges, conditional requests, content type and cache headers.
   *
   * @param path Absolute path, or relative to `options.root`
   * @param options How to serve it
   * @param callback Called when the transfer ends or fails; without it, errors go to the error handlers
   * @throws {TypeError} If the path is missing, relative without a root, or the options are not an object
   *
   * @example A file below a folder
   * ```ts
   * import sluice from "@sluice/sluice";
   *
   * const app = sluice();
   * app.get("/files/*path", (req, res) => res.sendFile(req.params.path.join("/"), { root: "/srv/files" }));
   * ```
   */
  sendFile(path: string, options?: SendFileOptions | SendFileCallback, callback?: SendFileCallback): void {
    if (typeof options === "function") return this.sendFile(path, {}, options);
    sendFile(this, path, options || {}, callback);
  }

  /**
   * Responds with a file as a download.
   *
   * @param path The file
   * @param filename Suggested file name; the file's own by default
   * @param options How to serve it
   * @param callback Called when the transfer ends or fails
   * @throws {TypeError} If the path or the file name is not a string
   */
  download(
    path: string,
    filename?: string | null | SendFileOptions | SendFileCallback,
    options?: SendFileOptions | SendFileCallback,
    callback?: SendFileCallback,
  ): void {
    if (typeof filename === "function") return this.download(path, null, {}, filename);
    if (typeof options === "function") {
      return typeof filename === "object" && filename !== null
        ? this.download(path, null, filename, options)
        : this.download(path, filename, {}, options);
    }
    if (typeof filename === "object" && filename !== null) return this.download(path, null, filename, callback);
    if (typeof path !== "string") throw new TypeError(`res.download expects a path as a string, not ${typeof path}`);
    if (filename && typeof filename !== "string") {
      throw new TypeError(`res.download expects a file name as a string, not ${describe(filename)}`);
    }
    const headers: Record<string, HeaderValue | boolean> = {};
    for (const [name, value] of Object.entries(options?.headers ?? {})) {
      if (asciiLowerCase(name) !== "content-disposition") headers[name] = value;
    }
    headers["Content-Disposition"] = contentDisposition(
      baseName(filename || path, supportOf(this).separator()),
    );
    const located = options?.root === undefined ? absolutePath(this, path) : path;
    this.sendFile(located, { ...options, headers }, callback);
  }

  /**
   * Renders a view and responds with it.
   *
   * @param view Name of the view
   * @param options Values for the view; they override `res.locals` and `app.locals`
   * @param callback Receives the rendered string, which is then not sent; errors it throws go to the error handlers
   */
  render(view: string, options?: object | RenderCallback, callback?: RenderCallback): void {
    if (typeof options === "function") return this.render(view, {}, options as RenderCallback);
    const values = { ...options, _locals: this.locals };
    // without `next`, the request is over: the handler has already passed it on
    const fail = (error: unknown): void =>
      this.req.next ? this.req.next(error) : this.app.reportError(error, { req: this.req, phase: "view" });
    const respond: RenderCallback = (error, html) => {
      if (error) return fail(error);
      try {
        this.send(html);
      } catch (late) {
        fail(late);
      }
    };
    // errors thrown by the callback go the same way; on Node, they would crash the process
    const own: RenderCallback = (error, html) =>
      callGuarded({ reportError: fail }, { phase: "view" }, () => callback!(error, html));
    appOf(this, "res.render").render(view, values, typeof callback === "function" ? own : callback ?? respond);
  }
}

/** Any response. */
type AnyResponse = FrameworkResponse<Any>;

function begin(res: AnyResponse): ResponseState {
  // a copy does not see state created after it
  if (res[begunKey] !== null) return res[begunKey];
  const state = res[begunKey] = new ResponseState();
  if (res[sentKey] !== undefined) state.sent(res[sentKey], res[exchangeKey].response!.status);
  return state;
}

// shortcuts and the code they bypass are separate functions, because engines inline only small ones
function sendAny<R extends AnyResponse>(res: R, body: SendBody): R {
  assertOpen(res, "res.send");
  if (typeof body === "string") {
    const type = givenType(res);
    giveType(res, type === undefined ? HTML : withUtf8Charset(type));
    return sendWhole(res, body);
  }
  if (body === undefined || body === null) return sendWhole(res, body === null ? "" : undefined);
  if (ArrayBuffer.isView(body) || body instanceof ArrayBuffer) {
    if (givenType(res) === undefined) giveType(res, "application/octet-stream");
    return sendWhole(res, chunkBytes("res.send", body));
  }
  if (body instanceof Blob) return sendBlob(res, body);
  if (typeof body === "object" && isBodySource(body)) {
    res[streamKey](new ContextChunks(body));
    return res;
  }
  if (typeof body === "function" || typeof body === "symbol") {
    throw new TypeError(`res.send expects a string, bytes or a JSON value, not a ${typeof body}`);
  }
  if (typeof body === "number") adviseOn(res, () => adviceOnStatus(body));
  return res.json(body);
}

function sendJson<R extends AnyResponse>(res: R, value: unknown): R {
  assertOpen(res, "res.json");
  const app = appOf(res, "res.json");
  const text = jsonText(value, app);
  const type = givenType(res);
  if (type === undefined) giveType(res, app.get("json charset") === false ? JSON_PLAIN : JSON_UTF8);
  else if (text !== undefined) giveType(res, withUtf8Charset(type));
  // if middleware replaced send, pass it the string; otherwise send has nothing to add
  if (res.send !== plainSend) return res.send(text);
  return sendWhole(res, text);
}

// a derived response, or one made by a test, may keep its headers elsewhere
function givenType(res: AnyResponse): string | undefined {
  return res[originalKey] === res ? res[responseStateKey].headers.contentType : res.get("Content-Type");
}

function givenHeader(res: AnyResponse, name: string): unknown {
  if (res[originalKey] !== res) return res.get(name);
  const state = res[begunKey];
  return state === null || state.bare ? undefined : state.headers.get(name);
}

// if middleware replaced res.set or res.setHeader, pass it the type
function giveType(res: AnyResponse, type: string): void {
  if (isDirect(res)) res[responseStateKey].headers.contentType = type;
  else res.set("Content-Type", type);
}

// whether headers are set without going through one of the program's methods
function isDirect(res: AnyResponse): boolean {
  return res[originalKey] === res && res.setHeader === plainSetHeader && res.set === plainSet;
}

// whether a body can become a web response directly: for a GET or POST, no replaced methods, no headers that describe
// it
function respondsAtOnce(res: AnyResponse): boolean {
  const state = res[begunKey];
  const { statusCode } = res;
  return res[originalKey] === res && res[sentKey] === undefined && (state === null || state.allowsBody) &&
    !isPatched(res) &&
    res.send === plainSend && res.set === plainSet && !res[exchangeKey].target.isHead &&
    (statusCode === 200 || (statusCode > 200 && statusCode <= 599 && mayHaveContent(statusCode)));
}

function sendJsonAtOnce(res: AnyResponse, value: unknown): boolean {
  const { app } = res[exchangeKey];
  const { settings } = app;
  const isPlain = settings["json charset"] === false;
  const isShaped = settings["json replacer"] || settings["json spaces"] || settings["json escape"];
  const text = isShaped ? jsonText(value, app) : JSON.stringify(value);
  return text !== undefined && sendTextAtOnce(res, text, isPlain ? JSON_PLAIN : JSON_UTF8);
}

function sendTextAtOnce(res: AnyResponse, body: string, type: string): boolean {
  const { app } = res[exchangeKey];
  const { settings } = app;
  const makeTag = settings["etag fn"];
  // a program's own function gets Buffers, and the client may have a fresh copy
  if (body === "" || (makeTag !== undefined && (makeTag === settings.etag || mayBeFresh(res)))) return false;
  const tag = makeTag?.(body, app[runtimeKey]);
  const headers = res[begunKey] === null || res[begunKey].bare ? null : res[begunKey].headers;
  sendAtOnce(res, textResponse(res[exchangeKey], res.statusCode, type, tag, headers, body), body);
  return true;
}

function mayBeFresh(res: AnyResponse): boolean {
  return res[exchangeKey].target.method !== "POST" && res.req.get("if-none-match") !== undefined;
}

function sendAtOnce(res: AnyResponse, response: Response, body: string): void {
  // first, because listeners for the end may read the response
  if (res[begunKey] === null) (res[originalKey] as AnyResponse)[sentKey] = body;
  else res[begunKey].sent(body, res.statusCode);
  if (!res[exchangeKey].settleWhole(response)) noteUnsent(res, response, body);
}

// this response is not the exchange's, which went to a disconnected client
function noteUnsent(res: AnyResponse, { headers }: Response, body: string): void {
  const state = res[responseStateKey];
  state.sent(body, res.statusCode);
  headers.forEach((value, name) => state.headers.set("res.send", name, value));
}

// the last step of send and json: compute an entity tag and check whether the client already has it
function sendWhole<R extends AnyResponse>(res: R, body: string | Uint8Array | undefined): R {
  const app = appOf(res, "res.send");
  const makeTag = app.get("etag fn");
  if (typeof makeTag === "function" && body !== undefined && givenHeader(res, "etag") === undefined) {
    const isTheirs = makeTag === app.get("etag");
    const tag = isTheirs ? makeTag(asBuffer(res, body)) : makeTag(body, supportOf(res));
    if (tag && (isTheirs || !isDirect(res))) res.set("ETag", tag);
    else if (tag) res[responseStateKey].headers.put("etag", tag);
  }
  if (mayBeNotModified(res, body) && res.req?.fresh) res.status(304);
  res[endWholeKey]((body ?? null) as string | Uint8Array<ArrayBuffer> | null);
  return res;
}

// Uses this object's status; the object may be derived from the one that `req.fresh` reads. Without a validator, no
// copy can be fresh, so the request's headers need not be read. Only `If-None-Match: *` needs no validator; it is
// checked where there is no body to compare.
function mayBeNotModified(res: AnyResponse, body: unknown): boolean {
  const { statusCode } = res;
  const isSuccess = (statusCode >= 200 && statusCode < 300) || statusCode === 304;
  return isSuccess && (body === undefined || givenHeader(res, "etag") !== undefined ||
    givenHeader(res, "last-modified") !== undefined);
}

// a response made by a test may have no application or a partial one
function supportOf(res: AnyResponse): RuntimeSupport {
  return (res.app as Partial<AppLike> | undefined)?.[runtimeKey] ?? defaultApp()[runtimeKey];
}

// a program's own etag function gets Buffers, even for strings, as in Express
function asBuffer(res: AnyResponse, body: string | Uint8Array): Uint8Array {
  return supportOf(res).nodeBytes(chunkBytes("res.send", body));
}

function sendBlob<R extends AnyResponse>(res: R, blob: Blob): R {
  res[responseStateKey].headers.contentType ??= blob.type || "application/octet-stream";
  res[handOverKey](blob);
  return res;
}

// The platform sends a one-piece body in one piece, twice as fast as our stream. But we cannot see whether a body is in
// one piece, and the platform does not report its end. So listeners for the end need our stream. Event streams also do,
// because they would outlive the application on some platforms. A body without a type may be endless, but may also be
// large and urgent: it is passed on as is, unless headers must be added anyway.
function mayHandOver(res: AnyResponse, { status, headers }: Response): boolean {
  const { headers: outgoing } = res[responseStateKey];
  if (isPatched(res) || outgoing.framed || outgoing.coded || res.req.method === "HEAD" || status < 200) return false;
  const type = headers.get("content-type");
  if (res[exchangeKey].hasListeners) return type !== null && type.startsWith("application/json");
  if (type === null ? res[untouchedKey] : !type.startsWith("text/event-stream")) return true;
  return !res[exchangeKey].app[runtimeKey].leavesStreams;
}

// the platform needs the very upgrade object that it created
function upgradeWithHeaders(res: AnyResponse, response: Response): Response {
  try {
    return addHeaders(res, response);
  } catch {
    // a Worker's responses from fetch have immutable headers; on Workers, a copy still upgrades
    return addHeaders(res, new Response(null, response));
  }
}

// adds headers that the response lacks, and puts cookies before its own
function addHeaders(res: AnyResponse, response: Response): Response {
  const { headers } = response;
  const { headers: outgoing } = res[responseStateKey];
  for (const name of outgoing.names()) {
    const values = [outgoing.get(name)!].flat();
    if (name === "set-cookie") {
      values.push(...headers.getSetCookie());
      headers.delete(name);
    } else if (headers.has(name)) continue;
    for (const value of values) headers.append(name, String(value));
  }
  return response;
}

// not through `res.app`, which objects created from the response prototype may lack
function adviseOn({ req }: AnyResponse, texts: () => string[]): void {
  const app = exchangeOf(req)?.app;
  if (isDeveloped(app)) { for (const text of texts()) warnInDevelopment(app, text); }
}

const BACK = 'res.redirect("back") goes to the relative URL "back"; in Express 4 it meant the previous page: write ' +
  'res.redirect(req.get("Referrer") || "/")';

function adviceOnStatus(body: number): string[] {
  if (statusText(body) === undefined) return [];
  return [
    `res.send(${body}) sends the number as JSON; in Express 4 it was the status: write res.sendStatus(${body})`,
  ];
}

function sign(res: AnyResponse, text: string): string {
  const { secret } = given(res.req, "res.cookie", "res.req");
  if (!secret) throw new Error('npm\'s cookieParser("secret") required for signed cookies');
  return "s:" + signCookie(text, secret);
}

// a plain field in Express, so a test may assign it
makeAssignable(FrameworkResponse.prototype, ["app"]);

// saved, because programs may replace them for all applications: express.response.send = …
const { send: plainSend, set: plainSet, setHeader: plainSetHeader } = FrameworkResponse.prototype;
