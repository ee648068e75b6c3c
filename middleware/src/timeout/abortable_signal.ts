import type { Request } from "@sluice/sluice";

/**
 * Gives `req.signal` one more reason to abort, besides a client disconnect and reasons added earlier. Nothing is
 * created until the signal is read.
 *
 * @param req The request
 * @returns Aborts it with a reason
 */
export function abortableSignal(req: Request): (reason: unknown) => void {
  const around = signalOf(req);
  let controller: AbortController | undefined;
  let expired: { readonly reason: unknown } | undefined;
  const get = (): AbortSignal => {
    if (controller !== undefined) return controller.signal;
    controller = new AbortController();
    if (expired === undefined) follow(controller, around());
    else controller.abort(expired.reason);
    return controller.signal;
  };
  // programs may define their own property with this name
  const set = (value: unknown): void => void Object.defineProperty(req, "signal", { value, writable: true });
  Object.defineProperty(req, "signal", { get, set, configurable: true, enumerable: true });
  return (reason) => {
    expired = { reason };
    controller?.abort(reason);
  };
}

function signalOf(req: Request): () => AbortSignal {
  const own = Object.getOwnPropertyDescriptor(req, "signal");
  if (own !== undefined) return () => own.get === undefined ? own.value : own.get.call(req);
  return () => Reflect.get(Object.getPrototypeOf(req), "signal", req);
}

function follow(controller: AbortController, around: AbortSignal): void {
  const abort = (): void => controller.abort(around.reason);
  if (around.aborted) abort();
  else around.addEventListener("abort", abort, { once: true });
}
