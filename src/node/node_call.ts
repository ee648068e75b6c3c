import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { type HostServer, hostServerKey } from "../dispatch/host_server.ts";
import type { Exchange } from "../exchange/exchange.ts";
import type { FrameworkRequest } from "../request/framework_request.ts";
import type { HeaderRecord } from "../request/node/header_record.ts";
import { targetOfUrl } from "../exchange/target.ts";
import { webRequestKey } from "../exchange/web_request.ts";
import type { FrameworkResponse } from "../response/framework_response.ts";
import { copyPropertiesBack, shareProperties } from "./shared_properties.ts";
import { IncomingRequest, type NodeIncoming } from "./incoming_request.ts";
import { NodeResponse } from "./node_response.ts";
import type { NodeInfo, NodeNext } from "./node_info.ts";

/** A response as Node's server and Express deliver it. */
interface NodeOutgoing extends ServerResponse {
  /** Values for the views of this request, in Express. */
  locals?: Record<string, unknown>;
}

/** A request that a Node server passes to an application, and gets back if the application has no response. */
export class NodeCall implements HostServer, NodeInfo {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly #request: IncomingRequest;
  readonly #next: NodeNext | undefined;
  #exchange: Exchange | null = null;
  #asked: FrameworkRequest | null = null;
  #response: FrameworkResponse | null = null;
  #inFront: readonly string[] = [];
  /** Version of the target on entry, to notice that the application has rewritten the URL or the method. */
  #version = 0;

  /**
   * @param req Node's request
   * @param res Node's response
   * @param next The server's next handler, if it has one
   */
  constructor(req: IncomingMessage, res: ServerResponse, next: NodeNext | undefined) {
    this.req = req;
    this.res = res;
    this.#next = next;
    this.#request = new IncomingRequest(req, res);
  }

  /** The web request. */
  get request(): Request {
    return this.#request[webRequestKey];
  }

  /** What stands for it as long as nobody has asked for it; only Sluice's own code may get that. */
  get standIn(): Request {
    return this.#request as unknown as Request;
  }

  /** Keeps the body for a later reader: with the response, Node discards a body that nobody has begun to read. */
  keepBody(): void {
    this.#request.keepBody();
  }

  isOf(request: Request): boolean {
    return this.#request.isOf(request);
  }

  get remoteAddr(): { hostname: string | undefined; port: number | undefined } {
    // a request that a test made up may have no socket
    const { remoteAddress, remotePort } = this.req.socket as Socket | null ?? {};
    return { hostname: remoteAddress, port: remotePort };
  }

  /** Itself. */
  get [hostServerKey](): this {
    return this;
  }

  /** Whether it has become a WebSocket, which gets no response. */
  get upgraded(): boolean {
    return false;
  }

  /** The application's response, once the application has begun. */
  get response(): FrameworkResponse | null {
    return this.#response;
  }

  /** Whether the application broke off before it had a response. */
  get isWithoutResponse(): boolean {
    return this.#exchange !== null && this.#exchange.isWithoutResponse;
  }

  /** Enters at the mount that Express has reached, with the parsed body, what middleware attached, and the headers set so far. */
  enter(exchange: Exchange, req: FrameworkRequest, res: FrameworkResponse): void {
    this.#exchange = exchange;
    this.#asked = req;
    this.#response = res;
    exchange.respond = NodeResponse.of;
    const { originalUrl, baseUrl = "", url = "/", body, httpVersion } = this.req as NodeIncoming;
    if (httpVersion !== "1.1") {
      const { httpVersionMajor, httpVersionMinor } = this.req;
      Object.assign(req, { httpVersion, httpVersionMajor, httpVersionMinor });
    }
    // a middleware in front may have rewritten the URL
    const rewritten = originalUrl === undefined ? undefined : baseUrl + belowMount(url);
    if (rewritten !== undefined && rewritten !== exchange.target.originalUrl) exchange.target.url = rewritten;
    if (baseUrl !== "") exchange.target.mount = baseUrl.length;
    this.#version = exchange.target.version;
    if (body !== undefined) req.body = body;
    shareProperties(this.req, req);
    const { locals } = this.res as NodeOutgoing;
    if (locals !== undefined) res.locals = locals;
    // Express's object, which earlier middleware may have changed; but not with HTTP/2's pseudo-headers
    if (this.req.httpVersionMajor < 2) req.headers = this.req.headers as HeaderRecord;
    if (this.res.statusCode !== 200) res.statusCode = this.res.statusCode;
    this.#inFront = this.res.getHeaderNames();
    for (const name of this.#inFront) {
      const value = this.res.getHeader(name)!;
      res.setHeader(name, Array.isArray(value) ? [...value] : String(value));
    }
  }

  /**
   * Continues with the server's next handler, which gets the status and headers set so far, the parsed body, what
   * middleware has put on the request, and the rewritten URL and method.
   */
  leave(error: unknown): boolean {
    const response = this.#response;
    if (this.#next === undefined || response === null || response.headersSent) return false;
    const { req, res } = this;
    const { target } = this.#exchange!;
    if (target.version !== this.#version) {
      (req as NodeIncoming).originalUrl ??= target.originalUrl;
      [req.url, req.method] = [target.url, target.method];
    }
    const asked = this.#asked!;
    if (asked.body !== undefined) (req as NodeIncoming).body = asked.body;
    copyPropertiesBack(asked, req);
    (res as NodeOutgoing).locals = response.locals;
    res.statusCode = response.statusCode;
    this.dropRemoved((name) => response.hasHeader(name));
    for (const [name, value] of Object.entries(response.getHeaders())) res.setHeader(name, value as string | string[]);
    // before the watch of the client, which would take every response of others for a client that is gone
    res.prependOnceListener(
      "close",
      () => res.writableFinished ? this.#exchange?.finish() : this.#exchange?.abandon(),
    );
    this.#next(error);
    return true;
  }

  /** Reports that its response could not be sent. */
  report(error: unknown): void {
    const exchange = this.#exchange;
    if (exchange === null) console.error(error);
    else exchange.app.reportError(error, { req: this.#asked!, phase: "response" });
  }

  /**
   * Removes headers that were set before the application, and that it has removed. Headers added meanwhile are kept:
   * they are somebody else's, such as the `Connection: close` of a server that is closing.
   *
   * @param isKept Whether a header is still there
   */
  dropRemoved(isKept: (name: string) => boolean): void {
    for (const name of this.#inFront) if (!isKept(name)) this.res.removeHeader(name);
  }
}

// Express keeps the host of an absolute URL, and a fragment, on the URL below a mount, but matches neither
function belowMount(url: string): string {
  return url.startsWith("/") || url.includes("://") ? targetOfUrl(url) : url;
}
