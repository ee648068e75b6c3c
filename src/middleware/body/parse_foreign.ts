import { textBytes } from "../../util/encodings.ts";
import type { EventName } from "../../util/emitter_methods.ts";
import type { AppLike } from "../../exchange/app_like.ts";
import { announcesBody } from "../../request/body/request_body.ts";
import { Exchange } from "../../exchange/exchange.ts";
import { FrameworkRequest } from "../../request/framework_request.ts";
import type { HeaderRecord } from "../../request/node/header_record.ts";
import type { Any } from "../../util/any.ts";
import { defaultApp } from "../../exchange/default_app.ts";
import type { FrameworkResponse } from "../../response/framework_response.ts";
import { runtimeKey } from "../../util/runtime_key.ts";

/** A foreign request: Node's own, one from another copy of Sluice, or a test's mock. */
export interface ForeignRequest {
  /** Headers by lowercase name. */
  readonly headers?: HeaderRecord;
  /** Whether its body has already been read. */
  readonly readableEnded?: boolean;
  /** The application, which a mock may lack. */
  readonly app?: AppLike;
  /** The parsed body. */
  body?: unknown;
  /** Listens for the chunks. */
  on?(event: EventName, listener: (...args: Any[]) => void): unknown;
}

/** Parses a body; `shown` is the request passed to the program's functions, such as `verify`. */
export type ForeignParser = (
  req: FrameworkRequest,
  res: FrameworkResponse,
  next: (error?: unknown) => void,
  shown: object,
) => void;

/**
 * Parses a foreign request's body from its events, as Express's parsers do.
 *
 * @param parser The parser
 * @param req The request
 * @param res The response
 * @param next Continues
 */
export function parseForeign(
  parser: ForeignParser,
  req: ForeignRequest,
  res: FrameworkResponse,
  next: (error?: unknown) => void,
): void {
  if (req.body === undefined) req.body = undefined;
  if (!hasBody(req) || req.readableEnded === true) return next();
  const app = req.app?.[runtimeKey] === undefined ? defaultApp() : req.app;
  const init = { method: "POST", body: bodyOf(req), duplex: "half" };
  const standIn = new FrameworkRequest(new Exchange(new Request("http://localhost/", init), undefined, undefined, app));
  standIn.headers = { ...req.headers };
  parser(standIn, res, (error) => {
    if (standIn.body !== undefined) req.body = standIn.body;
    next(error);
  }, req);
}

function hasBody({ headers = {}, on }: ForeignRequest): boolean {
  return on !== undefined && announcesBody({ get: (name) => headers[name] as string | undefined });
}

function bodyOf(req: ForeignRequest): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      req.on!("data", (chunk: Uint8Array | string) => {
        controller.enqueue(typeof chunk === "string" ? textBytes("The body", chunk) : new Uint8Array(chunk));
      });
      req.on!("end", () => controller.close());
      req.on!("error", (error: Error) => controller.error(error));
    },
  });
}
