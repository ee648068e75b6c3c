import { errorText } from "../http/error_text.ts";
import { escapeHtml } from "../http/escape_html.ts";
import { statusText } from "../http/status_text.ts";
import { utf8Length } from "../http/utf8_length.ts";
import type { FrameworkRequest } from "../request/framework_request.ts";
import { FrameworkResponse } from "../response/framework_response.ts";

/**
 * Answers when no layer did: 404, or the page for an error that no handler took.
 *
 * Outside production the page shows the error's stack. Clients that prefer JSON get `{ "error": … }`.
 *
 * @param req The request
 * @param res The response
 * @param error The error, `undefined` for none
 */
export function finalResponse(req: FrameworkRequest, res: FrameworkResponse, error: unknown): void {
  if (error === undefined && res.headersSent) return;
  if (error !== undefined) req.app.logError(error);
  if (res.headersSent) {
    // too late for a page: a truncated answer must not look complete
    if (!res.writableEnded) res.destroy(error instanceof Error ? error : new Error(String(error)));
    return;
  }
  if (error === undefined && isUntouched(req, res)) return answerNotFound(req, res);
  const status = error === undefined ? 404 : statusOf(error, res.statusCode);
  const message = error === undefined
    ? `Cannot ${req.method} ${encodePath(req.originalUrl)}`
    : messageOf(error, status, req.app.get("env"));
  for (const name of res.getHeaderNames()) if (isAboutBody(name)) res.removeHeader(name);
  if (error !== undefined) {
    for (const [name, value] of Object.entries(headersOf(error))) res.setHeader(name, value);
  }
  res.statusCode = status;
  res.statusMessage = "";
  res.setHeader("Content-Security-Policy", "default-src 'none'");
  res.setHeader("X-Content-Type-Options", "nosniff");
  const asJson = prefersJson(req);
  const body = asJson ? JSON.stringify({ error: message }) : page(message);
  res.setHeader("Content-Type", asJson ? "application/json; charset=utf-8" : "text/html; charset=utf-8");
  // a middleware that replaced end() may make a stream of it
  res.setHeader("Content-Length", String(utf8Length(body)));
  res.end(body);
}

/** Whether nobody set a header or replaced a method: then the answer can be made at one go. */
function isUntouched(req: FrameworkRequest, res: FrameworkResponse): boolean {
  const { end, writeHead } = FrameworkResponse.prototype;
  return req.method !== "HEAD" && res.end === end && res.writeHead === writeHead && res.getHeaderNames().length === 0;
}

function answerNotFound(req: FrameworkRequest, res: FrameworkResponse): void {
  const message = `Cannot ${req.method} ${encodePath(req.originalUrl)}`;
  const asJson = prefersJson(req);
  const body = asJson ? JSON.stringify({ error: message }) : page(message);
  const response = new Response(body, {
    status: 404,
    headers: {
      "content-security-policy": "default-src 'none'",
      "x-content-type-options": "nosniff",
      "content-type": asJson ? "application/json; charset=utf-8" : "text/html; charset=utf-8",
    },
  });
  res.answer(response, body);
}

// what described the body that is not sent now
function isAboutBody(name: string): boolean {
  return /^content-(?:encoding|language|range|length|type|disposition)$|^etag$|^last-modified$|^transfer-encoding$/
    .test(name);
}

function prefersJson(req: FrameworkRequest): boolean {
  const accept = req.get("accept");
  return accept !== undefined && accept.includes("json") && req.accepts("html", "json") === "json";
}

function statusOf(error: unknown, present: number): number {
  const { status, statusCode } = (error ?? {}) as { status?: unknown; statusCode?: unknown };
  for (const given of [status, statusCode, present]) {
    if (typeof given === "number" && Number.isInteger(given) && given >= 400 && given <= 599) return given;
  }
  return 500;
}

function headersOf(error: unknown): Record<string, string> {
  const { headers, status, statusCode } = (error ?? {}) as Record<string, unknown>;
  return (status ?? statusCode) === undefined || typeof headers !== "object" || headers === null
    ? {}
    : headers as Record<string, string>;
}

function messageOf(error: unknown, status: number, env: unknown): string {
  if (env === "production") return statusText(status) ?? String(status);
  if (error instanceof Error) return errorText(error);
  const described = (error as { stack?: unknown; toString?: () => string } | null) ?? {};
  return typeof described.stack === "string" ? described.stack : String(error);
}

function encodePath(target: string): string {
  const query = target.search(/[?#]/);
  return query === -1 ? target : target.slice(0, query);
}

function page(message: string): string {
  const body = escapeHtml(message).replaceAll("\n", "<br>").replaceAll("  ", " &nbsp;");
  return '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>Error</title>\n</head>\n' +
    `<body>\n<pre>${body}</pre>\n</body>\n</html>\n`;
}
