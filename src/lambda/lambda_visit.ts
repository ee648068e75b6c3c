import { isV2, type LambdaEvent } from "./lambda_event.ts";
import { requestOf } from "./lambda_request.ts";

/** What Lambda says of an invocation, as far as it is used. */
export interface LambdaContext {
  /** Identifies the invocation. */
  readonly awsRequestId: string;
  /** Whether the next invocation waits until nothing is left to do. */
  callbackWaitsForEmptyEventLoop: boolean;
  /** ms until the function is stopped. */
  getRemainingTimeInMillis(): number;
}

/** What handlers find as `req.info` on Lambda. */
export interface LambdaInfo {
  /** The event as Lambda delivered it: authorizers, stages and path parameters are found there. */
  readonly event: LambdaEvent;
  /** Lambda's context. */
  readonly context: LambdaContext;
  /** The client, as Deno shows it; load balancers name it in `X-Forwarded-For` alone. */
  readonly remoteAddr: { hostname: string | undefined; port: undefined };
}

/** One invocation. */
export class LambdaVisit implements LambdaInfo {
  readonly event: LambdaEvent;
  readonly context: LambdaContext;
  readonly request: Request;
  readonly #background = new Set<Promise<unknown>>();

  /**
   * @param event The event
   * @param context Lambda's context
   * @param signal Aborts when the client has left, where that can be known
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

  /** Waits for background work, and for what it adds: Lambda stops the process between invocations. */
  async backgroundWork(): Promise<void> {
    while (this.#background.size > 0) {
      const work = [...this.#background];
      this.#background.clear();
      await Promise.allSettled(work);
    }
  }
}
