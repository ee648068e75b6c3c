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

/** A body's bytes as received, or a string if the runtime could read one directly. */
export type BodyContent = Uint8Array<ArrayBuffer> | string;

/**
 * Maximum announced bytes for a body that the runtime reads in one go, in a half to a fifth of the time. Its progress
 * cannot be observed, so `body timeout` applies to the whole body.
 */
export const MOST_AT_ONCE: number = 128 * 1024;

/** What to read, and how much. */
export interface Wanted {
  /** Maximum bytes. */
  readonly limit: number;
  /** The announced length in bytes, or `undefined` if there is none; nothing is read if it exceeds the limit. */
  readonly announced: number | undefined;
  /** Whether a UTF-8 string is wanted and the bytes do not matter. */
  readonly asText?: boolean;
  /** Read instead of the request body: data passed on by an earlier reader, or the inflated body. */
  readonly instead?: ReadableStream<Uint8Array<ArrayBuffer>> | undefined;
  /** Creates the error for a failed read; by default, a parser's error for a body that was cut off. */
  readonly failure?: ((cause: unknown) => Error) | undefined;
}

/** Receives a body that was read; `release` frees its share of the budget once it is parsed. */
export type TakeBody = (content: BodyContent, release: () => void) => void;

/** Receives the reason why a body could not be read. Its share of the budget is already free. */
export type BodyFailed = (error: Error) => void;

/**
 * Reads a whole body, up to the limit, within the process's budget, and only while its client keeps sending. Uses
 * callbacks instead of a promise, because each additional promise takes as long as parsing a small body.
 *
 * @param exchange The body's exchange
 * @param wanted What to read
 * @param take Receives the body
 * @param fail Receives an `HttpError`: 413 over the limit, 503 if the budget is used up, 408 if no data arrived for too
 * long, 400 if the body was cut off
 * @throws {TypeError} If another reader has the body
 */
export function readWhole(exchange: Exchange, wanted: Wanted, take: TakeBody, fail: BodyFailed): void {
  const { announced, limit } = wanted;
  const reading = new WholeBody(exchange, wanted, take, fail);
  if (announced !== undefined && announced > limit) reading.refuse(tooLarge(limit, { length: announced }));
  reading.begin();
}

/** A body, and a function that returns its share to the process's budget once it has been parsed. */
export interface HeldBody {
  /** The body. */
  readonly content: BodyContent;
  /** Returns its share. */
  release(): void;
}

/**
 * Does the same with a promise.
 *
 * @param exchange The body's exchange
 * @param wanted What to read
 * @returns The body
 */
export function wholeBody(exchange: Exchange, wanted: Wanted): Promise<HeldBody> {
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
  /** Created for the first chunk. */
  #collector: ByteCollector | null = null;
  #wait: BodyWait | null = null;
  #filling: Filling | null = null;
  #over = false;
  /** The error for a body over the limit, while the rest is discarded. */
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
   * Refuses the body: at once, unless the connection closes with the response. A client that writes its whole body
   * before it reads would then lose the response, so as in Express, its data is discarded first, for a limited time.
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
    // an earlier reader's finding, such as that no data arrived for too long
    if (cause instanceof HttpError) return this.#giveUp(cause);
    const { announced, failure } = this.#wanted;
    if (failure !== undefined) return this.#giveUp(failure(cause));
    // notifies `end` listeners
    if (isCutOff(cause)) this.#exchange.lose();
    this.#giveUp(aborted(announced, cause));
  }

  #done(content: BodyContent): void {
    if (this.#over) return;
    if (this.#refusal !== null) return this.#giveUp(this.#refusal);
    const { limit } = this.#wanted;
    // code that creates a request in process may announce any length
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

  /** Ends the read, because other bodies need the space and this one is the slowest. */
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

// a body that was read and failed counts as used
function isHeld(request: Request): boolean {
  return !request.bodyUsed && request.body?.locked === true;
}

function heldByOthers(cause: unknown): TypeError {
  return new TypeError("The body cannot be read, because it is already being read", { cause });
}

function lengthOf(content: BodyContent): number {
  return typeof content === "string" ? utf8Length(content) : content.length;
}
