import { tagsOf } from "./symbols.ts";
import type { PublicSymbol } from "./symbols.ts";

/** A group of symbols with its own page, if its entry point has many. */
export interface Category {
  /** Its name in URLs. */
  readonly slug: string;
  readonly title: string;
  /** Its description. */
  readonly description: string;
  /** Files or folders that declare its symbols. */
  readonly paths: readonly string[];
}

/** Categories for packages with many symbols. Folders define them; `@category` overrides that. */
export const CATEGORIES: Readonly<Record<string, readonly Category[]>> = {
  "@sluice/sluice": [
    {
      slug: "express-names",
      title: "Names of Express's types",
      description: "The names that Express's own types have, for programs that import them.",
      paths: ["src/app/express_names.ts"],
    },
    {
      slug: "application",
      title: "Application",
      description: "Making an application, its settings, listening and closing.",
      paths: ["src/app/", "src/platform/"],
    },
    {
      slug: "routing",
      title: "Routing",
      description: "Routers, routes, handlers, and what is known of them.",
      paths: ["src/routing/", "src/matching/", "src/dispatch/", "src/util/handler_details.ts"],
    },
    {
      slug: "requests",
      title: "Requests",
      description: "What a handler reads: the request, its body, and who sent it.",
      paths: ["src/request/", "src/http/range", "src/http/trust", "src/http/byte", "src/exchange/peer.ts"],
    },
    {
      slug: "responses",
      title: "Responses",
      description: "What a handler writes: status, headers, bodies, files and cookies.",
      paths: ["src/response/"],
    },
    {
      slug: "middleware",
      title: "Middleware",
      description: "Body parsers, static files, the limiter, and shedding load.",
      paths: ["src/middleware/", "limiting/"],
    },
    {
      slug: "websockets",
      title: "WebSockets",
      description: "Connections, what handles their events, and topics.",
      paths: ["src/websocket/"],
    },
    { slug: "views", title: "Views", description: "Engines and templates.", paths: ["src/views/"] },
    {
      slug: "errors",
      title: "Errors and settings",
      description: "Errors with a status, what reports them, and values of settings.",
      paths: ["src/exchange/", "src/http/"],
    },
    { slug: "helpers", title: "Helpers", description: "Small types that others are made of.", paths: ["src/util/"] },
  ],
  "@sluice/rate-limit": [
    {
      slug: "http",
      title: "Middleware and Fetch",
      description: "Limits for applications of Sluice and Express, and for handlers that take a web request.",
      paths: ["advanced/src/http/", "limiting/", "shared/", "src/http/"],
    },
    {
      slug: "frameworks",
      title: "Other frameworks",
      description: "Limits for Hono, Elysia, h3, Fastify and Koa.",
      paths: ["advanced/src/frameworks/"],
    },
    {
      slug: "dashboard",
      title: "Dashboard",
      description: "A page that shows who is limited, the rates, and how the store is.",
      paths: ["advanced/src/dashboard/"],
    },
    {
      slug: "concurrency",
      title: "Adaptive concurrency",
      description: "A limit that finds how many requests a server can process at once.",
      paths: ["advanced/src/concurrency/"],
    },
    {
      slug: "limiter",
      title: "Limiter",
      description: "Limits without HTTP: decisions, waiting, and telemetry.",
      paths: ["advanced/src/limiter/", "advanced/src/wrappers/", "src/util/"],
    },
    {
      slug: "policies",
      title: "Policies",
      description: "How much in which time, counted how; and what a store is asked.",
      paths: ["advanced/src/policy/"],
    },
    {
      slug: "rules",
      title: "Policies as data",
      description: "Limits from a document, which can be replaced while requests are served.",
      paths: ["advanced/src/rules/"],
    },
    {
      slug: "redis",
      title: "Redis",
      description: "Counters in Redis, over any of its clients.",
      paths: ["advanced/src/stores/redis/"],
    },
    {
      slug: "stores",
      title: "Stores",
      description: "Where counters are kept, and how to write a store.",
      paths: ["advanced/src/stores/"],
    },
  ],
};

/**
 * Returns a symbol's category.
 *
 * @throws {Error} If it has no category
 */
export function categoryOf(specifier: string, symbol: PublicSymbol, all: readonly Category[]): Category {
  const [tag] = tagsOf(symbol.doc, "category");
  const found = all.find(({ title, paths }) =>
    tag !== undefined ? title === tag.doc?.trim() : paths.some((path) => symbol.file.startsWith(path))
  );
  if (found !== undefined) return found;
  throw new Error(
    `${symbol.name} of ${specifier}, in ${symbol.file}, has no category: scripts/site/reference/categories.ts`,
  );
}
