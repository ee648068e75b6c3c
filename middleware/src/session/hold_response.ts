import type { Request, Response } from "@sluice/sluice";

/** What has to be done with a response. */
export interface ResponseHooks {
  /**
   * Called once, before the head of the response is sent.
   *
   * @returns A promise that the response has to wait for, `undefined` for none
   */
  beforeHead(): Promise<void> | undefined;
  /** Called right before the head is sent, when what it waited for is there: the last moment to set headers. */
  atHead(): void;
  /**
   * Called before the end of a response whose head was sent earlier.
   *
   * @returns A promise that the end has to wait for, `undefined` for none
   */
  beforeEnd(): Promise<void> | undefined;
  /** Called when one of these has failed: the response was not sent, and another one may be. */
  failed(error: unknown): void;
}

/** The methods that send something. */
const SENDING = ["writeHead", "flushHeaders", "write", "end"] as const;
/** Bytes or characters that are held before `write` returns `false`. */
const HELD_BYTES = 1024 * 1024;

type Sending = (typeof SENDING)[number];
// deno-lint-ignore no-explicit-any -- arguments are passed on as they are
type Method = (this: unknown, ...args: any[]) => unknown;

/**
 * Has something done before the head of a response is sent, however that happens. While it has to wait, what the program
 * sends is held, and the response looks to the program as if it had been sent.
 *
 * It replaces methods of the response, as middleware for Express does, and so it does not matter which of several such
 * middlewares is registered first.
 *
 * @param res The response
 * @param hooks What has to be done
 */
export function holdResponse(res: Response, hooks: ResponseHooks): void {
  const held = new HeldResponse(res, hooks);
  for (const name of SENDING) {
    const plain = res[name] as Method;
    Object.assign(res, {
      [name](this: unknown, ...args: unknown[]): unknown {
        return held.send(name, args, () => plain.apply(this, args), this);
      },
    });
  }
}

/** A response, and the calls that wait. */
class HeldResponse {
  readonly #res: Response;
  readonly #hooks: ResponseHooks;
  /** What was called meanwhile; `null` while nothing is waited for. */
  #calls: (() => unknown)[] | null = null;
  #bytes = 0;
  #hasHead = false;
  #hasEnd = false;

  constructor(res: Response, hooks: ResponseHooks) {
    this.#res = res;
    this.#hooks = hooks;
  }

  send(name: Sending, args: unknown[], call: () => unknown, self: unknown): unknown {
    if (this.#calls !== null) return this.#hold(name, args, call, self);
    const isFirst = !this.#hasHead && !this.#res.headersSent;
    if (!isFirst && (name !== "end" || this.#hasEnd)) return call();
    if (name === "end") this.#hasEnd = true;
    this.#hasHead = true;
    let pending: Promise<void> | undefined;
    try {
      pending = isFirst ? this.#hooks.beforeHead() : this.#hooks.beforeEnd();
    } catch (error) {
      pending = Promise.reject(error);
    }
    if (pending === undefined) {
      if (isFirst) this.#hooks.atHead();
      return call();
    }
    this.#calls = [];
    show(this.#res, "headersSent");
    pending.then(
      () => this.#release(isFirst),
      (error) => this.#fail(error),
    );
    return this.#hold(name, args, call, self);
  }

  #hold(name: Sending, args: unknown[], call: () => unknown, self: unknown): unknown {
    // what began with another call has an end of its own
    this.#calls!.push(name === "end" && !this.#hasEnd ? () => this.send(name, args, call, self) : call);
    if (name === "end") {
      for (const property of ["writableEnded", "finished"] as const) show(this.#res, property);
    }
    if (name !== "write") return self;
    this.#bytes += (args[0] as { length?: number } | null)?.length ?? 0;
    // A middleware that buffers may redirect listeners for `drain` to a stream of its own, which has never been full.
    // For as much as this, it is.
    return this.#bytes < HELD_BYTES;
  }

  #release(isFirst: boolean): void {
    const calls = this.#unhold();
    try {
      if (isFirst) this.#hooks.atHead();
      let last: unknown;
      for (const call of calls) last = call();
      if (this.#bytes >= HELD_BYTES && last === true) this.#res.emit("drain");
    } catch (error) {
      this.#hooks.failed(error);
    }
  }

  #fail(error: unknown): void {
    this.#unhold();
    this.#hooks.failed(error);
  }

  #unhold(): (() => unknown)[] {
    const calls = this.#calls!;
    this.#calls = null;
    for (const property of ["headersSent", "writableEnded", "finished"] as const) {
      delete (this.#res as Partial<Record<typeof property, boolean>>)[property];
    }
    return calls;
  }
}

// until it is deleted, the property hides that of the prototype
function show(res: Response, property: "headersSent" | "writableEnded" | "finished"): void {
  Object.defineProperty(res, property, { value: true, configurable: true });
}

/** A request and its response, and how the request is passed on. */
export interface Exchange {
  /** The request. */
  readonly req: Request;
  /** Its response. */
  readonly res: Response;
  /** Calls the error handlers. */
  next(error?: unknown): void;
}
