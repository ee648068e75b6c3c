import { isThenable } from "../util/is_thenable.ts";
import { noteRegistration } from "./registrations.ts";

// deno-lint-ignore no-explicit-any -- handlers and error handlers are distinguished at run time
type AnyHandler = (...args: any[]) => unknown;

/** Continues with the next layer. */
type Next = (error?: unknown) => void;

/** A layer as Express's methods see it. */
interface Called {
  readonly handle: AnyHandler;
}

/** What a program has put in place of `Layer.prototype.handle_request`. */
export type LayerCall = (this: Called, req: unknown, res: unknown, next: Next) => unknown;

/** That of the program, `null` if there is none: then handlers are called directly. */
export let replacedCall: LayerCall | null = null;

/**
 * Gives a class of layers Express's methods for being called, under their names in Express 4 and 5. Walks do without them,
 * unless a program has replaced the one for requests, as some do to wait for promises or to measure time.
 *
 * @param prototype Prototype of the class
 */
export function defineLayerCalls(prototype: object): void {
  for (const name of ["handle_request", "handleRequest"]) {
    Object.defineProperty(prototype, name, {
      configurable: true,
      get: () => replacedCall ?? handleRequest,
      set: (call: LayerCall) => {
        replacedCall = call === handleRequest ? null : call;
        noteRegistration();
      },
    });
  }
  for (const name of ["handle_error", "handleError"]) {
    Object.defineProperty(prototype, name, { configurable: true, writable: true, value: handleError });
  }
}

function handleRequest(this: Called, req: unknown, res: unknown, next: Next): void {
  const { handle } = this;
  if (handle.length > 3) return next();
  settle(() => handle(req, res, next), next);
}

function handleError(this: Called, error: unknown, req: unknown, res: unknown, next: Next): void {
  const { handle } = this;
  if (handle.length !== 4) return next(error);
  settle(() => handle(error, req, res, next), next);
}

function settle(call: () => unknown, next: Next): void {
  try {
    const result = call();
    if (isThenable(result)) result.then(undefined, (error) => next(error || new Error("Rejected promise")));
  } catch (error) {
    next(error);
  }
}
