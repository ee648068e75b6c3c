import { statusText } from "../http/status_text.ts";
import type { Exchange, WebBody } from "../request/exchange.ts";
import type { BodyStream } from "./body_stream.ts";
import { JSON_PLAIN } from "./content_type.ts";
import { frame, mayHaveContent } from "./framing.ts";
import { OutgoingHeaders } from "./outgoing_headers.ts";
import { webResponse } from "./web_response.ts";

/** Key under which a response keeps its state. */
export const stateKey: unique symbol = Symbol("state");

/**
 * State of a response, from the first header to the web response.
 *
 * It is separate from {@linkcode OutgoingMessage} because V8 never inlines the constructor of a superclass with fields
 * or private methods, and calls it slowly.
 */
export class ResponseState {
  /** The exchange that is answered. */
  declare readonly exchange: Exchange;
  /** The headers that were set. */
  readonly headers: OutgoingHeaders = new OutgoingHeaders();
  /** The status that was sent with the headers, 0 as long as both can be changed. */
  sentStatus = 0;
  /** Reason phrase, empty for the standard one. */
  reason = "";
  /** Whether nothing more may be written. */
  ended = false;
  /** The body, if it is sent while it is written. */
  stream: BodyStream | null = null;
  /** Whether the response is registered to emit `finish` and `close`, or has emitted them. */
  ending: "unwatched" | "awaited" | "told" = "unwatched";
  #body: WebBody | JsonBody = null;

  /** @param exchange The exchange that is answered */
  constructor(exchange: Exchange) {
    this.exchange = exchange;
  }

  /** The body of a response that was ended in one piece, `null` for none. */
  get body(): WebBody {
    return this.#body instanceof JsonBody ? this.#body = this.#body.text : this.#body;
  }

  /**
   * Responds with a body and the headers set so far.
   *
   * @param body The body
   * @param statusCode Status, if the headers are not sent yet
   * @returns Whether the client gets the body; otherwise its source has to be closed
   * @throws {RangeError} If a web response cannot carry the status
   * @throws {TypeError} If it cannot carry a header
   */
  settle(body: WebBody, statusCode: number): boolean {
    const { exchange, headers } = this;
    const status = this.sentStatus || statusCode;
    const { isHead } = exchange.target;
    const framed = headers.framed || isHead || !mayHaveContent(status)
      ? frame(status, isHead, headers, body, exchange.app)
      : body;
    const reason = !this.reason || this.reason === statusText(status) ? "" : this.reason;
    let isFirst: boolean;
    try {
      isFirst = exchange.settle(webResponse(status, reason, headers, framed, exchange));
    } catch (error) {
      // nothing has left yet, so an error handler may still answer
      this.sentStatus = 0;
      throw error;
    }
    this.#body = framed;
    this.sentStatus = status;
    return isFirst && framed !== null && !isHead;
  }

  /**
   * Responds with a complete body and the headers set so far; nothing more may be written.
   *
   * @param body The body
   * @param statusCode Status, if the headers are not sent yet
   * @returns Whether the client gets the body
   * @throws Like {@linkcode ResponseState.settle}
   */
  settleWhole(body: WebBody, statusCode: number): boolean {
    const isTaken = this.settle(body, statusCode);
    this.ended = true;
    this.exchange.finish();
    return isTaken;
  }

  /**
   * Responds with a complete web response.
   *
   * @param response The response
   * @param text Its body, if that is known
   * @returns Whether it is the response the client gets
   */
  take(response: Response, text: string | null): boolean {
    this.#body = text;
    return this.#finish(response, response.status);
  }

  /**
   * Responds with a web response that was made of a text, with status 200 and nothing but a content type.
   *
   * @param response The response
   * @param text The text
   * @param type Its type
   */
  takeText(response: Response, text: string, type: string): void {
    this.#body = text;
    this.headers.contentType = type;
    this.#finish(response, 200);
  }

  /**
   * Responds with the web response that the runtime has made from a JSON value.
   *
   * @param response The response
   * @param value The value
   */
  takeJson(response: Response, value: unknown): void {
    this.#body = new JsonBody(value);
    this.headers.contentType = JSON_PLAIN;
    this.#finish(response, 200);
  }

  #finish(response: Response, status: number): boolean {
    this.sentStatus = status;
    this.ended = true;
    const isFirst = this.exchange.settle(response);
    this.exchange.finish();
    return isFirst;
  }
}

/** A value that the runtime has turned into JSON; the text is made again if somebody asks for its length. */
class JsonBody {
  readonly #value: unknown;

  constructor(value: unknown) {
    this.#value = value;
  }

  get text(): string {
    return JSON.stringify(this.#value);
  }
}
