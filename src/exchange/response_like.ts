import type { EmitterMethods } from "../util/emitter_methods.ts";
import type { Any } from "../util/any.ts";

/**
 * The type of `req.res`: the part of a response used by requests and by code that gets only the request, such as
 * controllers, resolvers and multipart parsers' storage engines.
 */
export interface ResponseLike extends EmitterMethods {
  /** The response status. */
  statusCode: number;
  /** Whether the status and headers have been sent. */
  readonly headersSent: boolean;
  /** Values for this request's views. */
  locals: Record<string, Any>;
  /** Reads a response header. */
  getHeader(name: string): number | string | string[] | undefined;
  /** Sets a response header. */
  setHeader(name: string, value: number | string | string[]): this;
  /** Sets headers. */
  set(field: string | Record<string, Any>, value?: number | string | string[] | boolean): this;
  /** Sets the content type. */
  type(type: string): this;
  /** Sets a cookie. */
  cookie(name: string, value: unknown, options?: object | null): this;
  /** Clears a cookie in the client. */
  clearCookie(name: string, options?: object | null): this;
  /** Sets the status. */
  status(code: number): this;
  /** Responds with a status and its reason phrase as the body. */
  sendStatus(code: number): this;
  /** Responds with a body. */
  send(body?: Any): this;
  /** Responds with a value as JSON. */
  json(value?: Any): this;
  /** Redirects. */
  redirect(status: number, url: string | URL): void;
  /** Redirects with status 302. */
  redirect(url: string | URL): void;
  /** Ends the response. */
  end(chunk?: Any): this;
}
