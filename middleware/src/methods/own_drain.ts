import type { Response } from "@sluice/sluice";
import { type Method, type Methods, putBack } from "./replaced_methods.ts";

/** Methods that look up an event's listeners by name. */
const FINDING = [
  ...["off", "removeListener", "removeAllListeners"],
  ...["listenerCount", "listeners", "rawListeners"],
] as const;

/**
 * The `drain` event for a queue around `res.write`.
 *
 * All queues around a response share its emitter, and `drain` does not identify the queue that has room. So listeners
 * added from now on, such as the handler's, hear only this queue, and this queue hears the queue that it writes to.
 * Create it together with replacing `write`, so that both are in the same order. It also works with npm's compression,
 * which replaces `on`.
 *
 * Few responses ever get a listener, so most of the work is deferred until the first listener.
 */
export class OwnDrain {
  readonly #res: Response;
  readonly #drained: () => void;
  readonly #emit: Response["emit"];
  /** The methods it has replaced. */
  readonly #before: Methods & Pick<Response, "on">;
  /** This queue's event name for outer layers, once there is a listener. */
  #name: symbol | null = null;

  /**
   * @param res The response
   * @param drained Called when the queue below has room again, once there is a listener
   */
  constructor(res: Response, drained: () => void) {
    const { emit, on, addListener, prependListener } = res;
    this.#res = res;
    this.#drained = drained;
    this.#emit = emit;
    this.#before = { on, addListener, prependListener };
    const name = (event: string | symbol): string | symbol => event === "drain" ? this.listen() : event;
    res.on = function (event, listener) {
      return on.call(this, name(event), listener) as typeof this;
    };
    res.prependListener = function (event, listener) {
      return prependListener.call(this, name(event), listener) as typeof this;
    };
    // on Node, this does not call `on`, which a later middleware may have replaced
    res.addListener = function (event, listener) {
      return this.on(event, listener);
    };
  }

  /**
   * Starts calling `drained`.
   *
   * @returns This queue's event name for outer layers
   */
  listen(): symbol {
    if (this.#name !== null) return this.#name;
    const own = this.#name = Symbol("drain");
    const methods = this.#res as unknown as Record<string, Method>;
    // first, because it makes the queue below replace its methods
    this.#before.on.call(this.#res, "drain", this.#drained);
    for (const finding of FINDING) {
      const plain = this.#before[finding] = methods[finding]!;
      methods[finding] = function (...args) {
        if (args[0] === "drain") args[0] = own;
        return plain.apply(this, args);
      };
    }
    return own;
  }

  /** Restores the methods it has replaced. */
  remove(): void {
    putBack(this.#res, this.#before);
  }

  /** Signals to this queue's listeners that it has room. */
  emit(): void {
    if (this.#name !== null) this.#emit.call(this.#res, this.#name);
  }
}
