import type { TracingChannels } from "../exchange/runtime_support.ts";
import type { ErrorReporter } from "../exchange/call_guarded.ts";
import { guarded, runInside } from "../exchange/telemetry_guard.ts";
import { isFailure } from "../matching/layer_call.ts";
import { isThenable } from "../util/is_thenable.ts";

/** The message published for a call, as in Express 5.3; the outcome is added later. */
export interface HandlerEvent {
  readonly req: unknown;
  readonly res: unknown;
  /** The layer; inside a route, the handler's layer. */
  readonly layer: unknown;
  readonly handler: unknown;
  /** The layer's registered path, without its enclosing mounts. */
  readonly route: string | RegExp;
  /** The parameter's name, for a parameter handler. */
  readonly param?: string;
  /** The error, for error handlers. */
  readonly errorHandler?: true;
  readonly incomingError?: unknown;
  result?: unknown;
  error?: unknown;
}

/** Continues with the next handler. */
type Next = (signal?: unknown) => void;

/**
 * Publishes handler calls on Express 5.3's tracing channel, as its package router 2.3 defines: `start`, `end`, for
 * promises `asyncStart` and `asyncEnd`, and each error once, at its origin.
 */
export class HandlerEvents {
  readonly #channels: TracingChannels;
  readonly #app: ErrorReporter;
  /** Matched paths of routes called as a whole. */
  readonly paths: Map<object, string | RegExp> = new Map();
  /** Errors that were published or did not come from a handler. */
  readonly #seen = new Set<unknown>();

  /**
   * @param channels The channel
   * @param app Reports failures: subscribers may throw, and may modify their messages
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
   * @param call Calls the handler with a replacement for `next`
   * @returns The handler's return value, or a promise that rejects if the handler's does
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
        // error handlers run inside this call
        pass(error);
        this.#note(() => {
          if (isFailure(error)) event.error ??= error;
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
      // resolved only once, because resolving executes some thenables, such as queries
      const promise = Promise.resolve(result);
      promise.then((value) => {
        this.#note(() => event.result = value);
        settle();
      }, (reason) => {
        const error = reason || new Error("Rejected promise");
        this.#report(published, error);
        this.#note(() => {
          if (isFailure(error)) event.error ??= error;
        });
        // after the error handlers have been called
        queueMicrotask(settle);
      });
      return promise;
    });
  }

  #report({ event, isOfErrorHandler, incoming }: Published, signal: unknown): void {
    // an error that an error handler received but did not pass on may occur again as a new error
    if (isOfErrorHandler && signal !== incoming) this.#seen.delete(incoming);
    if (!isFailure(signal) || this.#seen.has(signal)) return;
    this.#seen.add(signal);
    this.#note(() => event.error = signal);
    this.#send("error", event);
  }

  // an outcome at `end` is final
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

  #runStores<T>(channel: keyof TracingChannels, event: HandlerEvent, run: () => T): T {
    return runInside(this.#app, `${channel}.runStores`, (once) => this.#channels[channel].runStores(event, once), run);
  }
}

/** A call's message, and its values before a subscriber could change them. */
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
