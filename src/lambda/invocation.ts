import { isV2, type LambdaEvent } from "./lambda_event.ts";
import { requestOf } from "./lambda_request.ts";

/** The part of Lambda's invocation context used here. */
export interface LambdaContext {
  /** Identifies the invocation. */
  readonly awsRequestId: string;
  /** Whether Lambda waits for an empty event loop before it ends the invocation. */
  callbackWaitsForEmptyEventLoop: boolean;
  /** ms left before the function is stopped. */
  getRemainingTimeInMillis(): number;
}

/** The type of `req.info` on Lambda. */
export interface LambdaInfo {
  /** The event as delivered by Lambda, with authorizers, stages and path parameters. */
  readonly event: LambdaEvent;
  /** Lambda's context. */
  readonly context: LambdaContext;
  /** The client, in Deno's format; load balancers report it only in `X-Forwarded-For`. */
  readonly remoteAddr: { hostname: string | undefined; port: undefined };
}

/** One invocation. */
export class Invocation implements LambdaInfo {
  readonly event: LambdaEvent;
  readonly context: LambdaContext;
  readonly request: Request;
  readonly #background = new Set<Promise<unknown>>();

  /**
   * @param event The event
   * @param context Lambda's context
   * @param signal Aborts when the client disconnects, where that can be detected
   */
  constructor(event: LambdaEvent, context: LambdaContext, signal?: AbortSignal) {
    this.event = event;
    this.context = context;
    this.request = requestOf(event, signal);
  }

  get remoteAddr(): { hostname: string | undefined; port: undefined } {
    const { event } = this;
    const client = isV2(event) ? event.requestContext.http : event.requestContext.identity;
    return { hostname: client?.sourceIp ?? undefined, port: undefined };
  }

  /** Called by the platform for `req.waitUntil`. */
  waitUntil(promise: Promise<unknown>): void {
    this.#background.add(promise);
  }

  /** Waits for background work, and for any work it adds, because Lambda freezes the process between invocations. */
  async backgroundWork(): Promise<void> {
    while (this.#background.size > 0) {
      const work = [...this.#background];
      this.#background.clear();
      await Promise.allSettled(work);
    }
  }
}
