/**
 * How layers are called, for monitoring agents: they hook two of Express's functions, and identify requests by Node's
 * objects.
 *
 * @module
 */
import {
  type CalledLayer,
  handleError,
  handleRequest,
  type LayerCall,
  type LayerErrorCall,
  type LayerNext,
  replaceLayerCalls,
} from "@sluice/sluice/profile";

/** A request and its response. */
interface Pair {
  readonly req: unknown;
  readonly res: unknown;
}

/** The `req.info` on a request from Node's server. */
interface NodeInfo {
  readonly req?: object;
  readonly res?: object;
}

/** The handlers' request and response, by Node's request. */
const handled = new WeakMap<object, Pair>();

/** Calls a layer for a request. */
export const request: LayerCall = function (req, res, next) {
  const pair = handled.get(req as object);
  return handleRequest.call(this, pair?.req ?? req, pair?.res ?? res, next);
};

/** Calls a layer for an error. */
export const error: LayerErrorCall = function (failure, req, res, next) {
  const pair = handled.get(req as object);
  return handleError.call(this, failure, pair?.req ?? req, pair?.res ?? res, next);
};

/** A prototype for layers. */
type Prototype = Record<string, unknown>;

/**
 * Turns inherited methods into the prototype's own, so that assignments there do not take effect yet.
 *
 * @param prototype The prototype
 * @param names The methods
 */
export function disown(prototype: Prototype, names: readonly string[]): void {
  for (const name of names) {
    Object.defineProperty(prototype, name, { value: undefined, configurable: true, writable: true });
  }
}

/**
 * Calls layers through methods that agents have replaced on the prototype, or rewritten while the file was loaded.
 * Unpatched methods are not called at all.
 *
 * @param prototype The prototype
 * @param names The methods for a request and for an error
 * @param shipped The same functions, unpatched
 */
export function adopt(
  prototype: Prototype,
  names: readonly [request: string, error: string],
  shipped: readonly unknown[],
): void {
  const [hooked, hookedError] = names.map((name, i) => {
    const method = prototype[name];
    delete prototype[name];
    return String(method) === String(shipped[i]) ? null : method;
  }) as [LayerCall | null, LayerErrorCall | null];
  // a different major in the same program may be hooked
  if (hooked === null && hookedError === null) return;
  replaceLayerCalls(
    hooked && function (req, res, next) {
      return onNode(req, res, (one) => hooked.call(this, one.req, one.res, next));
    },
    hookedError && function (failure, req, res, next) {
      return onNode(req, res, (one) => hookedError.call(this, failure, one.req, one.res, next));
    },
  );
}

// the agent calls the original before anything can call a different layer
function onNode(req: unknown, res: unknown, call: (nodes: Pair) => unknown): unknown {
  const { info } = req as { info?: NodeInfo };
  if (info?.req === undefined || info.res === undefined) return call({ req, res });
  handled.set(info.req, { req, res });
  return call({ req: info.req, res: info.res });
}

export type { CalledLayer, LayerNext };
