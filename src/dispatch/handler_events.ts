import type { TracingChannels } from "../exchange/runtime_support.ts";
import { isThenable } from "../util/is_thenable.ts";

/** What is published of a call, as by Express 5.3; the outcome is added to it. */
export interface HandlerEvent {
  readonly req: unknown;
  readonly res: unknown;
  /** The layer: of a route, that of the handler. */
  readonly layer: unknown;
  readonly handler: unknown;
  /** The path of the layer as it was registered, without those of the mounts around it. */
  readonly route: string | RegExp;
  /** Name of the parameter, for a parameter handler. */
  readonly param?: string;
  /** Set for error handlers, with the error they get. */
  readonly errorHandler?: true;
  readonly incomingError?: unknown;
  result?: unknown;
  error?: unknown;
}

/** Continues with the next handler. */
type Next = (signal?: unknown) => void;

/**
 * Publishes the calls of handlers on the tracing channel of Express 5.3, whose package router 2.3 says what is published
 * when: `start`, `end`, for promises `asyncStart` and `asyncEnd`, and each error once, where it came from.
 */
export class HandlerEvents {
  readonly #channels: TracingChannels;
  /** Errors that were published, or that did not come from a handler. */
  readonly #seen = new Set<unknown>();

  /** @param channels The channel */
  constructor(channels: TracingChannels) {
    this.#channels = channels;
  }

  /**
   * Calls a handler.
   *
   * @param event What is published
   * @param next The handler's `next`
   * @param call Calls the handler with the `next` it gets instead
   * @returns What the handler returned; a promise that rejects if its own does
   */
  publish(event: HandlerEvent, next: Next, call: (next: Next) => unknown): unknown {
    const { start, end, asyncStart, asyncEnd } = this.#channels;
    if (event.errorHandler) this.#seen.add(event.incomingError);
    return start.runStores(event, () => {
      const pass: Next = (signal) => {
        this.#report(event, signal);
        next(signal);
      };
      let result: unknown;
      try {
        result = call(pass);
      } catch (error) {
        // the handlers for the error run within this call
        pass(error);
        if (!isRoutingSignal(error)) event.error ??= error;
        else event.result = undefined;
        return void end.publish(event);
      }
      if (!isThenable(result)) {
        event.result = result;
        end.publish(event);
        return result;
      }
      this.#endWithout(event);
      const settle = (): void => asyncStart.runStores(event, () => asyncEnd.publish(event));
      // asked for its value only once: to some, such as queries, that is to be run
      const promise = Promise.resolve(result);
      promise.then((value) => {
        event.result = value;
        settle();
      }, (reason) => {
        const error = reason || new Error("Rejected promise");
        this.#report(event, error);
        if (!isRoutingSignal(error)) event.error ??= error;
        // when the handlers for the error have been called
        queueMicrotask(settle);
      });
      return promise;
    });
  }

  #report(event: HandlerEvent, signal: unknown): void {
    // what an error handler was given, and has not passed on, may come again as a new error
    if (event.errorHandler && signal !== event.incomingError) this.#seen.delete(event.incomingError);
    if (!signal || isRoutingSignal(signal) || this.#seen.has(signal)) return;
    this.#seen.add(signal);
    event.error = signal;
    this.#channels.error.publish(event);
  }

  // an outcome at `end` says that nothing follows
  #endWithout(event: HandlerEvent): void {
    const { error } = event;
    delete event.error;
    this.#channels.end.publish(event);
    if (error !== undefined) event.error = error;
  }
}

function isRoutingSignal(signal: unknown): boolean {
  return signal === "route" || signal === "router";
}
