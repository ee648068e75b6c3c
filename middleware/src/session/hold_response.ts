import type { Request, Response } from "@sluice/sluice";
import { type GivenHeaders, setGiven } from "../methods/given_headers.ts";
import { OwnDrain } from "../methods/own_drain.ts";
import { type Method, type Methods, putBack } from "../methods/replaced_methods.ts";

/** Hooks that run before parts of a response are sent. */
export interface ResponseHooks {
  /**
   * Called once, before the response head is sent.
   *
   * @returns A promise that the response waits for, or `undefined`
   */
  beforeHead(): Promise<void> | undefined;
  /** Called right before the head is sent, after any waiting: the last chance to set headers. */
  atHead(): void;
  /**
   * Called before a response ends, if its head was sent earlier.
   *
   * @returns A promise that the end waits for, or `undefined`
   */
  beforeEnd(): Promise<void> | undefined;
  /** Called when a hook fails. If that was before the head, nothing was sent, and a different response still can be. */
  failed(error: unknown): void;
}

/** Properties that compression defines for the body it compresses. */
const SHOWN_BY_OTHERS = ["writableEnded", "writableLength", "writableNeedDrain"] as const;
/** Headers that describe the discarded body or allow keeping it. */
const ABOUT_BODY = /^(content-(?!security)|etag|expires|last-mod|cache-control|accept-ranges|transfer-)/;
/** Bytes or characters to hold before `write` returns `false`. */
const HELD_BYTES = 1024 * 1024;

/** The methods that send something. */
type Sending = "writeHead" | "flushHeaders" | "write" | "end" | "flush";
/** Properties that present held output as if it had been sent. */
type Shown = "headersSent" | "_header" | "writableEnded" | "finished" | "writableNeedDrain";

/** A call made while the response waits. */
interface HeldCall {
  run(): unknown;
  readonly args: readonly unknown[];
}

/**
 * Does work before the head of a response is sent, however that happens. While it waits, the response holds what the
 * program sends, and looks to the program as if it had been sent.
 *
 * It replaces methods on the response, as Express middleware does, so several such middlewares can be registered in any
 * order.
 *
 * @param res The response
 * @param hooks The hooks to call
 */
export function holdResponse(res: Response, hooks: ResponseHooks): void {
  new HeldResponse(res, hooks);
}

/** A response and its held calls. */
class HeldResponse {
  readonly #res: Response;
  readonly #hooks: ResponseHooks;
  readonly #drain: OwnDrain;
  /** The response methods that it replaced. */
  readonly #before: Methods;
  /** Calls made while waiting; `null` when not waiting. */
  #calls: HeldCall[] | null = null;
  /** The response's own properties, hidden by the properties shown. */
  #hidden: Map<Shown, PropertyDescriptor | undefined> | null = null;
  #bytes = 0;
  /** Whether more can be written immediately after the last write. */
  #hasRoom = true;
  #hasHead = false;
  #hasEnd = false;
  /** Whether the program has not ended the response, and may go on with it. */
  #hasRest = true;
  /** Whether output belongs to a response that failed. */
  #isDropped = false;

  constructor(res: Response, hooks: ResponseHooks) {
    this.#res = res;
    this.#hooks = hooks;
    this.#drain = new OwnDrain(res, () => {
      if (this.#calls === null) this.#drain.emit();
    });
    const { writeHead, flushHeaders, write, end } = res;
    const before: Methods = this.#before = { writeHead, flushHeaders, write, end };
    res.writeHead = this.#held("writeHead", writeHead);
    res.flushHeaders = this.#held("flushHeaders", flushHeaders);
    res.write = this.#held("write", write);
    res.end = this.#held("end", end);
    // compression adds it, and it must not overtake held output
    if ("flush" in res) res.flush = this.#held("flush", before["flush"] = res.flush as Method);
  }

  #held(name: Sending, plain: Method): Method {
    const send = this.#send.bind(this);
    return function (...args) {
      return send(name, args, plain, this);
    };
  }

  #send(name: Sending, args: unknown[], plain: Method, self: unknown): unknown {
    if (this.#isDropped) return refuse(args, name === "write" ? false : self);
    if (this.#calls !== null) {
      // a second head is the caller's error, as if the first had been sent
      const isShown = this.#hidden !== null && name === "writeHead";
      return isShown ? plain.apply(self, args) : this.#hold(name, args, plain, self);
    }
    const isFirst = name !== "flush" && !this.#hasHead && !this.#res.headersSent;
    if (isFirst && name === "writeHead") {
      const status = (args[0] as number) | 0;
      // throws
      if (status < 100 || status > 999) return plain.apply(self, args);
      this.#res.statusCode = status;
      args = this.#withoutHeaders(args);
    }
    const call = (): unknown => plain.apply(self, args);
    if (name === "flush") return call();
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
    const { statusCode } = this.#res;
    // The response would do so later, and outer middleware, such as compression, would find the head already sent.
    if (name === "flushHeaders") this.#res.writeHead(statusCode);
    this.#show("headersSent", "_header");
    // before listeners of logs and metrics: a client that disconnects now has received nothing
    this.#res.prependOnceListener("close", () => this.#reveal());
    pending.then(
      () => this.#release(isFirst, statusCode),
      (error) => this.#failed(error, this.#unhold()),
    );
    return this.#hold(name, args, plain, self);
  }

  // the headers would replace what the hook sets, such as its cookie
  #withoutHeaders([status, reason, headers]: unknown[]): unknown[] {
    const isNamed = typeof reason === "string";
    setGiven(this.#res, (isNamed ? headers : reason ?? headers) as GivenHeaders);
    return isNamed ? [status, reason] : [status];
  }

  #hold(name: Sending, args: unknown[], plain: Method, self: unknown): unknown {
    const calls = this.#calls!;
    const call = (): unknown => plain.apply(self, args);
    // a response begun by a different call still runs its own hook at the end
    if (name === "end") {
      calls.push({ run: this.#hasEnd ? call : () => this.#send(name, args, plain, self), args });
      this.#hasRest = false;
      this.#show("writableEnded", "finished");
    } else if (name === "write") calls.push({ run: () => this.#hasRoom = call() !== false, args });
    else {
      // without a client, the end begins the response instead, in front of all that has watched it since the disconnect
      calls.push({ run: () => this.#res.destroyed || call(), args });
    }
    if (name !== "write") return self;
    // too late, which its callback learns when the response has been sent
    if (!this.#hasRest) return false;
    this.#bytes += (args[0] as { length?: number } | null)?.length ?? 0;
    if (this.#bytes < HELD_BYTES) return true;
    this.#show("writableNeedDrain");
    return false;
  }

  #release(isFirst: boolean, statusCode: number): void {
    const wasFull = this.#bytes >= HELD_BYTES;
    const calls = this.#unhold();
    try {
      if (isFirst) {
        // an error handler may set it before it finds that the headers were sent
        this.#res.statusCode = statusCode;
        this.#hooks.atHead();
      }
      for (let next = calls.shift(); next !== undefined; next = calls.shift()) next.run();
      // without room, a drain from the layer below follows
      if (wasFull && this.#hasRoom && !this.#res.writableEnded) this.#drain.emit();
    } catch (error) {
      this.#failed(error, calls);
    }
  }

  #failed(error: unknown, calls: readonly HeldCall[]): void {
    // without a client, there is no next response, and what waits for an end must see it
    const isUnsent = !this.#res.headersSent && !this.#res.destroyed;
    if (isUnsent) this.#drop();
    this.#hooks.failed(error);
    if (isUnsent && this.#hasRest) this.#ignoreRest();
    for (const { args } of calls) refuse(args);
  }

  // Data that outer middleware has queued belongs to the failed response. The next response must not follow
  // it, so it bypasses that middleware.
  #drop(): void {
    this.#isDropped = true;
    putBack(this.#res, this.#before);
    this.#drain.remove();
    for (const property of SHOWN_BY_OTHERS) Reflect.deleteProperty(this.#res, property);
    for (const name of this.#res.getHeaderNames()) if (ABOUT_BODY.test(name)) this.#res.removeHeader(name);
    // such as a 404, which an error page would keep
    if (this.#res.statusCode < 500) this.#res.statusCode = 200;
    this.#res.statusMessage = "";
  }

  // The program may go on with the failed response, also while an error handler waits, such as for a template.
  #ignoreRest(): void {
    const res = this.#res;
    const methods = res as unknown as Methods;
    for (const name of ["write", "end", "flushHeaders"]) {
      const plain = methods[name]!;
      methods[name] = function (...args) {
        const isBegun = res.headersSent || res.hasHeader("Content-Type");
        if (isBegun && !res.writableEnded) return plain.apply(this, args);
        // with an error handler's status, it may be its end, or the program's: only the status is sent
        if (!isBegun && name === "end" && res.statusCode !== 200) plain.call(this);
        return refuse(args, name === "write" ? false : this);
      };
    }
  }

  #unhold(): HeldCall[] {
    const calls = this.#calls!;
    this.#calls = null;
    this.#bytes = 0;
    this.#reveal();
    return calls;
  }

  #reveal(): void {
    for (const [property, own] of this.#hidden ?? []) {
      if (own === undefined) Reflect.deleteProperty(this.#res, property);
      else Object.defineProperty(this.#res, property, own);
    }
    this.#hidden = null;
  }

  // until released, it hides the property on the prototype, or on an outer layer
  #show(...properties: readonly Shown[]): void {
    const hidden = this.#hidden ??= new Map();
    for (const property of properties) {
      if (hidden.has(property)) continue;
      hidden.set(property, Object.getOwnPropertyDescriptor(this.#res, property));
      Object.defineProperty(this.#res, property, { value: true, configurable: true });
    }
  }
}

// the caller may wait for its callback
function refuse<T>(args: readonly unknown[], result?: T): T | undefined {
  const done = args.at(-1);
  const error = Object.assign(new Error("The response was not sent"), { code: "ERR_STREAM_DESTROYED" });
  if (typeof done === "function") queueMicrotask(() => done(error));
  return result;
}

/** A request, its response, and how to pass the request on. */
export interface Exchange {
  /** The request. */
  readonly req: Request;
  /** Its response. */
  readonly res: Response;
  /** Calls the error handlers. */
  next(error?: unknown): void;
}
