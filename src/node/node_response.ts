import { FastResponse } from "srvx/node";
import type { WebBody } from "../exchange/exchange.ts";

/** ASCII characters allowed in a head. */
const ASCII = /^[\t\x20-\x7e]*$/;

/** A response's parts. */
export class RawResponse {
  /** The body, or `null` if there is none. */
  readonly body: WebBody;
  /** Status. */
  readonly status: number;
  /** Reason phrase, empty for the standard one. */
  readonly statusText: string;
  /** Header names and values in turn, one pair per line. */
  readonly head: readonly string[];
  /** Whether the head is all ASCII. */
  readonly isAscii: boolean;
  /**
   * @param body The body, `null` for none
   * @param status Status
   * @param statusText Reason phrase, empty for the standard one
   * @param head Header names and values in turn, one pair per line
   */
  constructor(body: WebBody, status: number, statusText: string, head: readonly string[]) {
    this.body = body;
    this.status = status;
    this.statusText = statusText;
    this.head = head;
    let isAscii = ASCII.test(statusText);
    for (let i = 1; i < head.length; i += 2) isAscii &&= ASCII.test(head[i]!);
    this.isAscii = isAscii;
  }

  /** The headers in web response format. */
  get headers(): [string, string][] {
    const pairs: [string, string][] = [];
    for (let i = 0; i < this.head.length; i += 2) pairs.push([this.head[i]!, this.head[i + 1]!]);
    return pairs;
  }
}

/**
 * A web response that becomes Node's own class, through srvx, only when it is read. Its parts can be sent directly,
 * because Node takes longer to create a `Response` than to send one.
 */
export class NodeResponse extends FastResponse {
  #parts: RawResponse | null;
  /** Whether `headers` has been read, so they may have been modified. */
  #isSeen = false;
  /** The parts sent without the web stream. */
  #sent: RawResponse | null = null;

  private constructor(parts: RawResponse) {
    super(parts.body, parts);
    // Node's own class validates other characters, and must do that while an error handler can still respond
    if (!parts.isAscii) new Response(null, parts);
    this.#parts = parts;
  }

  /**
   * Creates a response.
   *
   * @param body The body, `null` for none
   * @param status Status
   * @param statusText Reason phrase, empty for the standard one
   * @param head Header names and values in turn, one pair per line
   * @throws {TypeError} If a web response cannot carry the reason phrase or a header
   */
  static of(body: WebBody, status: number, statusText: string, head: readonly string[]): Response {
    return new NodeResponse(new RawResponse(body, status, statusText, head));
  }

  /**
   * Returns a response's parts, `null` if it has a different class or its body has been used.
   *
   * @param response The response
   */
  static partsOf(response: Response): RawResponse | null {
    const parts = #parts in response ? response.#parts : null;
    if (parts === null || !(response as unknown as NodeResponse).#isSeen) return parts;
    const { body, status, statusText } = parts;
    return new RawResponse(body, status, statusText, [...response.headers].flat());
  }

  /**
   * Releases a response's web stream when its body is sent without it.
   *
   * @param response The response
   * @param parts Its parts
   */
  static release(response: Response, { status, statusText, head }: RawResponse): void {
    const own = response as unknown as NodeResponse;
    own._toNodeResponse();
    own.#parts = null;
    // a copy, without the spare capacity of the original array
    own.#sent = new RawResponse(null, status, statusText, [...head]);
  }

  /** The status. */
  override get status(): number {
    return this.#sent?.status ?? super.status;
  }

  /** The reason phrase. */
  override get statusText(): string {
    return this.#sent?.statusText ?? super.statusText;
  }

  /** The headers. */
  override get headers(): Headers {
    this.#isSeen = true;
    return this.#sent === null ? super.headers : this.#sentResponse.headers;
  }

  /** The body as a stream, even while it is being sent. */
  override get body(): ReadableStream<Uint8Array<ArrayBuffer>> | null {
    if (this.#sent !== null) return this.#sentResponse.body;
    const body = this.#parts?.body;
    return body === null || body instanceof ReadableStream
      ? body as ReadableStream<Uint8Array<ArrayBuffer>>
      : super.body;
  }

  /** Node's own response, created on demand. */
  get _response(): Response {
    if (this.#sent !== null) return this.#sentResponse;
    this.#parts = null;
    return Reflect.get(FastResponse.prototype, "_response", this);
  }

  get #sentResponse(): Response {
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>();
    const response = new Response(body, this.#sent!);
    // to callers, the body is already being read
    body.getReader();
    return response;
  }
}
