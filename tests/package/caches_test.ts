/** `docs/caches.md` names every cache. */
import { assertEquals } from "@std/assert";
import { keptIn } from "../support/kept_state.ts";
import { sourcePaths } from "../support/sources.ts";

const ROOT = new URL("../../", import.meta.url);

/** State that outlives a call but is not a cache: reason, file, names. */
const NO_CACHES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "belongs to one request, response, body or call, and ends with it": {
    "src/app/report_error.ts": "reported objects",
    "src/dispatch/handler_events.ts": "paths #seen error",
    "src/dispatch/observed_source.ts": "observers",
    "src/dispatch/param_run.ts": "#called continued",
    "src/dispatch/request_span.ts": "taken",
    "src/dispatch/walk.ts": "#runs",
    "src/exchange/exchange.ts": "#coldFields peer left",
    "src/exchange/target.ts": "#coldFields",
    "src/exchange/telemetry_guard.ts": "result hasRun failure",
    "src/http/nested_query.ts": "#overflow #conflict",
    "src/lambda/streaming_handler.ts": "proceed",
    "src/node/hosted_call.ts": "originalUrl",
    "src/node/incoming_body.ts": "#release",
    "src/node/incoming_request.ts": "#url #web #body #carrier #signal",
    "openapi/src/validate/validate.ts": "replacedKey",
    "src/middleware/overload/load.ts": "#upgrading isCounted",
    "src/platform/deno/deno_platform.ts": "taken",
    "src/platform/deno/close_unopened.ts": "timer",
    "src/platform/deno/request_record.ts": "#controller",
    "src/platform/shared/builtin_files.ts": "position",
    "src/platform/shared/builtin_inflater.ts": "isOver isRead proceed",
    "src/request/body/whole_body.ts": "#collector",
    "src/request/framework_request.ts": "cookies parsedKey",
    "src/request/node/body_pipes.ts": "#pipes",
    "src/request/node/header_record.ts": "name",
    "src/request/node/incoming_message.ts":
      "headers host asciiLowerCase(name) socket requestStateKey transfer-encoding",
    "src/request/node/readable_body.ts": "#loops #pipes",
    "src/response/framework_response.ts": "localsKey body contentType",
    "src/response/node/header_methods.ts": "content-length name",
    "src/response/node/response_state.ts": "#headers",
    "src/response/web/body_stream.ts": "#waiting #drain",
    "src/response/web/streamed_body.ts": "chunks isClosed proceed",
    "src/uws/incoming_upload.ts": "#stream",
    "src/uws/uws_call.ts": "#listeners #address",
    "src/uws/uws_request.ts": "#url #web #carrier",
    "src/util/encodings.ts": "left",
    "src/util/expected_errors.ts": "echoes",
    "src/util/stack_frames.ts": "count",
    "src/websocket/serve_connection.ts": "#pending",
    "src/websocket/ws_connection.ts": "#outgoing #waiting",
    "middleware/src/csrf/token_secrets.ts": "csrfSecret #sent",
    "middleware/src/session/hold_response.ts": "#hidden",
    "middleware/src/session/live_session.ts": "#kept",
    "middleware/src/session/request_session.ts": "#cookie",
    "middleware/src/timeout/abortable_signal.ts": "controller expired",
    "middleware/src/upload/function_store.ts": "controller isOver failure reading",
    "middleware/src/upload/reception.ts": "file fieldname #left",
    "advanced/src/frameworks/context_limiter.ts": "#decisions",
    "advanced/src/http/fetch_limit.ts": "all response ending",
    "advanced/src/limiter/limiter.ts": "latest",
    "advanced/src/policy/calendar_window.ts": "n number",
  },
  "lists what is open or awaited at the moment, and forgets it when that ends": {
    "src/app/lifecycle.ts": "#background #closing stopped",
    "src/app/server.ts": "#finished",
    "advanced/src/http/policy_lookup.ts": "#underWay",
    "src/exchange/closing.ts": "closings",
    "src/exchange/disconnect_watch.ts": "younger older stopTimer",
    "src/exchange/send_budget.ts": "used holders isReported",
    "src/exchange/open_streams.ts": "#watchers",
    "src/exchange/pending_requests.ts": "waiting readings lookedAt lastThen receiver promised #wrapped",
    "src/lambda/invocation.ts": "#background",
    "src/node/connection_limits.ts": "sockets #timed",
    "src/node/idle_session.ts": "timer",
    "src/node/node_server.ts": "#open #upgrades #sessions #last",
    "src/platform/bun/bun_platform.ts": "silences",
    "src/platform/deno/slow_client_guard.ts": "waiting added isHeard looks timer",
    "src/platform/shared/heartbeat.ts": "#members running",
    "src/platform/shared/slow_clients.ts": "#standing",
    "src/redis/redis_broker.ts": "#wanted #held #changing #stopListening",
    "src/request/body/body_wait.ts": "patiences waits",
    "src/uws/uws_server.ts": "#open #sockets",
    "src/workers/object_sockets.ts": "#known",
    "middleware/src/log/log.ts": "#pending #heard #app failure log",
    "middleware/src/sse/sse.ts": "#waiting #room #closed",
    "middleware/src/sse/streams_of_app.ts": "open",
    "middleware/src/upload/upload.ts": "files",
  },
  "is what is counted or stored, not a copy of it": {
    "limiting/store_clock.ts": "latest lead start",
    "src/dispatch/pages.ts": "#budgets #exempted",
    "src/exchange/telemetry_guard.ts": "reported",
    "middleware/src/request_id/active_trace.ts": "told",
    "src/request/body/body_budget.ts": "announced",
    "src/util/fair_budget.ts": "open",
    "src/response/files/file_chunks.ts": "sending",
    "src/websocket/connections.ts": "#open #topics",
    "limiting/exhausted_limits.ts": "EXHAUSTED",
    "limiting/requests_in_progress.ts": "#abandoned",
    "limiting/slot_table.ts": "#slots #shares #shared",
    "middleware/src/health/health.ts": "#failing routes",
    "middleware/src/metrics/duration_histogram.ts": "#series",
    "middleware/src/metrics/metrics.ts": "#inFlight #measured routes",
    "middleware/src/session/memory_session_store.ts": "#sessions",
    "advanced/src/algorithms/concurrency.ts": "begun",
    "advanced/src/concurrency/adaptive_concurrency.ts": "inFlight admitted isOver",
    "advanced/src/dashboard/dashboard_server.ts": "#instance",
    "advanced/src/http/delay.ts": "waiting",
    "advanced/src/limiter/cancellation.ts": "cancel",
    "advanced/src/limiter/limiter.ts": "given #refusals",
    "advanced/src/limiter/settlement.ts": "settlements",
    "advanced/src/limiter/store_users.ts": "users used",
    "advanced/src/limiter/top_refusals.ts": "#counts",
    "advanced/src/limiter/wait_queue.ts": "#lanes #cancellations #paused lane #closed",
    "advanced/src/policy/charge.ts": "charges",
    "advanced/src/stores/cell_columns.ts": "#blocks block",
    "advanced/src/stores/compare_and_set_store.ts": "#closing",
    "advanced/src/stores/key_table.ts": "#shared",
    "advanced/src/stores/keyed_mutex.ts": "#lines",
    "advanced/src/stores/memory_store.ts": "#tables",
    "advanced/src/stores/postgres_rows.ts": "#making",
    "advanced/src/stores/rate_limit_object.ts": "#memory #loading",
    "advanced/src/stores/redis/lazy_client.ts": "current connecting closed",
    "advanced/src/stores/redis/shared_client.ts": "own closed",
    "advanced/src/stores/sqlite_store.ts": "#prepared",
    "advanced/src/wrappers/failure_policy.ts": "#late #ended",
    "advanced/src/wrappers/leases.ts": "#leases #asking asking",
    "advanced/src/wrappers/timers.ts": "cancel ahead",
  },
  "is what the program has registered or set": {
    "middleware/src/context/current_request.ts": "STORAGE",
    "openapi/src/schema/convert_schema.ts": "converters",
    "src/app/enclosing_app.ts": "hosts",
    "src/app/framework_app.ts": "#untouchedDefaults made #connections",
    "src/app/listen_options.ts": "hostname",
    "src/dispatch/host_server.ts": "ownFetches",
    "src/node/node_limits.ts": "maxStreams",
    "src/util/case_sensitivity.ts": "isCaseSignificant",
    "src/dispatch/server_timing.ts": "timingsExist isSent",
    "src/matching/layer_call.ts": "replacedCall replacedErrorCall",
    "src/matching/steps.ts": "calledBy",
    "src/matching/present_syntax.ts": "wildcards",
    "src/matching/registrations.ts": "registrationEpoch socketsExist pagesExist",
    "src/node/upgrade_handler.ts": "handlers taken",
    "src/platform/cloudflare/cloudflare_platform.ts": "upgrades",
    "src/response/node/outgoing_message.ts": "isShown",
    "src/routing/router.ts": "paramHandlers made",
    "src/util/expected_peers.ts": "PEERS",
    "src/util/guard_client.ts": "GUARDS guard isOver",
    "src/util/sequence.ts": "SEQUENCE",
    "src/views/view.ts": "this.ext refusal",
    "src/workers/durable_sockets.ts": "applications",
    "advanced/src/http/request_limiter.ts": "reportKey",
    "advanced/src/rules/policy_rules.ts": "#users",
    "advanced/src/stores/counter_location.ts": "homes",
    "advanced/src/stores/counter_store.ts": "windows #closing",
  },
  "knows which warnings were given": {
    "src/app/default_env.ts": "assumed told",
    "src/dispatch/returned_value.ts": "toldOf",
    "src/matching/path_pattern.ts": "key examined",
    "src/middleware/static_files.ts": "isRootKnown",
    "src/util/development_warning.ts": "given noted isWarningNoted",
    "middleware/src/request_id/request_id.ts": "warned",
    "middleware/src/session/live_session.ts": "warned",
    "src/util/guard_client.ts": "quietUntil",
    "limiting/warn_once.ts": "WARNED",
    "advanced/src/http/default_names.ts": "inUse",
    "advanced/src/limiter/same_counters.ts": "counting",
  },
  "belongs to one run of a command or a test, or to the making of one document": {
    "src/cli/program_apps.ts": "made chosen wake",
    "src/cli/watch.ts": "changed timer",
    "openapi/src/check/schemas.ts": "#validators",
    "openapi/src/document/components.ts": "references uses seen",
    "openapi/src/schema/library_options.ts": "names next",
    "openapi/src/schema/object_shape.ts": "properties",
    "openapi/src/document/openapi.ts": "#missing #byShape known.path method",
    "openapi/src/document/operation_ids.ts": "#taken",
    "openapi/src/generate/client_routes.ts": "#byShape",
    "openapi/src/generate/client_text.ts": "#alone",
    "openapi/src/document/responses.ts": "default",
    "advanced/src/simulate/field_log.ts": "requestOf object separator columns names",
    "advanced/src/simulate/read_log.ts": "formats reader",
    "advanced/src/simulate/replay.ts": "#policies #tiers #leases",
    "advanced/src/simulate/tally.ts": "keys",
    "advanced/src/simulate/time_bins.ts": "#bins",
    "advanced/src/testing/contract/model_batch.ts": "#models",
    "advanced/src/testing/contract/promises.ts": "last",
    "advanced/src/testing/contract/settling.ts": "last",
    "advanced/src/testing/reference_model.ts": "level at",
    "advanced/src/testing/seeded_random.ts": "state",
  },
  "is a data structure, or memory that each call begins with anew": {
    "src/util/emitter.ts": "listeners ran",
    "src/util/generational_cache.ts": "#young #old",
    "src/util/murmur3.ts": "h1 h2 h3 h4",
    "src/util/sha1.ts": "h0 h1 h2 h3 h4",
    "limiting/chunked_list.ts": "slot>>>BITS",
    "limiting/key_map.ts": "#first #others mapOf(key)",
  },
};

const page = await Deno.readTextFile(new URL("docs/caches.md", ROOT));
const onPage = [...page.matchAll(/`([\w./]+\.ts)`: ((?:`[^`]+`(?:, )?)+)/g)].flatMap(([, path, names]) =>
  [...names!.matchAll(/`([^`]+)`/g)].map(([, name]) => `${path}: ${name}`)
);
const excused = Object.values(NO_CACHES).flatMap((files) =>
  Object.entries(files).flatMap(([path, names]) => names.split(" ").map((name) => `${path}: ${name}`))
);

async function read(path: string): Promise<string> {
  return await Deno.readTextFile(new URL(path, ROOT));
}

const kept = new Set<string>();
for (const folder of ["src/", "limiting/", "shared/", "middleware/src/", "openapi/src/", "advanced/src/"]) {
  for (const path of await sourcePaths(folder)) {
    for (const name of keptIn(path, await read(path))) kept.add(`${path}: ${name}`);
  }
}

Deno.test("whatever outlives a call is a cache on the page of caches, or listed here as none", () => {
  const known = new Set([...onPage, ...excused]);
  assertEquals([...kept].filter((one) => !known.has(one)), [], "describe it in docs/caches.md, or add it to NO_CACHES");
});

Deno.test("the list of what is no cache has nothing that is gone, or that is on the page", () => {
  assertEquals(excused.filter((one) => !kept.has(one) || onPage.includes(one)), []);
});

Deno.test("the page of caches names only what is in the sources", async () => {
  assertEquals(onPage.length, new Set(onPage).size);
  for (const one of onPage) {
    const [path, name] = one.split(": ");
    assertEquals((await read(path!)).includes(name!), true, one);
  }
});

Deno.test("caches of modules, fields and closures are found, and constants and what ends with a call are not", () => {
  const program = `
    let last = ""; const known = new Map(); const cache = new GenerationalCache<string>(8);
    const CODES = new Set([1, 2]); const NONE: ReadonlySet<string> = new Set();
    class Parser { #seen = new WeakMap(); readonly limit = 8; get made() { return this.#made ??= make(); } }
    function parser() { let usual; const verdicts = new Map(); return (type) => usual = verdicts.get(type); }
    function sum(list) { let total = 0; list.forEach((one) => total += one); const own = new Map(); return own; }
  `;
  assertEquals(keptIn("a.ts", program), ["last", "known", "cache", "#seen", "#made", "usual", "verdicts"]);
});
