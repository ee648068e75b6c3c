import { assertServable } from "../platform/assert_servable.ts";
import type { Servable } from "../platform/platform.ts";
import { httpEvent, type LambdaEvent } from "./lambda_event.ts";
import { type LambdaResult, resultOf } from "./lambda_result.ts";
import { type LambdaContext, LambdaVisit } from "./lambda_visit.ts";

/** A handler as Lambda calls it. */
export type LambdaHandler = (event: LambdaEvent, context: LambdaContext) => Promise<LambdaResult>;

/**
 * Makes an application the handler of a Lambda function behind API Gateway, a function URL or a load balancer. The
 * shape of each event decides how it is read and answered.
 *
 * The answer leaves as a whole, 6 MB at most, once the work given to `req.waitUntil` is done as well.
 *
 * @param app The application
 * @returns The handler; it rejects with a `TypeError` for events that are no HTTP requests, and with whatever broke an
 * answer off
 * @throws {TypeError} If it is given no application
 *
 * @example A function
 * ```ts ignore
 * export const handler = toLambdaHandler(app);
 * ```
 */
export function toLambdaHandler(app: Servable): LambdaHandler {
  assertServable("toLambdaHandler", app);
  return async (given, context) => {
    const event = httpEvent("toLambdaHandler", given);
    const visit = new LambdaVisit(event, context);
    try {
      return await resultOf(event, await app.fetch(visit.request, visit));
    } finally {
      await visit.backgroundWork();
    }
  };
}
