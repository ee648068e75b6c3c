import type { FrameworkRequest, FrameworkResponse } from "@sluice/sluice";

/** What the limiter needs of a request: Sluice's, Express's and Node's have it. */
export interface RequestFace {
  /** Address of the client, as the framework tells it. */
  readonly ip?: string | undefined;
  /** Not looked at; but Node's request has it, and would be none by its type without it. */
  readonly method?: string | undefined;
  /** Goes on with work after the answer, where a request would end with that. */
  waitUntil?(work: Promise<unknown>): void;
}

/** What the limiter needs of a response: Sluice's, Express's and Node's have it. */
export interface ResponseFace {
  /** Status of the answer. */
  statusCode: number;
  /** Whether the headers are out. */
  readonly headersSent: boolean;
  /** Whether all of the answer was given. */
  readonly writableEnded?: boolean;
  /** Whether the answer is over, complete or not. */
  readonly closed?: boolean;
  /** Whether the connection is gone. */
  readonly destroyed?: boolean;
  /** Sets a header. */
  setHeader(name: string, value: string): unknown;
  /** Reads a header. */
  getHeader(name: string): number | string | string[] | undefined;
  /** Ends the answer. */
  end(body?: string): unknown;
  /** Adds a listener: `finish` and `close` are used. */
  on(event: string, listener: () => void): unknown;
}

/** The response that belongs to a request: Sluice's, or the one that Express's request tells. */
export type ResponseOf<Req> = Req extends FrameworkRequest ? FrameworkResponse
  : Req extends { res?: infer Res extends ResponseFace | undefined } ? NonNullable<Res>
  : ResponseFace;

/** Express's way to answer, where the response has it. */
export interface SendingFace {
  /** Answers with text. */
  send(body: string): unknown;
  /** Answers with JSON. */
  json(body: unknown): unknown;
}

/** Headers of an answer, wherever they are kept: a response, or a web `Headers` with this face. */
export type HeaderSink = Pick<ResponseFace, "setHeader" | "getHeader">;
