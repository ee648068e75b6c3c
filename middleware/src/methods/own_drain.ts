import type { Response } from "@sluice/sluice";
import { type Method, replaceMethods } from "./replace_methods.ts";

/** Methods that find the listeners of an event by its name; on every runtime, `once` calls one of these. */
const METHODS = [
  ...["on", "addListener", "prependListener", "off", "removeListener", "removeAllListeners"],
  ...["listenerCount", "listeners", "rawListeners"],
] as const;

/**
 * The `drain` event of a queue around `res.write`.
 *
 * All queues around a response share its emitter, and `drain` does not tell whose queue has room. So whoever listens from
 * now on, such as the handler, hears this queue only, and this queue hears the one that it writes to. Make it together
 * with replacing `write`, so that both are in the same order. It also works with npm's compression, which replaces `on`.
 */
export class OwnDrain {
  /** Puts back the methods that it has replaced. */
  readonly remove: () => void;
  readonly #res: Response;
  readonly #name = Symbol("drain");
  readonly #emit: Response["emit"];

  /**
   * @param res The response
   * @param drained Called when what this queue writes to has room again
   */
  constructor(res: Response, drained: () => void) {
    this.#res = res;
    this.#emit = res.emit;
    const own = this.#name;
    const { on } = res;
    this.remove = replaceMethods(res, METHODS, (name, plain): Method => {
      // on Node it does not call `on`, which a later middleware may have replaced
      if (name === "addListener") return callOn;
      return function (...args) {
        if (args[0] === "drain") args[0] = own;
        return plain.apply(this, args);
      };
    });
    on.call(res, "drain", drained);
  }

  /** Tells those who wait for this queue that it has room. */
  emit(): void {
    this.#emit.call(this.#res, this.#name as unknown as string);
  }
}

function callOn(this: Response, ...args: Parameters<Response["on"]>): Response {
  return this.on(...args);
}
