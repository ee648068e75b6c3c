import { assertServable } from "../platform/assert_servable.ts";
import type { Servable } from "../platform/platform.ts";
import { httpEvent, type LambdaEvent } from "./lambda_event.ts";
import { type LambdaResultHead, resultHead } from "./lambda_result.ts";
import { type LambdaContext, LambdaVisit } from "./lambda_visit.ts";

/** Where Lambda's Node runtimes take an answer piece by piece: a writable stream of Node's, as far as it is used. */
export interface LambdaResponseStream {
  /** Takes a piece; `false` when the next had better wait for `drain`. */
  write(piece: Uint8Array | string): boolean;
  /** Ends the answer. */
  end(): unknown;
  /** Listens for `drain`, `error` and `close`. */
  on(event: string, listener: (error?: unknown) => void): unknown;
  /** Listens no more. */
  off(event: string, listener: (error?: unknown) => void): unknown;
}

/** A handler as Lambda calls it when the answer is to be streamed. */
export type LambdaStreamingHandler = (
  event: LambdaEvent,
  stream: LambdaResponseStream,
  context: LambdaContext,
) => Promise<void>;

/** The global of Lambda's Node runtimes, as far as it is used. */
interface AwsLambda {
  streamifyResponse(handler: LambdaStreamingHandler): LambdaStreamingHandler;
  HttpResponseStream: { from(stream: LambdaResponseStream, head: LambdaResultHead): LambdaResponseStream };
}

/**
 * Makes an application the handler of a Lambda function whose answers are streamed: behind a function URL with the
 * invoke mode `RESPONSE_STREAM`, or a REST API with the transfer mode `STREAM`.
 *
 * The answer is complete for the client before the work given to `req.waitUntil` is awaited.
 *
 * @param app The application
 * @returns The handler; it rejects with a `TypeError` for events that are no HTTP requests, and with whatever broke an
 * answer off
 * @throws {TypeError} Where Lambda's global `awslambda` is missing, or if it is given no application
 *
 * @example A function
 * ```ts ignore
 * export const handler = toStreamingHandler(app);
 * ```
 */
export function toStreamingHandler(app: Servable): LambdaStreamingHandler {
  assertServable("toStreamingHandler", app);
  const { awslambda } = globalThis as unknown as { awslambda?: AwsLambda };
  if (awslambda === undefined) {
    throw new TypeError(
      "toStreamingHandler needs the global awslambda of Lambda's own Node runtimes; use toLambdaHandler elsewhere",
    );
  }
  return awslambda.streamifyResponse(async (given, stream, context) => {
    const event = httpEvent("toStreamingHandler", given);
    // an open connection to a database would keep the invocation going; req.waitUntil tells what there is to wait for
    context.callbackWaitsForEmptyEventLoop = false;
    const left = new AbortController();
    const leave = (error?: unknown): void => left.abort(error);
    stream.on("error", leave);
    stream.on("close", leave);
    const visit = new LambdaVisit(event, context, left.signal);
    try {
      const response = await app.fetch(visit.request, visit);
      const out = awslambda.HttpResponseStream.from(stream, resultHead(event, response));
      await send(response.body, out, left.signal);
      // an answer that is complete is closed as well
      stream.off("close", leave);
      out.end();
    } finally {
      await visit.backgroundWork();
    }
  });
}

async function send(
  body: ReadableStream<Uint8Array> | null,
  out: LambdaResponseStream,
  left: AbortSignal,
): Promise<void> {
  // status and headers leave with the first piece, even if it is empty
  out.write("");
  try {
    await body?.pipeTo(sinkTo(out, left), { signal: left });
  } catch (error) {
    // Lambda knows that nobody listens any more
    if (!left.aborted) throw error;
  }
}

function sinkTo(out: LambdaResponseStream, left: AbortSignal): WritableStream<Uint8Array> {
  let proceed = (): void => {};
  out.on("drain", () => proceed());
  left.addEventListener("abort", () => proceed(), { once: true });
  return new WritableStream({
    write(piece) {
      if (!out.write(piece) && !left.aborted) return new Promise<void>((resolve) => proceed = resolve);
    },
  });
}
