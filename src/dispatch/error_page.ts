import { encodeUrl } from "encodeurl";
import { escapeHtml } from "../util/escape_html.ts";
import { utf8Length } from "../util/encodings.ts";
import { responseClass } from "../exchange/response_class.ts";
import { statusMessage } from "../http/status_text.ts";
import { profileKey } from "../exchange/app_profile.ts";
import { type Exchange, exchangeOf } from "../exchange/exchange.ts";
import type { FrameworkRequest } from "../request/framework_request.ts";
import { HTML, JSON_UTF8 } from "../response/web/content_type.ts";
import { DEVELOPMENT_POLICY, developmentPage } from "./development_page.ts";
import { errorDetails } from "./error_details.ts";
import { type FrameworkResponse, pageKey, untouchedKey } from "../response/framework_response.ts";
import { endWholeKey } from "../response/node/outgoing_message.ts";
import { runtimeKey } from "../util/runtime_key.ts";

// headers for a 404, names and values in turn
const COMMON = ["content-security-policy", "default-src 'none'", "x-content-type-options", "nosniff", "vary", "Accept"];
const PAGE_HEAD = [...COMMON, "content-type", HTML];
const JSON_HEAD = [...COMMON, "content-type", JSON_UTF8];

// created once, because making Headers from an object takes twice as long on Bun; not at module load, because the first
// Headers add two milliseconds to startup on Deno
const notFound: { page?: ResponseInit; json?: ResponseInit } = {};

function notFoundInit(head: readonly string[]): ResponseInit {
  const headers = new Headers();
  for (let i = 0; i < head.length; i += 2) headers.set(head[i]!, head[i + 1]!);
  return { status: 404, headers };
}

/**
 * Responds if no layer has: with 404, or with the page for an unhandled error.
 *
 * Outside production, the page shows the error's stack. Clients that prefer JSON get `{ "error": … }`; all other
 * clients get Express's page with its headers, extended in development. An error's `problem` (RFC 9457) goes to all
 * clients that do not prefer HTML. Each response has a `Vary` header, so caches do not mix them up.
 *
 * @param req The request
 * @param res The response
 * @param error The error, or `undefined` if there is none
 */
export function sendErrorPage(req: FrameworkRequest, res: FrameworkResponse, error: unknown): void {
  if (error === undefined && res.headersSent) return;
  const exchange = exchangeOf(req);
  const app = exchange === null ? req.app : exchange.app;
  if (error !== undefined) {
    const owner = exchange === null ? app : exchange.appOf(error);
    owner.reportError(error, { req, phase: "handler", isTold: isTold(exchange, res, error) });
  }
  // the rest of the body is not needed: its reader has failed, or called next()
  exchange?.reading?.drop();
  if (res.headersSent) {
    // too late for a page: a truncated response must not look complete
    if (!res.writableEnded) res.destroy(error instanceof Error ? error : new Error(String(error)));
    return;
  }
  // Express's page is the same for every client
  const isExpress = (app?.[profileKey] ?? null) !== null;
  const problem = isExpress ? undefined : problemOf(error);
  // browsers prefer HTML; clients that accept nothing specific, or everything, get the problem
  const asJson = problem === undefined ? !isExpress && prefers(req, "json", "html") : !prefers(req, "html", "json");
  // not app.get, which allocates; a request created by the program may lack an application
  const isPlain = isExpress || asJson || app?.settings["env"] !== "development";
  if (error === undefined && exchange !== null && res[untouchedKey] && req.method !== "HEAD" && isPlain && !isExpress) {
    return sendNotFound(exchange, req, res, asJson);
  }
  const status = error === undefined ? 404 : statusOf(error, res.statusCode);
  const message = error === undefined ? cannot(req.method, req.originalUrl) : messageOf(error, status, app.get("env"));
  for (const name of res.getHeaderNames()) if (isAboutBody(name)) res.removeHeader(name);
  if (error !== undefined) {
    for (const [name, value] of Object.entries(headersOf(error))) res.setHeader(name, value);
  }
  res.statusCode = status;
  res.statusMessage = "";
  res.setHeader("Content-Security-Policy", isPlain ? "default-src 'none'" : DEVELOPMENT_POLICY);
  res.setHeader("X-Content-Type-Options", "nosniff");
  if (!isExpress) res.vary("Accept");
  const body = asJson
    ? JSON.stringify(problem ?? { error: message })
    : isPlain
    ? page(message)
    : developmentPage({ req, app, error, status, message: pageText(message) });
  res.setHeader("Content-Type", asJson ? (problem === undefined ? JSON_UTF8 : "application/problem+json") : HTML);
  // a number, which loggers and adapters can observe
  if (isExpress) res.setHeader("Content-Length", utf8Length(body));
  res[endWholeKey](body, true);
}

// aborts a body being sent, with the error, which some runtimes report
function isTold(exchange: Exchange | null, res: FrameworkResponse, error: unknown): boolean {
  if (exchange === null) return false;
  const { app, streaming, target } = exchange;
  return streaming !== null && !res.writableEnded && error instanceof Error &&
    (app[runtimeKey].tellsOfBodies?.(target.request) ?? false);
}

function sendNotFound({ respond }: Exchange, req: FrameworkRequest, res: FrameworkResponse, asJson: boolean): void {
  const message = cannot(req.method, req.originalUrl);
  const text = asJson ? JSON.stringify({ error: message }) : page(message);
  if (respond !== null) return res[pageKey](respond(text, 404, "", asJson ? JSON_HEAD : PAGE_HEAD), text);
  const init = asJson ? notFound.json ??= notFoundInit(JSON_HEAD) : notFound.page ??= notFoundInit(PAGE_HEAD);
  res[pageKey](new (responseClass())(text, init), text);
}

function cannot(method: string, target: string): string {
  return `Cannot ${method} ${encodePath(target)}`;
}

// headers that describe a body no longer sent
function isAboutBody(name: string): boolean {
  return /^content-(?:encoding|language|range|length|type|disposition)$|^etag$|^last-modified$|^transfer-encoding$/
    .test(name);
}

function prefers(req: FrameworkRequest, wanted: "html" | "json", other: "html" | "json"): boolean {
  const accept = req.get("accept");
  return accept !== undefined && accept.includes(wanted) && req.accepts(other, wanted) === wanted;
}

// RFC 9457: an error with its details as JSON. A server error may carry a different server's details, which must stay
// private.
function problemOf(error: unknown): object | undefined {
  // most calls are for a 404 without an error, which must not allocate
  if (typeof error !== "object" || error === null) return undefined;
  const { problem, expose } = error as { problem?: unknown; expose?: unknown };
  if (typeof problem !== "object" || problem === null) return undefined;
  const status = ownStatusOf(error);
  return status !== undefined && (status < 500 || expose === true) ? problem : undefined;
}

function statusOf(error: unknown, present: number): number {
  return ownStatusOf(error) ?? (isErrorStatus(present) ? present : 500);
}

function ownStatusOf(error: unknown): number | undefined {
  const { status, statusCode } = (error ?? {}) as { status?: unknown; statusCode?: unknown };
  return [status, statusCode].find(isErrorStatus);
}

function isErrorStatus(given: unknown): given is number {
  return typeof given === "number" && Number.isInteger(given) && given >= 400 && given <= 599;
}

// without a valid status, an error's `headers` mean something else
function headersOf(error: unknown): Record<string, string> {
  const { headers } = (error ?? {}) as Record<string, unknown>;
  return ownStatusOf(error) === undefined || typeof headers !== "object" || headers === null
    ? {}
    : headers as Record<string, string>;
}

function messageOf(error: unknown, status: number, env: unknown): string {
  if (env === "production") return statusMessage(status);
  if (error instanceof Error) return errorDetails(error);
  const described = (error as { stack?: unknown; toString?: unknown } | null) ?? {};
  if (described.stack) return String(described.stack);
  // an object without a prototype cannot be converted to a string
  return (typeof described.toString === "function" && String(error)) || statusMessage(status);
}

function encodePath(target: string): string {
  const query = target.search(/[?#]/);
  const path = query === -1 ? target : target.slice(0, query);
  // the test takes a tenth of the encoding time
  return /[^\x21\x23\x24\x26-\x3b\x3d\x3f-\x5f\x61-\x7a\x7c\x7e]/.test(path) ? encodeUrl(path) : path;
}

function page(message: string): string {
  const body = /["&'<>\n]| {2}/.test(message) ? pageText(message) : message;
  return '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>Error</title>\n</head>\n' +
    `<body>\n<pre>${body}</pre>\n</body>\n</html>\n`;
}

function pageText(message: string): string {
  return escapeHtml(message).replaceAll("\n", "<br>").replaceAll("  ", " &nbsp;");
}
