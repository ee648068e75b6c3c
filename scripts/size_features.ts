/** The feature each core file belongs to, in users' terms; used by `deno task size`. */

/** A core feature. */
export interface Feature {
  /** Its name in the table. */
  readonly name: string;
  /** Why every application includes it, even without using it. */
  readonly why: string;
  /** Files, folders (with a trailing slash) and packages (`npm:name`). The longest matching entry wins. */
  readonly files: readonly string[];
}

/** The features. */
export const FEATURES: readonly Feature[] = [
  {
    name: "routing",
    why: "used by every application",
    files: [
      "src/matching/",
      "src/routing/",
      "src/dispatch/walk.ts",
      "src/dispatch/param_run.ts",
      "src/dispatch/merge_params.ts",
      "src/dispatch/returned_value.ts",
      "src/util/empty_params.ts",
      "src/util/case_sensitivity.ts",
      "src/util/path_spelling.ts",
      "npm:path-to-regexp",
    ],
  },
  {
    name: "errors for Express 4's paths, and patterns that take too long",
    why: "any path may be one, and is refused while routes are registered, which is synchronous",
    files: ["src/matching/present_syntax.ts", "src/matching/regexp_shape.ts", "src/matching/ambiguity.ts"],
  },
  {
    name: "lists of routes, and pages beside them",
    why: "methods of `Router` and of the application; OpenAPI and `sluice routes` read them",
    files: [
      "src/routing/detailed_routes.ts",
      "src/routing/route_listing.ts",
      "src/routing/route_paths.ts",
      "src/routing/seen_routes.ts",
      "src/routing/layer_views.ts",
      "src/util/handler_details.ts",
      "src/util/inspection.ts",
      "src/dispatch/pages.ts",
      "src/util/exempt_pages.ts",
    ],
  },
  {
    name: "applications, requests and middleware of other packages",
    why: "`app.use` takes applications of Express, and handlers get what middleware has derived from `req`",
    files: [
      "src/routing/express_mount.ts",
      "src/routing/fetch_mount.ts",
      "src/routing/middleware_shims.ts",
      "src/dispatch/foreign_target.ts",
      "src/dispatch/host_server.ts",
      "src/dispatch/node_request.ts",
      "src/app/foreign_prototype.ts",
      "src/exchange/derived_object.ts",
      "src/util/original_object.ts",
      "src/response/web/foreign_response.ts",
    ],
  },
  {
    name: "the application and its settings",
    why: "used by every application",
    files: ["src/app/", "tests/package/bundles/"],
  },
  {
    name: "listening and closing",
    why: "`app.listen` and `app.close` are methods of the application",
    files: [
      "src/app/lifecycle.ts",
      "src/app/listen_options.ts",
      "src/app/server.ts",
      "src/app/server_limits.ts",
      "src/exchange/closing.ts",
      "src/exchange/pending_requests.ts",
      "src/exchange/open_streams.ts",
      "src/platform/shared/until_quiet.ts",
      "src/platform/shared/listening_at.ts",
      "src/platform/shared/slow_clients.ts",
    ],
  },
  {
    name: "an exchange, from request to response",
    why: "used by every application",
    files: ["src/exchange/", "src/dispatch/handle_request.ts", "src/util/"],
  },
  {
    name: "hosts and addresses of clients",
    why: "`req.ip`, `req.host` and `trust proxy`; a `Host` that names a path is refused",
    files: [
      "src/http/host.ts",
      "src/http/ip_address.ts",
      "src/http/trust_proxy.ts",
      "src/request/client_address.ts",
      "src/dispatch/improper_host.ts",
      "src/platform/shared/peer_of.ts",
    ],
  },
  {
    name: "`req`: Express's properties and methods",
    why: "used by every application",
    files: ["src/request/", "src/http/request_as_sent.ts"],
  },
  {
    name: "queries",
    why: "`req.query`, and the setting `query parser`, which may be set at any time",
    files: ["src/http/nested_query.ts", "src/http/query_string.ts"],
  },
  {
    name: "content types and negotiation",
    why: "`req.is`, `req.accepts` and `res.format` are synchronous methods; every error page negotiates",
    files: [
      "src/http/negotiation.ts",
      "src/http/header_values.ts",
      "src/request/accepting.ts",
      "src/request/match_content_type.ts",
      "npm:content-type",
      "npm:type-is",
    ],
  },
  {
    name: "media types of extensions",
    why: "`res.type` and `req.accepts` take extensions, synchronously",
    files: ["src/http/media_types.ts", "src/http/media_type_table.ts"],
  },
  {
    name: "reading bodies",
    why: "methods of `req`, which also read within limits what parsers of npm read",
    files: ["src/request/body/", "src/util/encodings.ts", "src/util/json_depth.ts"],
  },
  {
    name: "body parsers",
    why: "properties of the default export; a program that imports `FrameworkApp` instead does not have them",
    files: ["src/middleware/body/", "src/http/form_parts.ts"],
  },
  {
    name: "budgets of bodies and of slow clients",
    why: "limits of what strangers make a process hold, on without an option",
    files: [
      "src/exchange/send_budget.ts",
      "src/request/body/body_budget.ts",
      "src/util/fair_budget.ts",
      "src/util/linked_list.ts",
      "src/util/bytes_setting.ts",
    ],
  },
  {
    name: "`res`: Express's properties and methods",
    why: "used by every application",
    files: [
      "src/response/",
      "src/http/status_text.ts",
      "src/http/http_date.ts",
      "npm:content-disposition",
      "npm:encodeurl",
    ],
  },
  {
    name: "the `Response` of a `res`",
    why: "used by every application",
    files: ["src/response/web/", "src/exchange/response_class.ts"],
  },
  {
    name: "entity tags and conditions",
    why: "every response has a tag; WebCrypto makes Express's, which are a setting, only asynchronously",
    files: [
      "src/http/entity_tag.ts",
      "src/http/freshness.ts",
      "src/util/murmur3.ts",
      "src/util/sha1.ts",
      "src/platform/shared/builtin_entity_tag.ts",
    ],
  },
  {
    name: "cookies and their signatures",
    why: "`res.cookie` signs synchronously, and WebCrypto does not",
    files: ["src/request/cookies.ts", "src/response/set_cookie.ts", "src/util/sha256.ts", "npm:cookie-es"],
  },
  {
    name: "Node's streams: events, pipes, `write` and `end`",
    why: "middleware of npm calls them on any `req` and `res`; [75](../decisions/0075-streams-of-node.md)",
    files: [
      "src/request/node/",
      "src/response/node/",
      "src/util/emitter.ts",
      "src/util/chunk_bytes.ts",
      "src/platform/shared/node_bytes.ts",
    ],
  },
  {
    name: "files",
    why: "`res.sendFile` is a method, `static` a property of the default export; Workers have files, too",
    files: [
      "src/response/files/",
      "src/middleware/static_files.ts",
      "src/http/byte_range.ts",
      "src/util/file_paths.ts",
      "src/platform/shared/builtin_files.ts",
      "src/platform/shared/source_text.ts",
    ],
  },
  {
    name: "views",
    why: "`app.render` and `res.render` are methods",
    files: ["src/views/", "src/platform/shared/installed_package.ts"],
  },
  {
    name: "WebSockets",
    why: "`app.ws` is a method of routers, and routes are matched with those of HTTP",
    files: [
      "src/websocket/",
      "src/routing/socket_route.ts",
      "src/platform/bun/bun_socket.ts",
      "src/platform/shared/handled_socket.ts",
      "src/platform/cloudflare/cloudflare_socket.ts",
      "src/platform/shared/heartbeat.ts",
    ],
  },
  { name: "OPTIONS", why: "every router responds to it", files: ["src/dispatch/options_response.ts"] },
  {
    name: "errors, their page and their report",
    why: "used by every application",
    files: [
      "src/dispatch/error_page.ts",
      "src/app/enclosing_app.ts",
      "src/app/report_error.ts",
      "src/http/http_error.ts",
      "src/util/error_text.ts",
      "src/util/escape_html.ts",
      "src/util/redacted_text.ts",
      "src/util/secret_names.ts",
      "src/util/expected_errors.ts",
      "src/util/coded_error.ts",
    ],
  },
  {
    name: "advice in development",
    why: "developers see it without an import, and no bundler knows where a program will run",
    files: [
      "src/dispatch/development_page.ts",
      "src/dispatch/near_routes.ts",
      "src/dispatch/error_details.ts",
      "src/util/stack_frames.ts",
      "src/util/nearest_name.ts",
      "src/util/development_warning.ts",
    ],
  },
  {
    name: "names for traces, `Server-Timing`",
    why: "a tracer is set up outside of the application, which has to notice it at any time",
    files: [
      "src/dispatch/handler_events.ts",
      "src/dispatch/observation.ts",
      "src/dispatch/observed_source.ts",
      "src/dispatch/request_span.ts",
      "src/dispatch/sentry.ts",
      "src/dispatch/server_span.ts",
      "src/dispatch/server_timing.ts",
      "src/exchange/open_telemetry.ts",
      "src/exchange/telemetry_guard.ts",
      "src/platform/shared/handler_channel.ts",
    ],
  },
  { name: "Workers", why: "used by every Worker", files: ["src/platform/cloudflare/"] },
  { name: "Deno", why: "in no Worker", files: ["src/platform/deno/"] },
  { name: "Bun", why: "in no Worker", files: ["src/platform/bun/"] },
  { name: "what runtimes have in common", why: "used by every application", files: ["src/platform/"] },
];

/**
 * Returns the feature a file belongs to.
 *
 * @param path Its path below the root, or `npm:` and the package
 * @returns Its name; `undefined` if it has none
 */
export function featureOf(path: string): string | undefined {
  const fitting = FEATURES.flatMap(({ name, files }) =>
    files.filter((one) => fits(one, path)).map((one) => ({ name, one }))
  );
  return fitting.toSorted((a, b) => b.one.length - a.one.length)[0]?.name;
}

/**
 * Whether a feature's entry matches a file.
 *
 * @param entry The entry
 * @param path The file's path
 */
export function fits(entry: string, path: string): boolean {
  return path === entry || (entry.endsWith("/") && path.startsWith(entry));
}
