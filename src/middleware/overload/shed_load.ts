import { isExempt } from "../../util/exempt_pages.ts";
import { withDetails } from "../../util/handler_details.ts";
import { describe } from "../../util/error_text.ts";
import type { FrameworkRequest } from "../../request/framework_request.ts";
import type { FrameworkResponse } from "../../response/framework_response.ts";
import { type Cause, Load, type LoadFigures } from "./load.ts";
import { type CheckedShedLoad, checkShedLoad, type RequestPriority, type ShedLoadOptions } from "./options.ts";

/** Middleware that refuses requests under overload. */
export interface LoadShedder {
  /** Admits or refuses a request. */
  (req: FrameworkRequest, res: FrameworkResponse, next: (error?: unknown) => void): void;
  /** The current figures, for metrics. */
  readonly figures: LoadFigures;
}

/**
 * Refuses requests with 503 while the process cannot keep up, so it responds in time to those it admits.
 *
 * Without it, a server at ten times its capacity works through a queue of requests from clients that have given up, for
 * many seconds beyond the peak. Mount it first, so a refused request costs next to nothing. Until a request arrives, it
 * measures nothing and runs no timer.
 *
 * @param options The limits
 * @returns The middleware
 * @throws {TypeError} If an option has the wrong type, or is unknown
 * @throws {RangeError} If a number is out of range
 *
 * @example Refuse requests when the event loop is late, but never a health check
 * ```ts
 * import sluice, { shedLoad } from "@sluice/sluice";
 *
 * const app = sluice();
 * const shedder = shedLoad({
 *   maxEventLoopDelayMs: 200,
 *   maxPending: 1000,
 *   priority: (req) => req.path === "/health" ? "critical" : "normal",
 * });
 * app.use(shedder);
 * app.get("/health", (_req, res) => res.json(shedder.figures));
 * ```
 */
export function shedLoad(options?: ShedLoadOptions): LoadShedder {
  const checked = checkShedLoad(options ?? {});
  const load = new Load(checked);
  function shed(req: FrameworkRequest, res: FrameworkResponse, next: (error?: unknown) => void): void {
    let cause: Cause | null;
    try {
      load.note(req);
      cause = load.excess(priorityOf(checked, req));
      // checked last, because most requests are admitted
      if (cause !== null && isExempt(req)) cause = null;
    } catch (error) {
      return next(error);
    }
    if (cause === null) {
      load.admit(req, res);
      return next();
    }
    load.refuse(cause);
    res.status(503).set("Retry-After", String(Math.ceil(checked.retryAfterMs / 1000)));
    res.type("text").end("Service Unavailable");
  }
  withDetails(shed, { name: "shedLoad", limits: limitsOf(checked) });
  return Object.defineProperty(shed, "figures", { get: () => load.figures }) as LoadShedder;
}

function limitsOf({ maxEventLoopDelayMs, maxPending, maxHeapBytes }: CheckedShedLoad): Record<string, number> {
  const all = { maxEventLoopDelayMs, maxPending, maxHeapBytes };
  return Object.fromEntries(Object.entries(all).filter(([, limit]) => limit !== Infinity));
}

function priorityOf({ priority }: CheckedShedLoad, req: FrameworkRequest): RequestPriority {
  const given: unknown = priority?.(req);
  if (given === undefined || given === "normal" || given === "critical" || given === "low") return given ?? "normal";
  throw new TypeError(`shedLoad: priority must return "critical", "normal" or "low", not ${describe(given)}`);
}
