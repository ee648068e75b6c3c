/** The request properties used; Sluice, Express and Node requests fit. */
export interface RequestLike {
  /** The client's address, according to the framework. */
  readonly ip?: string | undefined;
  /** Not used. Without a common property Node's request would not be assignable to this type. */
  readonly method?: string | undefined;
  /** Keeps work running after the response on platforms where it would otherwise stop. */
  waitUntil?(work: Promise<unknown>): void;
}

/** The response properties used; Sluice, Express and Node responses fit. */
export interface ResponseLike {
  /** The response status. */
  statusCode: number;
  /** Whether the headers have been sent. */
  readonly headersSent: boolean;
  /** Whether the response has been ended. */
  readonly writableEnded?: boolean;
  /** Whether the response is over, complete or not. */
  readonly closed?: boolean;
  /** Whether the connection is closed. */
  readonly destroyed?: boolean;
  /** Sets a header. */
  setHeader(name: string, value: string): unknown;
  /** Reads a header. */
  getHeader(name: string): number | string | string[] | undefined;
  /** Ends the response. */
  end(body?: string): unknown;
  /** Adds a listener, for `finish` and `close`. */
  on(event: string, listener: () => void): unknown;
}

/** A request from an unspecified framework, which may have any property. */
export interface AnyRequest extends RequestLike {
  /** Any property. */
  // deno-lint-ignore no-explicit-any -- only the program knows its framework
  [property: string]: any;
}

/** Its response. */
export interface AnyResponse extends ResponseLike {
  /** Any property. */
  // deno-lint-ignore no-explicit-any -- only the program knows its framework
  [property: string]: any;
}

/** Type of the response to a request: the type of its `res`, which Sluice and Express requests have. */
export type ResponseOf<Req> = Req extends { readonly res?: infer Res extends ResponseLike | undefined }
  ? string extends keyof Req ? AnyResponse : NonNullable<Res>
  : AnyResponse;

/** Express's methods to respond, if the response has them. */
export interface SendingResponse {
  /** Sends a string. */
  send(body: string): unknown;
  /** Sends JSON. */
  json(body: unknown): unknown;
}
