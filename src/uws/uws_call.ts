import { type HostServer, hostServerKey, ownFetches } from "../dispatch/host_server.ts";
import { type Exchange, exchangeKey } from "../exchange/exchange.ts";
import { webRequestKey } from "../exchange/web_request.ts";
import { HttpError } from "../http/http_error.ts";
import { nextTurn } from "../node/next_turn.ts";
import { NodeResponse } from "../node/node_response.ts";
import { asyncScope } from "../platform/shared/async_scope.ts";
import type { Servable, Upgrade, UpgradeOptions } from "../platform/shared/platform.ts";
import { upgradedResponse } from "../platform/shared/upgraded_response.ts";
import type { FrameworkRequest } from "../request/framework_request.ts";
import type { FrameworkResponse } from "../response/framework_response.ts";
import { asciiLowerCase } from "../util/ascii.ts";
import { isThenable } from "../util/is_thenable.ts";
import type { Linked } from "../util/linked_list.ts";
import { type Upgrader, upgraderKey } from "../websocket/accept.ts";
import type { EngineRequest, EngineResponse } from "./engine.ts";
import { type Flow, IncomingUpload } from "./incoming_upload.ts";
import { type RequestOwner, UwsRequest } from "./uws_request.ts";
import { UwsSocket } from "./uws_socket.ts";

/** The value of `req.info`. */
export interface UwsInfo {
  /** The other end of the connection, in Deno's form; the engine does not report its port. */
  readonly remoteAddr: { hostname: string | undefined; port: number | undefined };
}

/** The parts of the server that a call uses. */
export interface CallServer {
  /** Whether it uses TLS. */
  readonly isEncrypted: boolean;
  /** The address it listens on. */
  readonly hostname: string;
  /** The port it listens on. */
  readonly port: number;
  /** Whether each connection ends with its next response. */
  readonly isDraining: boolean;
  /** Whether it accepts no more connections. */
  readonly isClosing: boolean;
  /** Records that a response is pending. */
  began(call: UwsCall): void;
  /** Records that it is no longer pending. */
  ended(call: UwsCall): void;
  /** Sends a response. */
  send(call: UwsCall, response: Response): void;
}

/** Decodes addresses. */
const ASCII = new TextDecoder();

/** A request from the engine, and its response. */
export class UwsCall implements HostServer, Upgrader, RequestOwner, Flow, UwsInfo, Linked<UwsCall> {
  before: UwsCall | null = null;
  after: UwsCall | null = null;
  /** Stands in for the web request until that is needed; only Sluice's own code may get it. */
  readonly standIn: UwsRequest;
  readonly server: CallServer;
  /** The engine's response; `null` once it must not be used any more. */
  #res: EngineResponse | null;
  /** The engine's context for an upgrade; `null` for any other request. */
  readonly #context: unknown;
  #response: FrameworkResponse | null = null;
  #upload: IncomingUpload | null = null;
  #isAwaited = false;
  #isInCall = true;
  #isPaused = false;
  #isUpgraded = false;
  #isHeldBack = false;
  #hasBegun = false;
  #address: string | undefined = undefined;
  #listeners: (() => void)[] | null = null;
  isGone = false;

  /**
   * Wraps a request.
   *
   * @param server Its server
   * @param res The engine's response
   * @param req The engine's request, which is copied
   * @param context The engine's context for an upgrade; `null` for any other request
   */
  constructor(server: CallServer, res: EngineResponse, req: EngineRequest, context: unknown) {
    this.server = server;
    this.#res = res;
    this.#context = context;
    this.standIn = new UwsRequest(req, this);
  }

  /** The web request. */
  get request(): Request {
    return this.standIn[webRequestKey];
  }

  /**
   * Passes the request to an application.
   *
   * @param app The application
   */
  handle(app: Servable): void {
    if (this.standIn.isMalformed) this.#refuse("400 Bad Request");
    // the engine makes all its calls in one asynchronous context, where a context that a handler enters would persist
    else asyncScope().runInAsyncScope(() => this.#ask(app));
    // otherwise, the engine would crash the process
    this.await();
    this.#isInCall = false;
  }

  #ask(app: Servable): void {
    const failed = (error: unknown): void => this.#fail(error);
    try {
      const request = ownFetches.has(app.fetch) ? this.standIn as unknown as Request : this.request;
      const response = app.fetch(request, this);
      if (!isThenable(response)) return this.#send(response);
      response.then((late) => this.#send(late)).catch(failed);
    } catch (error) {
      failed(error);
    }
  }

  #send(response: Response): void {
    if (this.#isUpgraded) return;
    // the client disconnected, or the server has responded
    if (this.#res === null) return void response.body?.cancel().catch(() => {});
    if (this.#response?.[exchangeKey].isWithoutResponse) return this.close();
    if (this.#upload?.isBeingRead && !this.#isHeldBack) return this.#holdBack(response);
    this.server.send(this, response);
  }

  // for one tick: after a response, the engine drops incoming body data, even data that has already arrived
  #holdBack(response: Response): void {
    this.#isHeldBack = true;
    nextTurn(() => {
      try {
        this.#send(response);
      } catch (error) {
        this.#fail(error);
      }
    });
  }

  /** The engine's response, `null` once it must not be used any more. */
  get res(): EngineResponse | null {
    return this.#res;
  }

  /** Whether the connection ends with the response, whatever its headers say. */
  get isLast(): boolean {
    return this.server.isDraining;
  }

  /** Whether the engine closes the connection after the response, even if the rest of a body is still to come. */
  get isClosedBehind(): boolean {
    return this.isLast || asciiLowerCase(this.standIn.header("connection") ?? "") === "close";
  }

  /** Writes to the client, all in one piece; does nothing if the client disconnected. */
  cork(write: (res: EngineResponse) => void): void {
    const res = this.#res;
    if (res === null) return;
    this.#hasBegun = true;
    // the engine has already corked the handler's call
    if (this.#isInCall) write(res);
    else res.cork(() => write(res));
  }

  /** Waits for the response beyond this tick: the engine must learn now how to handle a disconnect. */
  await(): void {
    if (this.#isAwaited || this.#res === null) return;
    this.#isAwaited = true;
    this.server.began(this);
    this.#res.onAborted(() => this.#abort());
    if (this.standIn.hasBody) this.receive();
  }

  receive(): IncomingUpload | null {
    if (this.#upload !== null || this.#res === null) return this.#upload;
    const upload = this.#upload = new IncomingUpload(this);
    this.#res.onData((bytes, isLast) => upload.receive(bytes, isLast));
    return upload;
  }

  pause(): void {
    this.#isPaused = true;
    this.#res?.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#res?.resume();
  }

  /** Records that the response is complete: the engine reclaims its own. */
  complete(): void {
    this.#release("The engine discards the rest of a body after the response");
  }

  #abort(): void {
    this.isGone = true;
    this.#release("The client disconnected");
    const listeners = this.#listeners;
    this.#listeners = null;
    listeners?.forEach((listener) => listener());
  }

  // an error is only created if there is a receiver: that takes longer than anything else here
  #release(cause: string): void {
    if (this.#res === null) return;
    this.#res = null;
    this.#upload?.fail(cause);
    if (this.#isAwaited) this.server.ended(this);
  }

  /** Resumes reading before the response is complete: the next request arrives on the same connection. */
  unpause(): void {
    if (this.#isPaused) this.resume();
  }

  onGone(listener: () => void): void {
    if (this.isGone) listener();
    else (this.#listeners ??= []).push(listener);
  }

  /** Closes the connection, without a response or during one. */
  close(): void {
    const res = this.#res;
    if (res === null) return;
    // the engine notifies the listener, if any
    res.close();
    this.#abort();
  }

  /** Ends the call now: with 503 if the handler has not responded, otherwise by cutting the response. */
  cut(): void {
    if (this.#hasBegun) return this.close();
    this.#refuse("503 Service Unavailable");
    this.#abort();
  }

  #refuse(status: string): void {
    this.cork((res) => {
      res.writeStatus(status);
      res.end(status.slice("503 ".length), true);
    });
    this.complete();
  }

  #fail(error: unknown): void {
    this.report(error);
    if (this.#hasBegun) return this.close();
    this.cork((res) => {
      res.writeStatus("500 Internal Server Error");
      res.end("", this.isLast);
    });
    this.complete();
  }

  /** Reports that its response could not be sent. */
  report(error: unknown): void {
    const response = this.#response;
    if (response === null) console.error(error);
    else response[exchangeKey].app.reportError(error, { req: response.req, phase: "response" });
  }

  get remoteAddr(): { hostname: string | undefined; port: number | undefined } {
    if (this.#res !== null) this.#address ??= ASCII.decode(this.#res.getRemoteAddressAsText());
    return { hostname: this.#address || undefined, port: undefined };
  }

  get takesOver(): boolean {
    return false;
  }

  [hostServerKey](request: Request): this | null {
    return this.standIn.isOf(request) ? this : null;
  }

  enter(exchange: Exchange, _req: FrameworkRequest, res: FrameworkResponse): void {
    this.#response = res;
    exchange.respond = NodeResponse.of;
  }

  leave(_error: unknown): boolean {
    return false;
  }

  /** The call itself: the engine upgrades requests, not its server. */
  get [upgraderKey](): this {
    return this;
  }

  /** Whether the client has disconnected, or the closing server has responded. */
  hasDisconnected(): Promise<boolean> {
    return Promise.resolve(this.#res === null);
  }

  /**
   * Responds to a validated handshake.
   *
   * @param request The request
   * @param _info This call
   * @param options The chosen protocol and the headers set so far
   * @returns The connection
   * @throws {HttpError} 503 if the server is closing, 501 for a request that the engine did not deliver
   */
  upgrade(request: Request, _info: unknown, options: UpgradeOptions): Upgrade {
    const { protocol = "", headers = new Headers(), pingTimeoutMs } = options;
    if (this.server.isClosing) throw new HttpError(503, "The server is closing");
    const key = this.standIn.header("sec-websocket-key");
    if (this.#context === null || key === null || !this.standIn.isOf(request)) {
      throw new HttpError(501, "uWebSockets.js upgrades only requests that its server delivers", { expose: true });
    }
    const socket = new UwsSocket(pingTimeoutMs);
    this.#isUpgraded = true;
    this.cork((res) => {
      res.writeStatus("101 Switching Protocols");
      headers.forEach((value, name) => res.writeHeader(name, Buffer.from(value, "latin1")));
      res.upgrade({ socket }, key, protocol, "", this.#context);
    });
    this.complete();
    return { socket: socket as unknown as WebSocket, response: upgradedResponse() };
  }
}
