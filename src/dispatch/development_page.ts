import { type AppLike, routesSeenKey, type SeenRoute } from "../exchange/app_like.ts";
import { exchangeOf } from "../exchange/exchange.ts";
import type { FrameworkRequest } from "../request/framework_request.ts";
import { describe, reasonOf } from "../util/error_text.ts";
import { escapeHtml } from "../util/escape_html.ts";
import { REDACTED, redactedTarget, redactedText } from "../util/redacted_text.ts";
import { isSecretName } from "../util/secret_names.ts";
import { programFrame, type SourcePosition } from "../util/stack_frames.ts";
import { frameworkFolder } from "./error_details.ts";
import { handles, nameOf, nearRoutes } from "./near_routes.ts";
import { runtimeKey } from "../util/runtime_key.ts";

/** The page's style; {@linkcode DEVELOPMENT_POLICY} contains its hash. */
const STYLE = ":root{color-scheme:light dark;font:15px/1.5 system-ui,sans-serif}" +
  "body{max-width:70rem;margin:0 auto;padding:1rem;overflow-wrap:anywhere}" +
  "pre,.source{display:block;overflow-x:auto;padding:.75rem 1rem;border-radius:.5rem;background:#8882;" +
  "font:13px/1.6 ui-monospace,monospace}.source{white-space:pre}" +
  "mark{display:inline-block;min-width:100%;background:#e534;color:inherit}" +
  "h2{margin:1.5rem 0 .5rem;font-size:1rem}p,ul{margin:.25rem 0}" +
  "table{width:100%;table-layout:fixed;border-collapse:collapse}" +
  "th,td{padding:.25rem .75rem .25rem 0;text-align:left;vertical-align:top}th{width:36%;font-weight:600}";

/** Its `Content-Security-Policy`, which allows only this style. */
export const DEVELOPMENT_POLICY = "default-src 'none'; style-src 'sha256-FMrIB4V/wuaqv3mn0jojxUO8Zjk74PWz2tXpFZnHgUM='";

/** Lines shown around the line that threw. */
const AROUND = 4;
/** Characters shown from a line, and how many of them precede the column: a minified program is one line. */
const WIDTH = 200;
const BEFORE = 80;

/** Characters shown from one value: a header may have thousands. */
const SHOWN = 1000;

/** The page's contents. */
export interface Shown {
  /** The request. */
  readonly req: FrameworkRequest;
  /** The application that handles it. */
  readonly app: AppLike;
  /** The error, or `undefined` if there is none. */
  readonly error: unknown;
  /** The response status. */
  readonly status: number;
  /** Express's page contents, as HTML. */
  readonly message: string;
}

/**
 * Builds the page a developer sees for an error or a 404. To Express's page it adds the line that threw, the routes,
 * and the request without its secrets. It reads sources and lists routes, so it is for development only.
 *
 * @param shown The page's contents
 */
export function developmentPage(shown: Shown): string {
  let found: Found = { routes: [], matched: undefined };
  const sections = [
    section("Source", () => sourceOf(shown)),
    section("Route", () => routeOf(shown, found = find(shown))),
    section("Request", () => requestOf(shown.req, found.matched?.params ?? {})),
  ];
  return '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>Error</title>\n' +
    '<meta name="viewport" content="width=device-width">\n' +
    `<style>${STYLE}</style>\n</head>\n<body>\n<pre>${shown.message}</pre>\n${sections.join("")}</body>\n</html>\n`;
}

// parts the program has replaced, such as the query parser, may throw, perhaps the same error being shown
function section(title: string, build: () => string): string {
  let body: string;
  try {
    body = build();
  } catch (failure) {
    body = `<p>It cannot be shown: ${escapeHtml(reasonOf(failure))}</p>\n`;
  }
  return body === "" ? "" : `<h2>${title}</h2>\n${body}`;
}

function sourceOf({ app, error }: Shown): string {
  const position = positionOf(error);
  if (position === null) return "";
  const text = app[runtimeKey].files?.sourceText(position.path);
  if (text === undefined) return "";
  const lines = text.split("\n");
  const first = Math.max(1, position.line - AROUND);
  const excerpt = lines.slice(first - 1, position.line + AROUND).map((line, i) => numbered(line, first + i, position));
  // the file may have become shorter since it was loaded
  if (position.line > lines.length) return "";
  const { path, line, column } = position;
  return `<p>${escapeHtml(`${path}:${line}:${column}`)}</p>\n<code class="source">${excerpt.join("\n")}</code>\n`;
}

function positionOf(error: unknown): SourcePosition | null {
  const { stack, message } = (error ?? {}) as { stack?: unknown; message?: unknown };
  if (typeof stack !== "string") return null;
  // message lines may look like frames, and a client may have chosen them, even if the message has changed since
  const shown = typeof message === "string" ? message : "";
  const begin = stack.indexOf(shown);
  return begin === -1 ? null : programFrame(stack.slice(begin + shown.length), frameworkFolder());
}

function numbered(line: string, number: number, at: SourcePosition): string {
  const start = line.length <= WIDTH ? 0 : Math.max(0, at.column - BEFORE);
  const text = `${String(number).padStart(String(at.line + AROUND).length)}  ${
    line.slice(start, start + WIDTH).trimEnd()
  }`;
  return number === at.line ? `<mark>${escapeHtml(text)}</mark>` : escapeHtml(text);
}

/** The routes, and the route that ran or would have run. */
interface Found {
  readonly routes: readonly SeenRoute[];
  readonly matched: SeenRoute | undefined;
}

function find({ req, app }: Shown): Found {
  const routes = app[routesSeenKey](pathOf(req));
  const leadsTo = (route: SeenRoute): boolean => route.params !== null && handles(route, req.method);
  const ran = routes.filter(({ route }) => route === req.route);
  return { routes, matched: ran.find(leadsTo) ?? ran[0] ?? routes.find(leadsTo) };
}

// relative to the outermost application, and as rewritten by middleware
function pathOf(req: FrameworkRequest): string {
  return exchangeOf(req)?.target.path ?? req.path;
}

function routeOf({ req, error, status }: Shown, { routes, matched }: Found): string {
  if (matched !== undefined) {
    if (matched.route !== req.route) return `<p>No route has run. ${code(nameOf(matched))} matches.</p>\n`;
    return `<p>${code(nameOf(matched))}${error === undefined ? " has passed the request on" : ""}</p>\n`;
  }
  const others = [...new Set(routes.filter(({ params }) => params !== null).map(({ method }) => method))];
  const near = status === 404 ? nearRoutes(routes, pathOf(req)) : [];
  return "<p>No route matches.</p>\n" +
    (others.length === 0 ? "" : `<p>This path has routes for ${escapeHtml(others.join(", "))}.</p>\n`) +
    (near.length === 0
      ? ""
      : `<p>Similar routes:</p>\n<ul>${near.map((name) => `<li>${code(name)}</li>`).join("")}</ul>\n`);
}

function code(text: string): string {
  return `<code>${escapeHtml(text)}</code>`;
}

function requestOf(req: FrameworkRequest, params: Readonly<Record<string, unknown>>): string {
  const headers = req.headers ?? {};
  return `<p>${code(`${req.method} ${redactedTarget(req.originalUrl, params)}`)}</p>\n` +
    `<p>${escapeHtml(bodyOf(headers))}</p>\n` +
    table("Headers", () => headers) + table("Query", () => req.query) + table("Parameters", () => params);
}

function bodyOf(headers: Readonly<Record<string, unknown>>): string {
  const { "content-type": type, "content-length": length, "transfer-encoding": coding } = headers;
  if (type === undefined && length === undefined && coding === undefined) return "No body";
  return `Body: ${type ?? "without a type"}, ${length === undefined ? "of unknown size" : `${length} bytes`}`;
}

function table(title: string, read: () => object | null | undefined): string {
  return section(title, () => {
    const rows = Object.entries(read() ?? {}).map(([name, value]) =>
      `<tr><th scope="row">${escapeHtml(name)}</th><td>${escapeHtml(shownValue(name, value))}</td></tr>\n`
    );
    return rows.length === 0 ? "" : `<table>\n${rows.join("")}</table>\n`;
  });
}

function shownValue(name: string, value: unknown): string {
  const shown = redacted(name, value);
  const text = typeof shown === "string" ? shown : JSON.stringify(value, redacted) ?? describe(value);
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}

function redacted(name: string, value: unknown): unknown {
  if (isSecretName(name)) return REDACTED;
  return typeof value === "string" ? redactedText(value) : value;
}
