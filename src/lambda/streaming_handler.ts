import { assertServable } from "../platform/shared/assert_servable.ts";
import type { Servable } from "../platform/shared/platform.ts";
import { httpEvent, type LambdaEvent } from "./lambda_event.ts";
import { type LambdaResultHead, resultHead } from "./lambda_result.ts";
import { Invocation, type LambdaContext } from "./invocation.ts";

/** The part used here of the Node response stream passed by Lambda's Node runtimes. */
export interface LambdaResponseStream {
  /** Writes a piece; returns `false` if the next one should wait for `drain`. */
  write(piece: Uint8Array | string): boolean;
  /** Ends the response. */
  end(): unknown;
  /** Listens for `drain`, `error` and `close`. */
  on(event: string, listener: (error?: unknown) => void): unknown;
  /** Removes a listener. */
  off(event: string, listener: (error?: unknown) => void): unknown;
}

/** A handler as Lambda calls it for streamed responses. */
export type LambdaStreamingHandler = (
  event: LambdaEvent,
  stream: LambdaResponseStream,
  context: LambdaContext,
) => Promise<void>;

/** The part of the Lambda Node runtimes' global used here. */
interface AwsLambda {
  streamifyResponse(handler: LambdaStreamingHandler): LambdaStreamingHandler;
  HttpResponseStream: { from(stream: LambdaResponseStream, head: LambdaResultHead): LambdaResponseStream };
}

/**
 * Turns an application into the handler for a Lambda function that streams its responses: behind a function URL with
 * invoke mode `RESPONSE_STREAM`, or a REST API with transfer mode `STREAM`.
 *
 * The client has the complete response before the handler awaits the work passed to `req.waitUntil`.
 *
 * @param app The application
 * @returns The handler; it rejects with a `TypeError` for events that are not HTTP requests, and with the error if a
 * response breaks off
 * @throws {TypeError} If Lambda's global `awslambda` is missing, or `app` is not an application
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
    // otherwise an open database connection would keep the invocation running; only req.waitUntil's work is awaited
    context.callbackWaitsForEmptyEventLoop = false;
    const left = new AbortController();
    const leave = (error?: unknown): void => left.abort(error);
    stream.on("error", leave);
    stream.on("close", leave);
    const invocation = new Invocation(event, context, left.signal);
    try {
      const response = await app.fetch(invocation.request, invocation);
      const out = awslambda.HttpResponseStream.from(stream, resultHead(event, response));
      await send(response.body, out, left.signal);
      // `close` also follows a complete response
      stream.off("close", leave);
      out.end();
    } finally {
      await invocation.backgroundWork();
    }
  });
}

async function send(
  body: ReadableStream<Uint8Array> | null,
  out: LambdaResponseStream,
  left: AbortSignal,
): Promise<void> {
  // sends the status and headers, even before a body
  out.write("");
  try {
    await body?.pipeTo(sinkTo(out, left), { signal: left });
  } catch (error) {
    // Lambda itself detects a disconnected client
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
