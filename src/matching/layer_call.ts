import { isThenable } from "../util/is_thenable.ts";
import { noteRegistration } from "./registrations.ts";

/** Continues with the next layer. */
export type LayerNext = (error?: unknown) => void;

/** `"route"` and `"router"` only select where to continue; other truthy values are errors. */
export function isFailure(signal: unknown): boolean {
  return Boolean(signal) && signal !== "route" && signal !== "router";
}

/** A layer as Express's methods see it. */
export interface CalledLayer {
  /** The function to call. */
  // deno-lint-ignore no-explicit-any -- handlers and error handlers are distinguished at run time
  readonly handle: (...args: any[]) => unknown;
}

/** Calls a layer for a request: `Layer.prototype.handle_request`. */
export type LayerCall = (this: CalledLayer, req: unknown, res: unknown, next: LayerNext) => unknown;

/** Calls a layer for an error: `Layer.prototype.handle_error`. */
export type LayerErrorCall = (
  this: CalledLayer,
  error: unknown,
  req: unknown,
  res: unknown,
  next: LayerNext,
) => unknown;

/** A program's replacement for `handle_request`; `null` if there is none, so handlers are called directly. */
export let replacedCall: LayerCall | null = null;

/** A program's replacement for `handle_error`; `null` if there is none. */
export let replacedErrorCall: LayerErrorCall | null = null;

/**
 * Gives a layer class Express's call methods, under their Express 4 and 5 names. Walks bypass them unless a program has
 * replaced one, as some do to await promises, measure time, or trace. As in Express, the replacement then calls all
 * layers: routers and routes as well as functions.
 *
 * @param prototype The class's prototype
 */
export function defineLayerCalls(prototype: object): void {
  for (const name of ["handle_request", "handleRequest"]) {
    Object.defineProperty(prototype, name, {
      configurable: true,
      get: () => replacedCall ?? handleRequest,
      set: (call: LayerCall) => replaceLayerCalls(call, replacedErrorCall),
    });
  }
  for (const name of ["handle_error", "handleError"]) {
    Object.defineProperty(prototype, name, {
      configurable: true,
      get: () => replacedErrorCall ?? handleError,
      set: (call: LayerErrorCall) => replaceLayerCalls(replacedCall, call),
    });
  }
}

/**
 * Replaces Express's functions for calling layers.
 *
 * @param request Calls a layer for a request; `null` for Express's own
 * @param error Calls a layer for an error; `null` for Express's own
 */
export function replaceLayerCalls(request: LayerCall | null, error: LayerErrorCall | null): void {
  replacedCall = request === handleRequest ? null : request;
  replacedErrorCall = error === handleError ? null : error;
  noteRegistration();
}

/**
 * Calls a layer for a request, as Express does.
 *
 * @param req The request
 * @param res The response
 * @param next Receives errors that the layer throws or its promise rejects with
 * @returns The layer's return value, which may be a response
 */
export function handleRequest(this: CalledLayer, req: unknown, res: unknown, next: LayerNext): unknown {
  const { handle } = this;
  return handle.length > 3 ? next() : settle(() => handle(req, res, next), next);
}

/**
 * Calls a layer for an error, as Express does.
 *
 * @param error The error
 * @param req The request
 * @param res The response
 * @param next Receives errors that the layer throws or its promise rejects with
 * @returns The layer's return value, which may be a response
 */
export function handleError(
  this: CalledLayer,
  error: unknown,
  req: unknown,
  res: unknown,
  next: LayerNext,
): unknown {
  const { handle } = this;
  return handle.length === 4 ? settle(() => handle(error, req, res, next), next) : next(error);
}

function settle(call: () => unknown, next: LayerNext): unknown {
  try {
    const result = call();
    return isThenable(result)
      ? result.then(undefined, (error) => next(error || new Error("Rejected promise")))
      : result;
  } catch (error) {
    return next(error);
  }
}
