/**
 * The request and response that handlers get, under Express's names, with Express's type parameters in order.
 *
 * Importing both shadows the web's `Request` and `Response`.
 *
 * @module
 */
import type { FrameworkRequest, ParsedQs, RouteParams } from "../request/framework_request.ts";
import type { Any } from "../util/any.ts";
import type { FrameworkResponse } from "./framework_response.ts";

/**
 * A request as handlers get it: {@linkcode FrameworkRequest} under Express's name.
 *
 * @typeParam P Type of `req.params`
 * @typeParam _ResBody Type of the response body; unused here, see the response
 * @typeParam ReqBody Type of `req.body`
 * @typeParam ReqQuery Type of `req.query`
 * @typeParam _L Type of `res.locals`; unused here, see the response
 */
export interface Request<
  P = RouteParams,
  _ResBody = Any,
  ReqBody = Any,
  ReqQuery = ParsedQs,
  _L extends Record<string, Any> = Record<string, Any>,
> extends FrameworkRequest<P, ReqBody, ReqQuery> {
  /** Host with port; `X-Forwarded-Host` from a trusted proxy wins. `undefined` if the client sent none. */
  readonly host: string;
}

/**
 * A response as handlers get it: {@linkcode FrameworkResponse} with types for its body and status.
 *
 * @typeParam ResBody Type of the body
 * @typeParam L Type of `res.locals`
 * @typeParam Status Allowed statuses
 */
export interface Response<
  ResBody = Any,
  L extends Record<string, Any> = Record<string, Any>,
  Status extends number = number,
> extends FrameworkResponse<L> {
  /** Responds with a body: strings as HTML; bytes, a `Blob` or a stream as they are; anything else as JSON. */
  send(body?: ResBody): this;
  /** Responds with a value as JSON. */
  json(value?: ResBody): this;
  /** Responds with JSON wrapped in a call to the function in the query parameter. */
  jsonp(value?: ResBody): this;
  /** Sets the status. */
  status(code: Status): this;
  /** Responds with a status and its reason phrase as the body. */
  sendStatus(code: Status): this;
}
