import { HttpError } from "../../http/http_error.ts";

/**
 * The error for a body over the limit, like body-parser's.
 *
 * @param limit Maximum bytes
 * @param size Announced length, or the bytes received so far
 */
export function tooLarge(limit: number, size: { readonly length: number } | { readonly received: number }): HttpError {
  const details = "length" in size ? { expected: size.length, ...size, limit } : { limit, ...size };
  return new HttpError(413, "request entity too large", { ...details, type: "entity.too.large" });
}

/**
 * The error for a body that was cut off, like body-parser's.
 *
 * @param length The announced length in bytes
 * @param cause The runtime's error
 */
export function aborted(length: number | undefined, cause: unknown): HttpError {
  return new HttpError(400, "request aborted", {
    cause,
    code: "ECONNABORTED",
    expected: length,
    length,
    type: "request.aborted",
  });
}

/**
 * The error for a body that stopped arriving. The connection closes with the response (RFC 9110 section 15.5.9) if the
 * runtime supports that: the rest of the body would precede the next request.
 *
 * @param timeoutMs The `body timeout` setting
 */
export function timedOut(timeoutMs: number): HttpError {
  return new HttpError(408, `no body data arrived for ${timeoutMs} ms ("body timeout")`, {
    code: "ETIMEDOUT",
    headers: { connection: "close" },
    timeout: timeoutMs,
    type: "request.timeout",
  });
}

/** How long a client should wait before it retries, in seconds: reading bodies takes moments, not minutes. */
const RETRY_AFTER_S = 1;

/**
 * The error for a body that does not fit into the budget alongside the bodies being read.
 *
 * @param budget The `body budget` setting
 */
export function overBudget(budget: number): HttpError {
  return new HttpError(503, `the bodies being read would take more than ${budget} bytes ("body budget")`, {
    headers: { "retry-after": String(RETRY_AFTER_S) },
    limit: budget,
    type: "body.budget.exceeded",
  });
}

/**
 * The error for the slowest body when the budget has no space for other bodies. The connection closes with the
 * response.
 *
 * @param budget The `body budget` setting
 */
export function tooSlow(budget: number): HttpError {
  return new HttpError(
    408,
    `the bodies being read take ${budget} bytes ("body budget"), and this one was the slowest`,
    {
      code: "ETIMEDOUT",
      headers: { connection: "close" },
      limit: budget,
      type: "body.too.slow",
    },
  );
}

/**
 * The error for JSON that nests too deeply.
 *
 * @param depth The `json depth` setting
 */
export function tooDeep(depth: number): HttpError {
  return new HttpError(400, `the JSON has more than ${depth} levels ("json depth")`, {
    depth,
    type: "json.too.deep",
  });
}

/**
 * The error for a form with too many parts or fields.
 *
 * @param limit The `form parts limit` setting
 */
export function tooManyParts(limit: number): HttpError {
  return new HttpError(413, `the form has more than ${limit} parts ("form parts limit")`, {
    limit,
    type: "parameters.too.many",
  });
}

/**
 * The error for a form with a part header that is too long; message and code match those of uploads.
 *
 * @param limit Maximum bytes
 */
export function headTooLong(limit: number): HttpError {
  return new HttpError(413, `a part's head has more than ${limit} bytes`, {
    code: "LIMIT_HEADER_SIZE",
    limit,
    type: "part.head.too.large",
  });
}

/**
 * The error for a disconnected client, as in Node; with a status, because a client that sent invalid HTTP may still be
 * connected.
 *
 * @param cause The runtime's error, if any
 */
export function connectionReset(cause?: unknown): Error {
  return Object.assign(new Error("aborted", { cause }), { code: "ECONNRESET", status: 400, statusCode: 400 });
}

/**
 * Returns whether reading a body failed because it was cut off. Any other failure is a `TypeError`, for a body that was
 * already read or is not a form, or a `SyntaxError`.
 *
 * @param error The runtime's error
 */
export function isCutOff(error: unknown): boolean {
  return !(error instanceof TypeError || error instanceof SyntaxError);
}
