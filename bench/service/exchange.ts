/** A request, and what every contestant answers. */

/** A request. */
export interface Asked {
  readonly method: "GET" | "POST";
  /** Path and query. */
  readonly path: string;
  /** Header fields besides `Host` and those of the body. */
  readonly headers: Readonly<Record<string, string>>;
  /** Body, JSON. */
  readonly body?: string;
}

/** The answer that is expected. */
export interface Answer {
  readonly status: number;
  /** Beginning of the content type; `null` if every contestant has its own page. */
  readonly type: string | null;
  /** The body; `null` if every contestant has its own page. */
  readonly body: string | null;
  /** Other header fields, in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request and the expected answer. */
export interface Exchange {
  readonly asked: Asked;
  readonly answer: Answer;
}

/** The host that all requests name, wherever they are sent: so the bytes are the same for every contestant. */
export const HOST = "127.0.0.1:8000";

/**
 * The fields of a request, in the order in which they are sent.
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
 * A request as it is sent over a connection.
 *
 * @param asked The request
 */
export function textOf(asked: Asked): string {
  const fields = Object.entries(fieldsOf(asked)).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${asked.method} ${asked.path} HTTP/1.1\r\n${fields.join("")}\r\n${asked.body ?? ""}`;
}

/**
 * A request as a server passes it to a `fetch` handler.
 *
 * @param asked The request
 */
export function webRequest(asked: Asked): Request {
  const { method, path, body } = asked;
  const init = { method, headers: fieldsOf(asked), ...(body === undefined ? {} : { body }) };
  return new Request(`http://${HOST}${path}`, init);
}
