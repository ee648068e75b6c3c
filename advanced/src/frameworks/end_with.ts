import type { EndingResponse, WatchedResponse } from "@sluice/limiting";
import { watchOutcome } from "../http/watch_outcome.ts";
import type { Decision } from "../limiter/decision.ts";
import type { ContextLimiter } from "./context_limiter.ts";

/**
 * Settles a request as soon as its Node response is over.
 *
 * @param limit The limiter
 * @param context The context
 * @param decision The decision about the request
 * @param response Its response
 * @returns An object to notify when the handlers are done; `null` if nothing depends on that
 */
export function endWith<Ctx extends object, Rest extends unknown[]>(
  limit: ContextLimiter<Ctx, Rest>,
  context: Ctx,
  decision: Decision,
  response: EndingResponse,
): WatchedResponse | null {
  const { outcome } = limit;
  return outcome.matters ? watchOutcome(outcome, context, decision, response, limit.costOf(context, response)) : null;
}
