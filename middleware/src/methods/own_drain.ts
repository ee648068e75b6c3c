import type { Response } from "@sluice/sluice";
import { type Method, type Methods, putBack } from "./replaced_methods.ts";

/** Methods that find the listeners of an event by its name. */
const FINDING = [
  ...["off", "removeListener", "removeAllListeners"],
  ...["listenerCount", "listeners", "rawListeners"],
] as const;

/**
 * The `drain` event of a queue around `res.write`.
 *
 * All queues around a response share its emitter, and `drain` does not tell whose queue has room. So whoever listens from
 * now on, such as the handler, hears this queue only, and this queue hears the one that it writes to. Make it together
 * with replacing `write`, so that both are in the same order. It also works with npm's compression, which replaces `on`.
 *
 * Few responses are waited for, so most of it is done when somebody listens.
 */
export class OwnDrain {
  readonly #res: Response;
  readonly #drained: () => void;
  readonly #emit: Response["emit"];
  /** The methods that it has replaced. */
  readonly #before: Methods & Pick<Response, "on">;
  /** Name of the event for what is around this queue, once somebody listens. */
  #name: symbol | null = null;

  /**
   * @param res The response
   * @param drained Called when what this queue writes to has room again, from the moment that somebody listens
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
    // on Node it does not call `on`, which a later middleware may have replaced
    res.addListener = function (event, listener) {
      return this.on(event, listener);
    };
  }

  /**
   * Begins to call `drained`.
   *
   * @returns The name of the event for what is around this queue
   */
  listen(): symbol {
    if (this.#name !== null) return this.#name;
    const own = this.#name = Symbol("drain");
    const methods = this.#res as unknown as Record<string, Method>;
    // first, because the queue that this one writes to replaces its methods with that
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

  /** Puts back the methods that it has replaced. */
  remove(): void {
    putBack(this.#res, this.#before);
  }

  /** Tells those who wait for this queue that it has room. */
  emit(): void {
    if (this.#name !== null) this.#emit.call(this.#res, this.#name);
  }
}
