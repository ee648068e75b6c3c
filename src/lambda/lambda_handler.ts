import { assertServable } from "../platform/shared/assert_servable.ts";
import type { Servable } from "../platform/shared/platform.ts";
import { httpEvent, type LambdaEvent } from "./lambda_event.ts";
import { type LambdaResult, resultOf } from "./lambda_result.ts";
import { Invocation, type LambdaContext } from "./invocation.ts";

/** A handler as Lambda calls it. */
export type LambdaHandler = (event: LambdaEvent, context: LambdaContext) => Promise<LambdaResult>;

/**
 * Turns an application into a Lambda function's handler, behind API Gateway, a function URL or a load balancer. The
 * event's shape determines how it is read and how the response is formatted.
 *
 * The response, at most 6 MB, is sent in one piece once the work passed to `req.waitUntil` is done.
 *
 * @param app The application
 * @returns The handler; it rejects with a `TypeError` for events that are not HTTP requests, and with the error if a
 * response breaks off
 * @throws {TypeError} If `app` is not an application
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
    const invocation = new Invocation(event, context);
    try {
      return await resultOf(event, await app.fetch(invocation.request, invocation));
    } finally {
      await invocation.backgroundWork();
    }
  };
}
