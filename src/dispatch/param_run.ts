import { isThenable } from "../util/is_thenable.ts";
import { exchangeOf } from "../exchange/exchange.ts";
import type { AnyHandler } from "../matching/layer.ts";
import { isFailure } from "../matching/layer_call.ts";
import type { RoutingTarget, WalkedRequest, WalkedResponse } from "./routing_target.ts";

type Done = (failure?: unknown) => void;

/** Returns the replacement for a handler; `undefined` if handlers are called directly. */
type Observed = ((name: string, handler: AnyHandler) => AnyHandler) | undefined;

/** The parts of a walk that parameter handlers use. */
export interface ParamContext {
  /** The request that handlers get. */
  readonly req: WalkedRequest;
  /** The response that handlers get. */
  readonly res: WalkedResponse;
  /** The walk's position in the URL; it holds the parameters. */
  readonly position: RoutingTarget;
}

interface Called {
  readonly value: unknown;
  result: unknown;
  failure: unknown;
}

/** Runs one walk's parameter handlers, once per name and value. */
export class ParamRun {
  readonly #context: ParamContext;
  readonly #handlers: ReadonlyMap<string, readonly AnyHandler[]>;
  readonly #called = new Map<string, Called>();
  #observed: Observed = undefined;

  /**
   * @param context Request and response
   * @param handlers The registered handlers by name
   */
  constructor(
    context: ParamContext,
    handlers: ReadonlyMap<string, readonly AnyHandler[]>,
  ) {
    this.#context = context;
    this.#handlers = handlers;
  }

  /**
   * Runs the handlers for some parameters, in path order.
   *
   * @param names The layer's parameter names
   * @param observed Returns the replacement for a handler if the request is observed
   * @param done Called when all handlers have continued, or with the first failure
   */
  run(names: readonly string[], observed: Observed, done: Done): void {
    this.#observed = observed;
    this.#name(names, 0, done);
  }

  get #values(): Record<string, unknown> {
    return this.#context.position.params as Record<string, unknown>;
  }

  #name(names: readonly string[], at: number, done: Done): void {
    for (; at < names.length; at++) {
      const name = names[at]!;
      const value = this.#values[name];
      const handlers = this.#handlers.get(name);
      if (value === undefined || handlers === undefined) continue;
      const earlier = this.#called.get(name);
      if (earlier !== undefined && (earlier.value === value || (earlier.failure && earlier.failure !== "route"))) {
        // a handler may have replaced the value; later layers get the replacement
        this.#values[name] = earlier.result;
        if (earlier.failure) return done(earlier.failure);
        continue;
      }
      const called: Called = { value, result: value, failure: undefined };
      this.#called.set(name, called);
      return this.#handler(name, handlers, 0, called, (failure) => {
        if (failure) done(failure);
        else this.#name(names, at + 1, done);
      });
    }
    done();
  }

  #handler(name: string, handlers: readonly AnyHandler[], at: number, called: Called, done: Done): void {
    const handler = handlers[at];
    if (handler === undefined) return done();
    let continued = false;
    const next: Done = (failure) => {
      if (continued) {
        if (isFailure(failure)) reportLate(failure, this.#context.req);
        return;
      }
      continued = true;
      called.result = this.#values[name];
      called.failure = failure;
      if (failure) done(failure);
      else this.#handler(name, handlers, at + 1, called, done);
    };
    const { req, res } = this.#context;
    try {
      const call = this.#observed?.(name, handler) ?? handler;
      const result = call(req, res, next, called.value, name);
      if (isThenable(result)) result.then(null, (failure) => next(failure || new Error("Rejected promise")));
    } catch (failure) {
      next(failure);
    }
  }
}

// an error from a parameter handler that has already continued
function reportLate(error: unknown, req: WalkedRequest): void {
  exchangeOf(req)?.app.reportError(error, { req, phase: "handler" });
}
