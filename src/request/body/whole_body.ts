import { ByteCollector } from "../../util/byte_collector.ts";
import { captureContext } from "../../util/async_context.ts";
import { isLongerThan, utf8Length } from "../../util/encodings.ts";
import { HttpError } from "../../http/http_error.ts";
import { Holding } from "./body_budget.ts";
import { aborted, isCutOff, timedOut, tooLarge, tooSlow } from "./body_errors.ts";
import { BodyWait, type Impatient } from "./body_wait.ts";
import { bodyBudget, bodyTimeout, UNREAD_BODY_MS } from "./body_settings.ts";
import { type BodySink, fillFrom, type Filling } from "../../exchange/body_sink.ts";
import type { Evictable } from "../../util/fair_budget.ts";
import type { Exchange } from "../../exchange/exchange.ts";
import { runtimeKey } from "../../util/runtime_key.ts";

/** The bytes of a body as they came, or its text where the runtime could read that at once. */
export type BodyContent = Uint8Array<ArrayBuffer> | string;

/**
 * Most announced bytes of a body that the runtime reads in one go, which takes it a half to a fifth of the time, but shows
 * nobody what has come so far. So `body timeout` is for the whole of such a body.
 */
export const MOST_AT_ONCE: number = 128 * 1024;

/** What to read, and how much of it. */
export interface Wanted {
  /** Most bytes. */
  readonly limit: number;
  /** The announced length in bytes, `undefined` for none; if it is above the limit, nothing is read. */
  readonly announced: number | undefined;
  /** Whether UTF-8 text is wanted, and the bytes are of no interest. */
  readonly asText?: boolean;
  /** Read instead of the request's body: what an earlier reader passes on, or the inflated body. */
  readonly instead?: ReadableStream<Uint8Array<ArrayBuffer>> | undefined;
  /** Makes the error for a failure of what is read; by default that of parsers for a body that was cut off. */
  readonly failure?: ((cause: unknown) => Error) | undefined;
}

/** Gets a body that was read, and gives back its room when it has been parsed. */
export type TakeBody = (content: BodyContent, release: () => void) => void;

/** Gets the reason why a body could not be read; its room has been given back. */
export type BodyFailed = (error: Error) => void;

/**
 * Reads a whole body: never more than the limit, within the budget of the process, and not for longer than its client
 * goes on sending. Callbacks rather than a promise, because for a small body each further promise takes as long as the
 * parsing.
 *
 * @param exchange The exchange whose body is read
 * @param wanted What to read
 * @param take Gets the body
 * @param fail Gets an `HttpError`: 413 above the limit, 503 without room, 408 if nothing came for too long, 400 if the
 * body was cut off
 * @throws {TypeError} If somebody else is reading the body
 */
export function readWhole(exchange: Exchange, wanted: Wanted, take: TakeBody, fail: BodyFailed): void {
  const { announced, limit } = wanted;
  const reading = new WholeBody(exchange, wanted, take, fail);
  if (announced !== undefined && announced > limit) reading.refuse(tooLarge(limit, { length: announced }));
  reading.begin();
}

/**
 * The same as a promise.
 *
 * @param exchange The exchange whose body is read
 * @param wanted What to read
 * @returns The body, and what gives its room back
 */
export function wholeBody(exchange: Exchange, wanted: Wanted): Promise<{ content: BodyContent; release: () => void }> {
  return new Promise((resolve, reject) =>
    readWhole(exchange, wanted, (content, release) => resolve({ content, release }), reject)
  );
}

class WholeBody implements BodySink, Impatient, Evictable {
  readonly #exchange: Exchange;
  readonly #wanted: Wanted;
  readonly #take: TakeBody;
  readonly #fail: BodyFailed;
  readonly #holding: Holding;
  /** Made for the first chunk. */
  #collector: ByteCollector | null = null;
  #wait: BodyWait | null = null;
  #filling: Filling | null = null;
  #over = false;
  /** The error for a body above the limit, while the rest of it is discarded. */
  #refusal: Error | null = null;
  #refusalTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(exchange: Exchange, wanted: Wanted, take: TakeBody, fail: BodyFailed) {
    this.#exchange = exchange;
    this.#wanted = wanted;
    this.#take = take;
    this.#fail = fail;
    this.#holding = new Holding(bodyBudget(exchange.app.settings), this);
  }

  /**
   * Refuses the body: at once, unless the connection is closed with the response. A client that writes all of its body
   * before it reads would lose the response then, so as in Express what it sends is discarded first, but not for ever.
   */
  refuse(error: Error): void {
    const { app, info, target: { request } } = this.#exchange;
    const isInflated = this.#wanted.instead !== undefined;
    if (isInflated || !app[runtimeKey].closesAfterResponse?.(request, info)) return this.#giveUp(error);
    this.#refusal = error;
    this.#collector = null;
    this.#holding.release();
    this.#refusalTimer = setTimeout(() => this.#giveUp(error), UNREAD_BODY_MS);
  }

  begin(): void {
    if (this.#over) return;
    const { app, target: { request } } = this.#exchange;
    const { announced, instead } = this.#wanted;
    this.#wait = new BodyWait(bodyTimeout(app.settings), this, app[runtimeKey]);
    try {
      if (instead !== undefined) return void (this.#filling = fillFrom(instead, this));
      this.#filling = app[runtimeKey].fillSink?.(request, this) ?? null;
      if (this.#filling !== null) return;
      if (announced !== undefined && announced <= MOST_AT_ONCE && this.#holding.takeAnnounced(announced)) {
        return this.#readAtOnce(request);
      }
      const { body } = request;
      if (body === null) this.end();
      else this.#filling = fillFrom(body, this);
    } catch (error) {
      this.#giveUp(isHeld(request) ? heldByOthers(error) : error as Error);
    }
  }

  #readAtOnce(request: Request): void {
    this.#filling = { stop() {}, inContext: captureContext() };
    const done = (content: BodyContent): void => this.#done(content);
    const fail = (cause: unknown): void => isHeld(request) ? this.#giveUp(heldByOthers(cause)) : this.fail(cause);
    if (this.#wanted.asText) request.text().then(done, fail);
    // Node 20 has no bytes()
    else request.arrayBuffer().then((buffer) => done(new Uint8Array(buffer)), fail);
  }

  take(chunk: Uint8Array<ArrayBuffer>): void {
    if (this.#over) return;
    this.#wait?.restart();
    if (this.#refusal !== null) return;
    const { limit } = this.#wanted;
    const collector = this.#collector ??= new ByteCollector();
    const received = collector.length + chunk.length;
    if (received > limit) return this.refuse(tooLarge(limit, { received }));
    try {
      this.#holding.take(chunk.length);
    } catch (error) {
      return this.#giveUp(error as Error);
    }
    collector.add(chunk);
  }

  expire(): void {
    const error = timedOut(bodyTimeout(this.#exchange.app.settings));
    this.#filling!.inContext(() => this.#giveUp(error));
  }

  end(): void {
    this.#done(this.#collector?.bytes() ?? new Uint8Array(0));
  }

  fail(cause: unknown): void {
    // what an earlier reader found out, such as that nothing came for too long
    if (cause instanceof HttpError) return this.#giveUp(cause);
    const { announced, failure } = this.#wanted;
    if (failure !== undefined) return this.#giveUp(failure(cause));
    // those who listen for the end are told
    if (isCutOff(cause)) this.#exchange.lose();
    this.#giveUp(aborted(announced, cause));
  }

  #done(content: BodyContent): void {
    if (this.#over) return;
    if (this.#refusal !== null) return this.#giveUp(this.#refusal);
    const { limit } = this.#wanted;
    // whoever makes a request in the process may announce any length
    if (isLongerThan(content, limit)) return this.#giveUp(tooLarge(limit, { received: lengthOf(content) }));
    this.#over = true;
    this.#holding.settle();
    this.#wait?.end();
    this.#take(content, () => this.#holding.release());
  }

  #giveUp(error: Error): void {
    if (this.#over) return;
    this.#close();
    this.#fail(this.#refusal ?? error);
  }

  /** Ends the reading, because other bodies need its room and this one comes slowest. */
  evict(): void {
    this.#close();
    const error = tooSlow(bodyBudget(this.#exchange.app.settings));
    this.#filling!.inContext(() => this.#fail(error));
  }

  #close(): void {
    this.#over = true;
    clearTimeout(this.#refusalTimer);
    this.#wait?.end();
    this.#collector = null;
    this.#holding.release();
    this.#filling?.stop();
  }
}

// a body that was read and has failed counts as used
function isHeld(request: Request): boolean {
  return !request.bodyUsed && request.body?.locked === true;
}

function heldByOthers(cause: unknown): TypeError {
  return new TypeError("The body cannot be read, because somebody else is reading it", { cause });
}

function lengthOf(content: BodyContent): number {
  return typeof content === "string" ? utf8Length(content) : content.length;
}
