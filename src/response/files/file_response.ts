import type { AppLike } from "../../exchange/app_like.ts";
import type { FrameworkRequest } from "../../request/framework_request.ts";
import type { HeaderValue } from "../web/outgoing_headers.ts";
import type { handOverKey, streamKey } from "../node/outgoing_message.ts";
import type { BodySource } from "../web/streamed_body.ts";

/** The parts of a response needed to send a file. */
export interface FileResponse {
  /** The application, for its settings. */
  readonly app: AppLike;
  /** The request, for its conditions, ranges and platform. */
  readonly req: FrameworkRequest;
  /** Whether a response has begun. */
  readonly headersSent: boolean;
  /** Whether the exchange is over. */
  readonly destroyed: boolean;
  /** Whether the last byte has been passed on. */
  readonly writableFinished: boolean;
  /** Status of the response. */
  statusCode: number;
  /** Reads a header. */
  get(name: string): HeaderValue | undefined;
  /** Returns whether a header is set. */
  hasHeader(name: string): boolean;
  /** Sets a header. */
  setHeader(name: string, value: HeaderValue): unknown;
  /** Adds a field to `Vary`. */
  vary(field: string): unknown;
  /** Removes a header. */
  removeHeader(name: string): void;
  /** Responds without a body. */
  end(): unknown;
  /** Aborts the response. */
  destroy(): unknown;
  /** Responds with a stream. */
  [streamKey](body: BodySource): void;
  /** Responds with a body that the platform sends itself. */
  [handOverKey](body: ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer>): void;
  /** Waits until the exchange is over. */
  once(event: "close", listener: () => void): unknown;
}
