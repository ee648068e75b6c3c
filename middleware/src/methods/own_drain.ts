import type { Response } from "@sluice/sluice";

/** Methods that look up the listeners of an event; `once` and `prependOnceListener` call one of these on every runtime. */
const METHODS = [
  ...["on", "prependListener", "off", "removeListener", "removeAllListeners"],
  ...["listenerCount", "listeners", "rawListeners"],
] as const;

// deno-lint-ignore no-explicit-any -- arguments are passed on as they are
type Method = (this: any, event?: string | symbol, ...args: any[]) => any;

/**
 * Gives a layer around `res.write` its own `drain`, for a middleware that queues what is written. All layers of a
 * response share one emitter, and `drain` does not say whose queue has room. So the listeners of the layers around this
 * one, and those of the handler, get this layer's event only, and this layer gets the event of what it writes to.
 *
 * Call it together with replacing `write`, so that the layers of both are in the same order. It composes with npm's
 * compression, which replaces `on`.
 *
 * @param res The response
 * @param drained Called when what this layer writes to has room again
 * @returns Emits this layer's `drain`
 */
export function layerDrain(res: Response, drained: () => void): () => void {
  const own = Symbol("drain");
  const { emit, on } = res;
  const methods = res as unknown as Record<string, Method>;
  for (const name of METHODS) {
    const plain = methods[name]!;
    methods[name] = function (event, ...args) {
      // without an event, all listeners are meant
      if (event === undefined) return plain.call(this);
      return plain.call(this, event === "drain" ? own : event, ...args);
    };
  }
  // on Node it does not call `on`, which a later middleware may have replaced
  methods["addListener"] = function (...args) {
    return this.on(...args);
  };
  on.call(res, "drain", drained);
  return () => void emit.call(res, own as unknown as string);
}
