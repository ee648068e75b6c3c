import { asciiLowerCase } from "../util/ascii.ts";
import { Buffer } from "node:buffer";
import { isHost } from "../http/host.ts";
import { mayHaveBody, requestAsSent } from "../http/request_as_sent.ts";
import { isBalancer, isV2, type LambdaEvent, type LambdaEventV1, type LambdaEventV2 } from "./lambda_event.ts";

/**
 * The web request of an event.
 *
 * @param event The event
 * @param signal Aborts when the client is gone, where that is known
 * @returns The request, with the target as it was sent, as far as the event tells
 */
export function requestOf(event: LambdaEvent, signal?: AbortSignal): Request {
  const method = isV2(event) ? event.requestContext.http.method : event.httpMethod;
  const headers = isV2(event) ? headersOfV2(event) : headersOfV1(event);
  const body = bodyOf(event, method);
  // body parsers need the length, which REST APIs do not send, and which would be wrong for a body that is dropped
  if (body !== null) headers.set("content-length", String(body.length));
  else if (event.body) headers.delete("content-length");
  const origin = originOf(event, headers);
  const target = targetOf(event);
  return requestAsSent((origin ?? "") + target, { method, headers, body, ...(signal === undefined ? {} : { signal }) });
}

function bodyOf({ body, isBase64Encoded }: LambdaEvent, method: string): Uint8Array<ArrayBuffer> | null {
  if (!body || !mayHaveBody(method)) return null;
  return Buffer.from(body, isBase64Encoded ? "base64" : "utf8");
}

// Gateways set the scheme themselves; load balancers pass on any Host, and health checks have none. An improper one has no
// origin.
function originOf(event: LambdaEvent, headers: Headers): string | undefined {
  const scheme = headers.get("x-forwarded-proto") === "http" ? "http" : "https";
  const host = headers.get("host") || event.requestContext.domainName || "localhost";
  return isHost(host) ? `${scheme}://${asciiLowerCase(host)}` : undefined;
}

function targetOf(event: LambdaEvent): string {
  const path = isV2(event) ? event.rawPath : event.path;
  const query = isV2(event) ? event.rawQueryString : queryOf(event);
  const target = (isDecoded(event) ? escaped(path) : path) + (query ? `?${query}` : "");
  // anything else, such as the "*" of OPTIONS, would become part of the host
  return target.startsWith("/") ? target : `/${target}`;
}

// only HTTP APIs decode the path
function isDecoded(event: LambdaEvent): boolean {
  return isV2(event) ? !event.requestContext.domainName?.includes(".lambda-url.") : event.version === "1.0";
}

// escapes characters that cannot have been sent unescaped
function escaped(path: string): string {
  return path.replace(/[^\x21-\x7e]|[?#]|%(?![\da-fA-F]{2})/gu, encoded);
}

// JSON may have lone surrogates, for which there is no escape
function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

// load balancers pass on the query as it was sent, API Gateway decodes it
function queryOf(event: LambdaEventV1): string {
  const write = isBalancer(event) ? (text: string) => text : encoded;
  const values = event.multiValueQueryStringParameters ?? event.queryStringParameters ?? {};
  return Object.entries(values)
    .flatMap(([name, given]) => [given ?? ""].flat().map((value) => `${write(name)}=${write(value)}`))
    .join("&");
}

function headersOfV2({ headers: given, cookies }: LambdaEventV2): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(given ?? {})) headers.set(name, onTheWire(value ?? ""));
  if (cookies && cookies.length > 0) headers.set("cookie", onTheWire(cookies.join("; ")));
  return headers;
}

function headersOfV1(event: LambdaEventV1): Headers {
  const headers = new Headers();
  for (const [name, given] of Object.entries(event.multiValueHeaders ?? event.headers ?? {})) {
    const values = [given ?? ""].flat();
    headers.set(name, onTheWire(values.join(asciiLowerCase(name) === "cookie" ? "; " : ", ")));
  }
  return headers;
}

// headers are bytes, which runtimes decode as Latin-1; Lambda decodes UTF-8
function onTheWire(value: string): string {
  return /[\u0100-\uffff]/.test(value) ? Buffer.from(value).toString("latin1") : value;
}
