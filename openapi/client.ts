/**
 * Calls an application over `fetch`, with the types that `sluice client` has generated: the runtime of the generated
 * file. It needs no other module, and runs in browsers and on every runtime.
 *
 * @module
 */
export { type ClientOptions, makeClient } from "./src/client/make_client.ts";
export { ResponseError, unwrap } from "./src/client/unwrap.ts";
export type { CallOf, CallOptions } from "./src/client/call.ts";
export type { Wire, WireRoute } from "./src/client/wire.ts";
export type { ServerSentEvent } from "./src/client/event_stream.ts";
export type {
  AnyResult,
  ClientErrorStatus,
  ErrorStatus,
  Failure,
  OtherStatus,
  RedirectStatus,
  Result,
  ServerErrorStatus,
  Success,
  SuccessStatus,
} from "./src/client/result.ts";
