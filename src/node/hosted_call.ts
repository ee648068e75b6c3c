import type { IncomingMessage, ServerResponse } from "node:http";
import { type Exchange, exchangeKey } from "../exchange/exchange.ts";
import type { FrameworkRequest } from "../request/framework_request.ts";
import type { HeaderRecord } from "../request/node/header_record.ts";
import { targetOfUrl } from "../exchange/target.ts";
import type { FrameworkResponse } from "../response/framework_response.ts";
import { NodeCall } from "./node_call.ts";
import type { NodeNext } from "./node_info.ts";
import { profileKey } from "../exchange/app_profile.ts";
import { copyRequestBack, copyResponseBack, shareRequest, shareResponse, showToAgents } from "./shared_properties.ts";

/** A response as Node's server and Express deliver it. */
interface NodeOutgoing extends ServerResponse {
  /** Values for this request's views, in Express. */
  locals?: Record<string, unknown>;
}

const NONE: readonly string[] = [];

/**
 * A request that other code handled before the application, and may get back: from Express, from your own Node server,
 * or from a different listener on the application's server.
 */
export class HostedCall extends NodeCall {
  readonly #next: NodeNext | undefined;
  #inFront: readonly string[] = NONE;
  /** The target's version on entry, to detect that the application has rewritten the URL or the method. */
  #version = 0;

  /**
   * @param req Node's request
   * @param res Node's response
   * @param next The server's next handler, if any
   */
  constructor(req: IncomingMessage, res: ServerResponse, next?: NodeNext) {
    super(req, res, next !== undefined);
    this.#next = next;
  }

  /** Enters at the current Express mount, with the parsed body, and the properties and headers set by middleware. */
  override enter(exchange: Exchange, req: FrameworkRequest, res: FrameworkResponse): void {
    super.enter(exchange, req, res);
    const { originalUrl, baseUrl = "", url = "/", body } = this.req;
    // middleware in front may have rewritten the URL
    const rewritten = originalUrl === undefined ? undefined : baseUrl + belowMount(url);
    if (rewritten !== undefined && rewritten !== exchange.target.originalUrl) exchange.target.url = rewritten;
    if (baseUrl !== "") exchange.target.consume(baseUrl.length);
    this.#version = exchange.target.version;
    if (body !== undefined) req.body = body;
    shareRequest(this.req, req);
    shareResponse(this.res, res, () => this.#handOver(res));
    // in Express, they are the same objects; over HTTP/2, agents track the stream
    const isShown = exchange.app[profileKey] !== null && !this.takesOver && this.req.httpVersionMajor < 2;
    if (isShown) showToAgents(this.req, this.res, req, res);
    const { locals } = this.res as NodeOutgoing;
    if (locals !== undefined) res.locals = locals;
    if (this.req.httpVersionMajor < 2) {
      // Express's object, which earlier middleware may have modified; but not with HTTP/2's pseudo-headers
      req.headers = this.req.headers as HeaderRecord;
      // over HTTP/2, reading it causes a warning
      if (this.res.statusMessage) res.statusMessage = this.res.statusMessage;
    }
    if (this.res.statusCode !== 200) res.statusCode = this.res.statusCode;
    const names = this.res.getHeaderNames();
    if (names.length > 0) this.#inFront = names;
    for (const name of names) {
      const value = this.res.getHeader(name)!;
      res.setHeader(name, Array.isArray(value) ? [...value] : value);
    }
  }

  /**
   * Continues with the server's next handler, which gets the status and headers set so far, the parsed body, the
   * properties that middleware added to the request, and the rewritten URL and method.
   */
  override leave(error: unknown): boolean {
    const { req, res, response } = this;
    if (this.#next === undefined || response === null || response.headersSent) return false;
    const exchange = response[exchangeKey];
    const { target } = exchange;
    if (target.version !== this.#version) {
      req.originalUrl ??= target.originalUrl;
      [req.url, req.method] = [target.url, target.method];
    }
    const asked = response.req;
    if (asked.body !== undefined) req.body = asked.body;
    copyRequestBack(asked, req);
    copyResponseBack(response, res);
    (res as NodeOutgoing).locals = response.locals;
    this.#handOver(response);
    // before the disconnect watch, which would treat any foreign response as a disconnect
    res.prependOnceListener(
      "close",
      () => res.writableFinished ? exchange.finish() : exchange.abort(),
    );
    this.#next(error);
    return true;
  }

  // Copies the status, its reason phrase and the headers set so far by the application to Node's response.
  #handOver(response: FrameworkResponse): void {
    const { res } = this;
    if (response.headersSent || res.headersSent) return;
    res.statusCode = response.statusCode;
    if (response.statusMessage !== "") res.statusMessage = response.statusMessage;
    this.dropRemoved((name) => response.hasHeader(name));
    const headers = Object.entries(response.getHeaders());
    for (const [name, value] of headers) res.setHeader(name, value as string | string[]);
    // the application may still remove these headers
    this.#inFront = [...new Set([...this.#inFront, ...headers.map(([name]) => name)])];
  }

  /**
   * Removes headers that were set before the application ran and that it has removed. Headers added since then are
   * kept, because they come from other code, such as a closing server's `Connection: close`.
   *
   * @param isKept Returns whether a header is still set
   */
  override dropRemoved(isKept: (name: string) => boolean): void {
    for (const name of this.#inFront) if (!isKept(name)) this.res.removeHeader(name);
  }
}

// Express keeps an absolute URL's host, and a fragment, on the URL below a mount, but matches neither
function belowMount(url: string): string {
  return url.startsWith("/") || url.includes("://") ? targetOfUrl(url) : url;
}
