import { checkNames, checkType, describe, type OptionNames, refuseOption } from "@sluice/limiting/core";
import type { Middleware, Next, Request, Response } from "@sluice/sluice";
import { continuedTrace, headersOfTrace, newTrace, type TraceContext } from "./trace_context.ts";

/**
 * Where the names of requests come from.
 *
 * @example Ids of a proxy that is trusted
 * ```ts
 * import sluice from "@sluice/sluice";
 * import { requestId } from "@sluice/middleware/request-id";
 *
 * const app = sluice();
 * app.set("trust proxy", "loopback");
 * app.use(requestId({ header: "X-Correlation-Id", generate: () => crypto.randomUUID() }));
 * ```
 */
export interface RequestIdOptions {
  /** Header of the request and the response that has the id, `X-Request-Id` by default. */
  header?: string;
  /**
   * Whose ids and traces are taken over. By default `"proxy"`: those of a peer that the setting `trust proxy` trusts,
   * which therefore nobody else can forge. `true` takes everybody's, `false` nobody's; a function decides.
   */
  trust?: "proxy" | boolean | ((req: Request) => boolean);
  /** Makes an id: 1 to 128 letters, digits and characters of `_.:+/=@~-`. A random UUID by default. */
  generate?: (req: Request) => string;
  /** Whether the id of the trace is used where no id was taken over. */
  useTraceId?: boolean;
}

/** What `requestId` attaches to requests, for `RequestExtras`. */
export interface RequestIdExtras {
  /** Name of the request. */
  id: string;
  /** Name of the trace that it belongs to. */
  traceId: string;
  /** The trace, which `traceHeaders` continues. */
  trace: TraceContext;
}

const NAMES: OptionNames<RequestIdOptions> = { header: true, trust: true, generate: true, useTraceId: true };

/** What logs, headers and commands can hold without an escape; UUIDs, ULIDs and the ids of load balancers are such. */
const WELL_FORMED = /^[\w.:+\/=@~-]{1,128}$/;

/** A token (RFC 9110 section 5.6.2). */
const HEADER_NAME = /^[!#$%&'*+.^`|~\w-]+$/;

/**
 * Gives each request an id, as `req.id` and in a header of the response, and a trace, as `req.trace` and `req.traceId`.
 *
 * An id that is taken over has 1 to 128 letters, digits and characters of `_.:+/=@~-`; one that has anything else is
 * replaced. `traceparent` is taken over if it is valid by W3C Trace Context; otherwise a trace begins that nobody
 * records.
 *
 * @param options Where they come from
 * @returns The middleware
 * @throws {TypeError} If an option is unknown or of the wrong type
 *
 * @example Behind a load balancer, with the id of the trace where it sends none
 * ```ts
 * import sluice from "@sluice/sluice";
 * import { requestId } from "@sluice/middleware/request-id";
 *
 * const app = sluice().set("trust proxy", "loopback");
 * app.use(requestId({ useTraceId: true }));
 * ```
 */
export function requestId(options: RequestIdOptions = {}): Middleware<RequestIdExtras> {
  checkNames("requestId", options, NAMES);
  const { header = "X-Request-Id", trust = "proxy", generate, useTraceId = false } = options;
  if (typeof header !== "string" || !HEADER_NAME.test(header)) {
    refuseOption("requestId", "header", "the name of a header", header);
  }
  if (trust !== "proxy" && typeof trust !== "boolean" && typeof trust !== "function") {
    refuseOption("requestId", "trust", 'true, false, "proxy" or a function', trust);
  }
  checkType("requestId", "generate", generate, "function");
  checkType("requestId", "useTraceId", useTraceId, "boolean");
  return function requestId(req: Request, res: Response, next: Next): void {
    const isTrusted = trust === "proxy" ? isProxied(req) : typeof trust === "function" ? trust(req) : trust;
    const sent = isTrusted ? req.get(header) : undefined;
    const continued = isTrusted ? continuedTrace(req.get("traceparent"), req.get("tracestate")) : undefined;
    const trace = continued ?? newTrace();
    const id = sent !== undefined && WELL_FORMED.test(sent) ? sent : useTraceId ? trace.traceId : made(req, generate);
    const extras: RequestIdExtras = { id, traceId: trace.traceId, trace };
    Object.assign(req, extras);
    res.setHeader(header, id);
    next();
  };
}

/**
 * The headers with which the trace of a request goes on in what it asks of other services: `traceparent`, and
 * `tracestate` if there is one.
 *
 * @param req A request that `requestId` has handled
 * @returns The headers, for `fetch`
 * @throws {TypeError} If it has not
 *
 * @example Beside others
 * ```ts ignore
 * await fetch(url, { headers: { ...traceHeaders(req), "X-Request-Id": req.id }, signal: req.signal });
 * ```
 */
export function traceHeaders(req: Request): Record<string, string> {
  const { trace } = req as Request & Partial<RequestIdExtras>;
  if (trace === undefined) {
    throw new TypeError("traceHeaders: the request has no trace; mount requestId() in front of this handler");
  }
  return headersOfTrace(trace);
}

function isProxied(req: Request): boolean {
  // asking for the peer has a cost, which most programs need not pay
  return Boolean(req.app.get("trust proxy")) && Boolean(req.app.get("trust proxy fn")?.(req.peer.address, 0));
}

function made(req: Request, generate: RequestIdOptions["generate"]): string {
  if (generate === undefined) return crypto.randomUUID();
  const id: unknown = generate(req);
  if (typeof id === "string" && WELL_FORMED.test(id)) return id;
  throw new TypeError(
    `requestId: generate must return 1 to 128 letters, digits and characters of _.:+/=@~-, not ${describe(id)}`,
  );
}
