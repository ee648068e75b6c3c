/**
 * Sluice on AWS Lambda, behind API Gateway (HTTP and REST APIs), function URLs and load balancers, with buffered or
 * streamed responses. Views, static files and `NODE_ENV` work as on Node.
 *
 * `req.info` holds the event and Lambda's context, as a {@linkcode LambdaInfo}. `req.ip` is the client address reported
 * by API Gateway or the function URL. A load balancer reports it only in `X-Forwarded-For`, so set `trust proxy` to 1
 * there. An HTTP API's stage is part of the path, so mount the application below it.
 * `info.context.getRemainingTimeInMillis()` returns the time a handler has left; `req.signal` does not abort when that
 * time runs out.
 *
 * @example A function
 * ```ts ignore
 * import sluice from "@sluice/sluice";
 * import { type LambdaInfo, toLambdaHandler } from "@sluice/sluice/lambda";
 *
 * const app = sluice();
 * app.get("/", (req, res) => res.send(`Invocation ${(req.info as LambdaInfo).context.awsRequestId}`));
 * export const handler = toLambdaHandler(app);
 * ```
 *
 * @example Streamed responses behind a function URL with invoke mode RESPONSE_STREAM
 * ```ts ignore
 * export const handler = toStreamingHandler(app);
 * ```
 *
 * @module
 */
// every program imports it, so bundlers keep what the entries share in one module (docs/decisions/0013-start.md)
import "./mod.ts";
import { lambdaPlatform } from "./src/lambda/lambda_platform.ts";
import { proposePlatform } from "./src/platform/detect.ts";

proposePlatform(lambdaPlatform);

export type { LambdaEvent, LambdaEventV1, LambdaEventV2 } from "./src/lambda/lambda_event.ts";
export { type LambdaHandler, toLambdaHandler } from "./src/lambda/lambda_handler.ts";
export type { LambdaResult, LambdaResultHead } from "./src/lambda/lambda_result.ts";
export type { LambdaContext, LambdaInfo } from "./src/lambda/invocation.ts";
export {
  type LambdaResponseStream,
  type LambdaStreamingHandler,
  toStreamingHandler,
} from "./src/lambda/streaming_handler.ts";
export type { Servable } from "./src/platform/shared/platform.ts";
