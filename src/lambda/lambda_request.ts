import { asciiLowerCase } from "../util/ascii.ts";
import { Buffer } from "node:buffer";
import { isHeaderName } from "../http/header_values.ts";
import { isHost } from "../http/host.ts";
import { mayHaveBody, requestAsSent } from "../http/request_as_sent.ts";
import { isBalancer, isV2, type LambdaEvent, type LambdaEventV1, type LambdaEventV2 } from "./lambda_event.ts";

/**
 * Creates the web request for an event. An invalid method or header makes a request without an origin, so the
 * application responds with 400, as servers do, and the invocation does not fail.
 *
 * @param event The event
 * @param signal Aborts when the client disconnects, where that can be detected
 * @returns The request, with the target as sent, as far as the event contains it
 */
export function requestOf(event: LambdaEvent, signal?: AbortSignal): Request {
  const given = isV2(event) ? event.requestContext.http.method : event.httpMethod;
  const method = isHeaderName(given) ? given : "GET";
  const headers = new Headers();
  const lines = isV2(event) ? linesOfV2(event) : linesOfV1(event);
  const areProper = lines.map(([name, value]) => setLine(headers, name, value)).every(Boolean);
  const body = bodyOf(event, method);
  // body parsers need the length, which REST APIs do not send, and which would be wrong for a body that is dropped
  if (body !== null) headers.set("content-length", String(body.length));
  else if (event.body) headers.delete("content-length");
  const origin = method === given && areProper ? originOf(event, headers) : undefined;
  const target = targetOf(event);
  return requestAsSent((origin ?? "") + target, { method, headers, body, ...(signal === undefined ? {} : { signal }) });
}

function bodyOf({ body, isBase64Encoded }: LambdaEvent, method: string): Uint8Array<ArrayBuffer> | null {
  if (!body || !mayHaveBody(method)) return null;
  return Buffer.from(body, isBase64Encoded ? "base64" : "utf8");
}

// Gateways set the scheme themselves; load balancers pass on any Host, and health checks have none. An invalid one
// yields no origin.
function originOf(event: LambdaEvent, headers: Headers): string | undefined {
  const scheme = headers.get("x-forwarded-proto") === "http" ? "http" : "https";
  const host = headers.get("host") || event.requestContext.domainName || "localhost";
  return isHost(host) ? `${scheme}://${asciiLowerCase(host)}` : undefined;
}

function targetOf(event: LambdaEvent): string {
  const path = isV2(event) ? event.rawPath : event.path;
  const query = isV2(event) ? event.rawQueryString : queryOf(event);
  const target = (isDecoded(event) ? escaped(path) : path) + (query ? `?${query}` : "");
  // anything else, such as OPTIONS' "*", would become part of the host
  return target.startsWith("/") ? target : `/${target}`;
}

// only HTTP APIs decode the path
function isDecoded(event: LambdaEvent): boolean {
  return isV2(event) ? !event.requestContext.domainName?.includes(".lambda-url.") : event.version === "1.0";
}

// a percent sign in a decoded path was encoded by the client: left alone, it would be decoded twice
function escaped(path: string): string {
  return path.replace(/[^\x21-\x7e]|[?#%]/gu, encoded);
}

// JSON may contain lone surrogates, which cannot be escaped
function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

// load balancers pass on the query as sent, API Gateway decodes it
function queryOf(event: LambdaEventV1): string {
  const write = isBalancer(event) ? (text: string) => text : encoded;
  const values = event.multiValueQueryStringParameters ?? event.queryStringParameters ?? {};
  return Object.entries(values)
    .flatMap(([name, given]) => [given ?? ""].flat().map((value) => `${write(name)}=${write(value)}`))
    .join("&");
}

function linesOfV2({ headers, cookies }: LambdaEventV2): [name: string, value: string][] {
  const lines = Object.entries(headers ?? {}).map(([name, value]): [string, string] => [name, value ?? ""]);
  return cookies && cookies.length > 0 ? [...lines, ["cookie", cookies.join("; ")]] : lines;
}

function linesOfV1(event: LambdaEventV1): [name: string, value: string][] {
  return Object.entries(event.multiValueHeaders ?? event.headers ?? {}).map(([name, given]) => {
    const values = [given ?? ""].flat();
    return [name, values.join(asciiLowerCase(name) === "cookie" ? "; " : ", ")];
  });
}

// whether a value is valid in HTTP (RFC 9110 section 5.5)
function setLine(headers: Headers, name: string, value: string): boolean {
  const isProper = isHeaderName(name) && !/[\0\r\n]/.test(value);
  if (isProper) headers.set(name, onTheWire(value));
  return isProper;
}

// headers are bytes, which runtimes decode as Latin-1; Lambda decodes UTF-8
function onTheWire(value: string): string {
  return /[\u0100-\uffff]/.test(value) ? Buffer.from(value).toString("latin1") : value;
}
