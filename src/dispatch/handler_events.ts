import type { TracingChannels } from "../exchange/runtime_support.ts";
import type { ErrorReporter } from "../exchange/call_guarded.ts";
import { guarded } from "../exchange/telemetry_guard.ts";
import { isThenable } from "../util/is_thenable.ts";

/** The message published for a call, as in Express 5.3; the outcome is added to it. */
export interface HandlerEvent {
  readonly req: unknown;
  readonly res: unknown;
  /** The layer; within a route, the handler's. */
  readonly layer: unknown;
  readonly handler: unknown;
  /** The registered path of the layer, without those of the mounts around it. */
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
 * Publishes the calls of handlers on Express 5.3's tracing channel. Its package router 2.3 defines what is published
 * when: `start`, `end`, for promises `asyncStart` and `asyncEnd`, and each error once, where it came from.
 */
export class HandlerEvents {
  readonly #channels: TracingChannels;
  readonly #app: ErrorReporter;
  /** Matched paths of the routes called as a whole. */
  readonly paths: Map<object, string | RegExp> = new Map();
  /** Errors that were published, or that did not come from a handler. */
  readonly #seen = new Set<unknown>();

  /**
   * @param channels The channel
   * @param app Reports failures: subscribers may throw, and modify the messages they get
   */
  constructor(channels: TracingChannels, app: ErrorReporter) {
    this.#channels = channels;
    this.#app = app;
  }

  /**
   * Calls a handler.
   *
   * @param event The message
   * @param next The handler's `next`
   * @param call Calls the handler with the `next` it gets instead
   * @returns The handler's return value; a promise that rejects if its own does
   */
  publish(event: HandlerEvent, next: Next, call: (next: Next) => unknown): unknown {
    const published = new Published(event);
    if (published.isOfErrorHandler) this.#seen.add(published.incoming);
    return this.#runStores("start", event, () => {
      const pass: Next = (signal) => {
        this.#report(published, signal);
        next(signal);
      };
      let result: unknown;
      try {
        result = call(pass);
      } catch (error) {
        // the handlers for the error run within this call
        pass(error);
        this.#note(() => {
          if (!isRoutingSignal(error)) event.error ??= error;
          else event.result = undefined;
        });
        return void this.#send("end", event);
      }
      if (!isThenable(result)) {
        this.#note(() => event.result = result);
        this.#send("end", event);
        return result;
      }
      this.#endWithout(event);
      const settle = (): void => this.#runStores("asyncStart", event, () => this.#send("asyncEnd", event));
      // resolved only once, because that executes some thenables, such as queries
      const promise = Promise.resolve(result);
      promise.then((value) => {
        this.#note(() => event.result = value);
        settle();
      }, (reason) => {
        const error = reason || new Error("Rejected promise");
        this.#report(published, error);
        this.#note(() => {
          if (!isRoutingSignal(error)) event.error ??= error;
        });
        // after the handlers for the error have been called
        queueMicrotask(settle);
      });
      return promise;
    });
  }

  #report({ event, isOfErrorHandler, incoming }: Published, signal: unknown): void {
    // an error that an error handler received, and did not pass on, may come again as a new one
    if (isOfErrorHandler && signal !== incoming) this.#seen.delete(incoming);
    if (!signal || isRoutingSignal(signal) || this.#seen.has(signal)) return;
    this.#seen.add(signal);
    this.#note(() => event.error = signal);
    this.#send("error", event);
  }

  // an outcome at `end` means that nothing follows
  #endWithout(event: HandlerEvent): void {
    let error: unknown;
    this.#note(() => {
      error = event.error;
      delete event.error;
    });
    this.#send("end", event);
    if (error !== undefined) this.#note(() => event.error = error);
  }

  // a subscriber may have frozen it
  #note(change: () => unknown): void {
    guarded(this.#app, "a change of what subscribers got", () => void change());
  }

  #send(channel: keyof TracingChannels, event: HandlerEvent): void {
    guarded(this.#app, `${channel}.publish`, () => this.#channels[channel].publish(event));
  }

  // a channel must neither prevent a handler from running nor run it twice
  #runStores<T>(channel: keyof TracingChannels, event: HandlerEvent, run: () => T): T {
    let result: T;
    let hasRun = false;
    let failure: { readonly error: unknown } | undefined;
    const once = (): void => {
      if (hasRun) return;
      hasRun = true;
      try {
        result = run();
      } catch (error) {
        failure = { error };
      }
    };
    guarded(this.#app, `${channel}.runStores`, () => this.#channels[channel].runStores(event, once));
    once();
    if (failure !== undefined) throw (failure as { error: unknown }).error;
    return result!;
  }
}

/** The message of a call, and its values before a subscriber could change them. */
class Published {
  readonly event: HandlerEvent;
  readonly isOfErrorHandler: boolean;
  readonly incoming: unknown;

  constructor(event: HandlerEvent) {
    this.event = event;
    this.isOfErrorHandler = event.errorHandler === true;
    this.incoming = event.incomingError;
  }
}

function isRoutingSignal(signal: unknown): boolean {
  return signal === "route" || signal === "router";
}
