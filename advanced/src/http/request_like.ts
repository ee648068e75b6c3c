/** What the limiter needs of a request; Sluice's, Express's and Node's fit. */
export interface RequestLike {
  /** Address of the client, according to the framework. */
  readonly ip?: string | undefined;
  /** Not used; but without a common property Node's request would not be assignable to this type. */
  readonly method?: string | undefined;
  /** Lets work go on after the response, where it would stop otherwise. */
  waitUntil?(work: Promise<unknown>): void;
}

/** What the limiter needs of a response; Sluice's, Express's and Node's fit. */
export interface ResponseLike {
  /** Status of the response. */
  statusCode: number;
  /** Whether the headers have been sent. */
  readonly headersSent: boolean;
  /** Whether the response has been ended. */
  readonly writableEnded?: boolean;
  /** Whether the response is over, complete or not. */
  readonly closed?: boolean;
  /** Whether the connection is gone. */
  readonly destroyed?: boolean;
  /** Sets a header. */
  setHeader(name: string, value: string): unknown;
  /** Reads a header. */
  getHeader(name: string): number | string | string[] | undefined;
  /** Ends the response. */
  end(body?: string): unknown;
  /** Adds a listener: `finish` and `close` are used. */
  on(event: string, listener: () => void): unknown;
}

/** A request of whatever framework the limiter is used in, where nothing says of which: it may have anything. */
export interface AnyRequest extends RequestLike {
  /** Whatever it has. */
  // deno-lint-ignore no-explicit-any -- only the program knows its framework
  [property: string]: any;
}

/** Its response. */
export interface AnyResponse extends ResponseLike {
  /** Whatever it has. */
  // deno-lint-ignore no-explicit-any -- only the program knows its framework
  [property: string]: any;
}

/** Type of the response that belongs to a request: that of its `res`, as requests of Sluice and Express have it. */
export type ResponseOf<Req> = Req extends { readonly res?: infer Res extends ResponseLike | undefined }
  ? string extends keyof Req ? AnyResponse : NonNullable<Res>
  : AnyResponse;

/** Express's methods to respond, if the response has them. */
export interface SendingResponse {
  /** Responds with text. */
  send(body: string): unknown;
  /** Responds with JSON. */
  json(body: unknown): unknown;
}
