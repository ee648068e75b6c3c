import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { type HostServer, hostServerKey } from "../dispatch/host_server.ts";
import { type Exchange, exchangeKey } from "../exchange/exchange.ts";
import type { FrameworkRequest } from "../request/framework_request.ts";
import type { FrameworkResponse } from "../response/framework_response.ts";
import { IncomingRequest } from "./incoming_request.ts";
import { NodeResponse } from "./node_response.ts";
import type { NodeInfo } from "./node_info.ts";

/** A request from an application's own server, as Node delivers it, untouched by other code. */
export class NodeCall extends IncomingRequest implements HostServer, NodeInfo {
  readonly takesOver: boolean;
  #response: FrameworkResponse | null = null;

  /**
   * @param req Node's request
   * @param res Node's response
   * @param takesOver Whether the server handles requests that no layer responds to
   */
  constructor(req: IncomingMessage, res: ServerResponse, takesOver = false) {
    super(req, res);
    this.takesOver = takesOver;
  }

  get remoteAddr(): { hostname: string | undefined; port: number | undefined } {
    // a test's mock request may have no socket
    const { remoteAddress, remotePort } = this.req.socket as Socket | null ?? {};
    return { hostname: remoteAddress, port: remotePort };
  }

  [hostServerKey](request: Request): this | null {
    return this.isOf(request) ? this : null;
  }

  /** Whether it has become a WebSocket, which gets no response. */
  get upgraded(): boolean {
    return false;
  }

  /** The application's response, once the application runs. */
  get response(): FrameworkResponse | null {
    return this.#response;
  }

  /** Whether the application broke off before it had a response. */
  get isWithoutResponse(): boolean {
    return this.#response !== null && this.#response[exchangeKey].isWithoutResponse;
  }

  enter(exchange: Exchange, req: FrameworkRequest, res: FrameworkResponse): void {
    this.#response = res;
    exchange.respond = NodeResponse.of;
    const { httpVersion } = this.req;
    if (httpVersion === "1.1") return;
    const { httpVersionMajor, httpVersionMinor } = this.req;
    Object.assign(req, { httpVersion, httpVersionMajor, httpVersionMinor });
  }

  leave(_error: unknown): boolean {
    return false;
  }

  /** Reports that its response could not be sent. */
  report(error: unknown): void {
    const response = this.#response;
    if (response === null) console.error(error);
    else response[exchangeKey].app.reportError(error, { req: response.req, phase: "response" });
  }

  /**
   * Removes headers that were set before the application ran and that it has removed: its own server sets no headers.
   *
   * @param _isKept Returns whether a header is still set
   */
  dropRemoved(_isKept: (name: string) => boolean): void {}
}
