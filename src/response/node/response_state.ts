import { assertReason } from "../../http/header_values.ts";
import { statusText } from "../../http/status_text.ts";
import type { Exchange, WebBody } from "../../exchange/exchange.ts";
import type { BodyStream } from "../web/body_stream.ts";
import { frame, mayHaveContent } from "../web/framing.ts";
import { OutgoingHeaders } from "../web/outgoing_headers.ts";
import { webResponse } from "../web/web_response.ts";

/** Key under which a response stores its state. */
export const responseStateKey: unique symbol = Symbol("state");

/**
 * A response's state, from the first header to the web response.
 *
 * Separate from {@linkcode OutgoingMessage} because V8 never inlines a superclass constructor with fields or private
 * methods, and calls it slowly.
 */
export class ResponseState {
  #headers: OutgoingHeaders | null = null;
  /** The status sent with the headers; 0 while both can still change. */
  sentStatus = 0;
  /** Reason phrase, empty for the standard phrase. */
  reason = "";
  /** Whether nothing more may be written. */
  ended = false;
  /** The body, if it is sent while being written. */
  stream: BodyStream | null = null;
  /** Whether the response is registered to emit `finish` and `close`, or has emitted them. */
  ending: "unwatched" | "awaited" | "told" = "unwatched";
  /**
   * The body whose length is shown as a header: as in Express, the body from `res.send` and similar methods, not from
   * `res.end`; `null` if there is none.
   */
  shown: WebBody = null;
  /** Whether the web response has headers set elsewhere. */
  hasOthers = false;

  /** The headers set so far. */
  get headers(): OutgoingHeaders {
    return this.#headers ??= new OutgoingHeaders();
  }

  /** Whether there are no headers at all. */
  get bare(): boolean {
    return this.#headers === null || (this.#headers.bare && this.#headers.contentType === undefined);
  }

  /** Whether a string may be sent directly with the headers set so far. */
  get allowsBody(): boolean {
    return this.sentStatus === 0 && !this.ended && this.reason === "" &&
      (this.#headers === null || this.#headers.allowsBody);
  }

  /**
   * Responds with a body and the headers set so far.
   *
   * @param exchange The response's exchange
   * @param body The body
   * @param statusCode Status, if the headers have not been sent
   * @returns Whether the client gets the body; otherwise its source must be closed
   * @throws {RangeError} If a web response cannot carry the status
   * @throws {TypeError} If it cannot carry a header
   */
  settle(exchange: Exchange, body: WebBody, statusCode: number): boolean {
    const { headers } = this;
    const status = this.sentStatus || statusCode;
    const { isHead } = exchange.target;
    const isPlain = !headers.framed && !isHead && mayHaveContent(status);
    // a copy, because loggers read the headers that the program set
    const sent = isPlain ? headers : headers.copy();
    const framed = isPlain ? body : frame(status, isHead, sent, body, exchange.app);
    const reason = !this.reason || this.reason === statusText(status) ? "" : this.reason;
    let isFirst: boolean;
    try {
      if (reason !== "") assertReason("res.statusMessage", reason);
      isFirst = exchange.settle(webResponse(status, reason, sent, framed, exchange));
    } catch (error) {
      // nothing has been sent yet, so an error handler may still respond
      this.sentStatus = 0;
      throw error;
    }
    this.sentStatus = status;
    return isFirst && framed !== null && !isHead;
  }

  /**
   * Responds with a complete body and the headers set so far; nothing more may be written.
   *
   * @param exchange The response's exchange
   * @param body The body
   * @param statusCode Status, if the headers have not been sent
   * @returns Whether the client gets the body
   * @throws Like {@linkcode ResponseState.settle}
   */
  settleWhole(exchange: Exchange, body: WebBody, statusCode: number): boolean {
    const isTaken = this.settle(exchange, body, statusCode);
    this.ended = true;
    exchange.finish();
    return isTaken;
  }

  /**
   * Responds with a complete web response.
   *
   * @param exchange The response's exchange
   * @param response The response
   * @returns Whether the client gets this response
   */
  take(exchange: Exchange, response: Response): boolean {
    this.sentStatus = response.status;
    this.hasOthers = true;
    this.ended = true;
    return exchange.settleWhole(response);
  }

  /**
   * Records a body that was sent directly. The web response may have additional headers.
   *
   * @param body The body
   * @param status Its status
   */
  sent(body: string, status: number): void {
    this.shown = body;
    this.hasOthers = true;
    this.sentStatus = status;
    this.ended = true;
  }
}
