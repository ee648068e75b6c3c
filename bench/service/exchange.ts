/** A request, and the response expected from every contestant. */

/** A request. */
export interface Asked {
  readonly method: "GET" | "POST";
  /** Path and query. */
  readonly path: string;
  /** Headers besides `Host` and the body headers. */
  readonly headers: Readonly<Record<string, string>>;
  /** Body, JSON. */
  readonly body?: string;
}

/** The expected response. */
export interface Answer {
  readonly status: number;
  /** Start of the content type; `null` if every contestant has its own page. */
  readonly type: string | null;
  /** The body; `null` if every contestant has its own page. */
  readonly body: string | null;
  /** Other headers, in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request and the expected response. */
export interface Exchange {
  readonly asked: Asked;
  readonly answer: Answer;
}

/** The `Host` in all requests, wherever they are sent: it makes the bytes identical for every contestant. */
export const HOST = "127.0.0.1:8000";

/**
 * Returns a request's headers, in sending order.
 *
 * @param asked The request
 */
export function fieldsOf({ headers, body }: Asked): Record<string, string> {
  const ofBody = body === undefined ? {} : {
    "Content-Type": "application/json",
    "Content-Length": String(new TextEncoder().encode(body).byteLength),
  };
  return { Host: HOST, ...headers, ...ofBody };
}

/**
 * Formats a request as sent over a connection.
 *
 * @param asked The request
 */
export function textOf(asked: Asked): string {
  const fields = Object.entries(fieldsOf(asked)).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${asked.method} ${asked.path} HTTP/1.1\r\n${fields.join("")}\r\n${asked.body ?? ""}`;
}

/**
 * Creates a request as a server passes it to a `fetch` handler.
 *
 * @param asked The request
 */
export function webRequest(asked: Asked): Request {
  const { method, path, body } = asked;
  const init = { method, headers: fieldsOf(asked), ...(body === undefined ? {} : { body }) };
  return new Request(`http://${HOST}${path}`, init);
}
