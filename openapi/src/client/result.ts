/** Statuses for successful responses (RFC 9110 section 15.3, and its registry). */
export type SuccessStatus = 200 | 201 | 202 | 203 | 204 | 205 | 206 | 207 | 208 | 226;

/** Statuses for redirects, which `fetch` follows unless the option `redirect` prevents it. */
export type RedirectStatus = 300 | 301 | 302 | 303 | 304 | 305 | 307 | 308;

/** Statuses for responses to invalid requests. */
export type ClientErrorStatus =
  | (400 | 401 | 402 | 403 | 404 | 405 | 406 | 407 | 408 | 409 | 410 | 411 | 412 | 413 | 414 | 415 | 416 | 417 | 418)
  | (421 | 422 | 423 | 424 | 425 | 426 | 428 | 429 | 431 | 451);

/** Statuses for responses to requests that a server failed to process. */
export type ServerErrorStatus = 500 | 501 | 502 | 503 | 504 | 505 | 506 | 507 | 508 | 510 | 511;

/** Statuses for all unsuccessful responses. */
export type ErrorStatus = RedirectStatus | ClientErrorStatus | ServerErrorStatus;

/** A response with its body. */
export interface Result<Ok extends boolean, Status extends number, Data> {
  /** Whether its status is 200 to 299. */
  readonly ok: Ok;
  /** Its status; comparing it narrows the type of `data`. */
  readonly status: Status;
  /** Its body: a value for JSON, a string for text, an iterable for events, a stream for anything else. */
  readonly data: Data;
  /** Its headers. */
  readonly headers: Headers;
  /** The whole response; its body has been read, or is being read through `data`. */
  readonly response: Response;
}

/** A response with a status from 200 to 299. */
export type Success<Status extends number, Data> = Result<true, Status, Data>;

/** A response with any other status. */
export type Failure<Status extends number, Data> = Result<false, Status, Data>;

/** A response that the document does not describe, such as a proxy's. */
export type OtherStatus<Known extends number> = Failure<Exclude<ErrorStatus, Known>, unknown>;

/** Any call's result. */
export type AnyResult = Result<boolean, number, unknown>;
