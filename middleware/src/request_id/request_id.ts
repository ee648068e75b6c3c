import {
  checkNames,
  checkType,
  decided,
  describe,
  isDeveloped,
  type OptionNames,
  refuseOption,
  takeFormer,
  warnInDevelopment,
} from "@sluice/shared";
import type { Middleware, Next, Request, Response } from "@sluice/sluice";
import { currentRequest } from "../context/current_request.ts";
import { activeTrace, isTraceAppended } from "./active_trace.ts";
import { continuedTrace, headersOfTrace, newTrace, type TraceContext } from "./trace_context.ts";

/**
 * Where request ids come from.
 *
 * @example Ids from a trusted proxy
 * ```ts
 * import sluice from "@sluice/sluice";
 * import { requestId } from "@sluice/middleware/request-id";
 *
 * const app = sluice();
 * app.set("trust proxy", "loopback");
 * app.use(requestId({ headerName: "X-Correlation-Id", generator: () => crypto.randomUUID() }));
 * ```
 */
export interface RequestIdOptions {
  /** Request and response header that carries the id, `X-Request-Id` by default. */
  headerName?: string;
  /**
   * Whose ids and traces to accept. The default, `"proxy"`, accepts them from a peer that the setting `trust proxy`
   * trusts, which no other client can forge; in development, a warning names the first other peer that sends an id.
   * `true` accepts all ids, `false` accepts none; a function decides per request.
   */
  trust?: "proxy" | boolean | ((req: Request) => boolean);
  /** Generates an id: 1 to 128 letters, digits and characters of `_.:+/=@~-`. A random UUID by default. */
  generator?: (req: Request) => string;
  /** Whether to use the trace id if no id was accepted. */
  useTraceId?: boolean;
}

/** The properties that `requestId` adds to requests, for `RequestExtras`. */
export interface RequestIdExtras {
  /** The request's id. */
  id: string;
  /** Id of the trace it belongs to. */
  traceId: string;
  /** The trace, which `traceHeaders` continues. */
  trace: TraceContext;
}

/** Options from express-request-id, pino-http, hono/request-id and this package before its first version. */
const INSTEAD = {
  genReqId: "use generator",
  uuidVersion: "use generator",
  setHeader: "the header is always set",
  attributeName: "the id is req.id",
  limitLength: "ids that are longer than 128 characters are replaced",
};

const NAMES: OptionNames<RequestIdOptions> = { headerName: true, trust: true, generator: true, useTraceId: true };

/** Ids that logs, headers and commands can hold unescaped; UUIDs, ULIDs and load balancers' ids match. */
const WELL_FORMED = /^[\w.:+\/=@~-]{1,128}$/;

/** A token (RFC 9110 section 5.6.2). */
const HEADER_NAME = /^[!#$%&'*+.^`|~\w-]+$/;

/**
 * Gives each request an id, as `req.id` and in a response header, and a trace, as `req.trace` and `req.traceId`.
 *
 * The trace is that of OpenTelemetry's active span. If there is none, an accepted `traceparent` that is
 * valid by W3C Trace Context is continued; otherwise a new trace begins, which asks downstream services to record it.
 * Behind another `requestId`, such as an enclosing application's, the first id and trace are kept.
 *
 * An accepted id has 1 to 128 letters, digits and characters of `_.:+/=@~-`; any other is replaced.
 *
 * @param options Where ids come from
 * @returns The middleware
 * @throws {TypeError} If an option is unknown or of the wrong type
 *
 * @example Behind a load balancer, with the trace id as a fallback
 * ```ts
 * import sluice from "@sluice/sluice";
 * import { requestId } from "@sluice/middleware/request-id";
 *
 * const app = sluice().set("trust proxy", "loopback");
 * app.use(requestId({ useTraceId: true }));
 * ```
 */
export function requestId(given: RequestIdOptions = {}): Middleware<RequestIdExtras> {
  const options = takeFormer(
    takeFormer(given, "header", (headerName) => ({ headerName: headerName as string })),
    "generate",
    (generator) => ({ generator: generator as NonNullable<RequestIdOptions["generator"]> }),
  );
  checkNames("requestId", options, NAMES, INSTEAD);
  const { headerName: header = "X-Request-Id", trust = "proxy", generator, useTraceId = false } = options;
  if (typeof header !== "string" || !HEADER_NAME.test(header)) {
    refuseOption("requestId", "headerName", "the name of a header", header);
  }
  if (trust !== "proxy" && typeof trust !== "boolean" && typeof trust !== "function") {
    refuseOption("requestId", "trust", 'true, false, "proxy" or a function', trust);
  }
  checkType("requestId", "generator", generator, "function");
  checkType("requestId", "useTraceId", useTraceId, "boolean");
  return function requestId(req: Request, res: Response, next: Next): void {
    const first = req as Partial<RequestIdExtras>;
    if (first.id !== undefined && first.trace !== undefined) {
      res.setHeader(header, first.id);
      return next();
    }
    const isTrusted = trust === "proxy"
      ? isProxied(req)
      : typeof trust === "function"
      ? decided("requestId", "trust", trust(req))
      : trust;
    if (!isTrusted && trust === "proxy") warnOfReplaced(req, header);
    const sent = isTrusted ? req.get(header) : undefined;
    const continued = isTrusted ? continuedTrace(req.get("traceparent"), req.get("tracestate")) : undefined;
    const trace = joined(activeTrace(req.app), continued) ?? continued ?? newTrace();
    const id = sent !== undefined && WELL_FORMED.test(sent) ? sent : useTraceId ? trace.traceId : made(req, generator);
    const extras: RequestIdExtras = { id, traceId: trace.traceId, trace };
    Object.assign(req, extras);
    res.setHeader(header, id);
    next();
  };
}

/**
 * Returns the headers that continue a request's trace in outgoing requests: `traceparent`, and `tracestate` if there is
 * one. In a span of that trace, such as one that a handler starts, they continue the span.
 *
 * Returns no headers where OpenTelemetry adds them to `fetch` requests (Deno with `OTEL_DENO=true`, Node with undici's
 * instrumentation): a duplicated `traceparent` counts as absent.
 *
 * @param req A request that `requestId` has handled; by default the current one, as tracked by `context`
 * @returns The headers, for `fetch`; no headers outside any request
 * @throws {TypeError} If `requestId` has not handled it
 *
 * @example Together with other headers
 * ```ts ignore
 * await fetch(url, { headers: { ...traceHeaders(req), "X-Request-Id": req.id }, signal: req.signal });
 * ```
 */
export function traceHeaders(req: Request | undefined = currentRequest()): Record<string, string> {
  if (req === undefined) return {};
  const { trace } = req as Request & Partial<RequestIdExtras>;
  // an application has a method of this name
  if (typeof trace?.traceId !== "string") {
    throw new TypeError("traceHeaders: the request has no trace; mount requestId() in front of this handler");
  }
  if (isTraceAppended(req.app)) return {};
  const active = activeTrace(req.app);
  return headersOfTrace(active?.traceId === trace.traceId ? active : trace);
}

// OpenTelemetry's span owns the trace; if it continues the caller's `traceparent`, that header identifies the caller
function joined(active: TraceContext | undefined, sent: TraceContext | undefined): TraceContext | undefined {
  if (active === undefined || sent?.parentId === undefined || sent.traceId !== active.traceId) return active;
  return { ...active, parentId: sent.parentId };
}

function isProxied(req: Request): boolean {
  // looking up the peer has a cost that most programs need not pay
  return Boolean(req.app.get("trust proxy")) && Boolean(req.app.get("trust proxy fn")?.(req.peer.address, 0));
}

/** Applications whose developers know. */
const warned = new WeakSet<object>();

// express-request-id accepts every id, so a program written for it would miss them
function warnOfReplaced(req: Request, header: string): void {
  const { app } = req;
  if (warned.has(app) || !isDeveloped(app) || !WELL_FORMED.test(req.get(header) ?? "")) return;
  warned.add(app);
  const { address } = req.peer;
  warnInDevelopment(
    app,
    `requestId: ${header} from ${address ?? "a peer without an address"} is replaced, because the setting "trust ` +
      `proxy" does not trust that peer; if it is your proxy, write app.set("trust proxy", ` +
      `${
        address === undefined ? "…" : describe(address)
      }), or accept every client's id with requestId({ trust: true })`,
  );
}

function made(req: Request, generator: RequestIdOptions["generator"]): string {
  if (generator === undefined) return crypto.randomUUID();
  const id: unknown = generator(req);
  if (typeof id === "string" && WELL_FORMED.test(id)) return id;
  throw new TypeError(
    `requestId: generator must return 1 to 128 letters, digits and characters of _.:+/=@~-, not ${describe(id)}`,
  );
}
