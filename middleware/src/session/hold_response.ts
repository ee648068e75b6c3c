import type { Request, Response } from "@sluice/sluice";
import { layerDrain } from "../drain/drain_layer.ts";

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
/** What the response shows while what was sent is held. */
const SHOWN = ["headersSent", "writableEnded", "finished", "writableNeedDrain"] as const;
/** Bytes or characters that are held before `write` returns `false`. */
const HELD_BYTES = 1024 * 1024;

type Sending = (typeof SENDING)[number] | "flush";
type Shown = (typeof SHOWN)[number];
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
  const methods = res as unknown as Record<Sending, Method | undefined>;
  // compression has `flush`, which must not overtake what is held
  for (const name of [...SENDING, "flush"] as const) {
    const plain = methods[name];
    if (plain === undefined) continue;
    methods[name] = function (...args: unknown[]): unknown {
      return held.send(name, args, () => plain.apply(this, args), this);
    };
  }
}

/** A response, and the calls that wait. */
class HeldResponse {
  readonly #res: Response;
  readonly #hooks: ResponseHooks;
  /** Emits `drain` for those who write. */
  readonly #drain: () => void;
  /** What was called meanwhile; `null` while nothing is waited for. */
  #calls: (() => unknown)[] | null = null;
  /** Own properties of the response that those shown hide. */
  readonly #hidden = new Map<Shown, PropertyDescriptor | undefined>();
  #bytes = 0;
  /** Whether what was written last can be followed by more at once. */
  #hasRoom = true;
  #hasHead = false;
  #hasEnd = false;

  constructor(res: Response, hooks: ResponseHooks) {
    this.#res = res;
    this.#hooks = hooks;
    this.#drain = layerDrain(res, () => {
      if (this.#calls === null) this.#drain();
    });
  }

  send(name: Sending, args: unknown[], call: () => unknown, self: unknown): unknown {
    if (this.#calls !== null) return this.#hold(name, args, call, self);
    if (name === "flush") return call();
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
    this.#show("headersSent");
    pending.then(
      () => this.#release(isFirst),
      (error) => this.#fail(error),
    );
    return this.#hold(name, args, call, self);
  }

  #hold(name: Sending, args: unknown[], call: () => unknown, self: unknown): unknown {
    const calls = this.#calls!;
    // what began with another call has an end of its own
    if (name === "end") {
      calls.push(this.#hasEnd ? call : () => this.send(name, args, call, self));
      this.#show("writableEnded", "finished");
    } else if (name !== "write") calls.push(call);
    else calls.push(() => this.#hasRoom = call() !== false);
    if (name !== "write") return self;
    this.#bytes += (args[0] as { length?: number } | null)?.length ?? 0;
    if (this.#bytes < HELD_BYTES) return true;
    this.#show("writableNeedDrain");
    return false;
  }

  #release(isFirst: boolean): void {
    const wasFull = this.#bytes >= HELD_BYTES;
    const calls = this.#unhold();
    try {
      if (isFirst) this.#hooks.atHead();
      for (const call of calls) call();
      // without room, the drain of what they were written to follows
      if (wasFull && this.#hasRoom && !this.#res.writableEnded) this.#drain();
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
    this.#bytes = 0;
    for (const [property, own] of this.#hidden) {
      if (own === undefined) delete (this.#res as Partial<Record<Shown, boolean>>)[property];
      else Object.defineProperty(this.#res, property, own);
    }
    this.#hidden.clear();
    return calls;
  }

  // until it is unheld, the property hides that of the prototype, or of a layer around this one
  #show(...properties: readonly Shown[]): void {
    for (const property of properties) {
      if (this.#hidden.has(property)) continue;
      this.#hidden.set(property, Object.getOwnPropertyDescriptor(this.#res, property));
      Object.defineProperty(this.#res, property, { value: true, configurable: true });
    }
  }
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
