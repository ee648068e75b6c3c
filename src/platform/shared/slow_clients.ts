import { type OpenStream, type OpenStreams, piecesKey } from "../../exchange/open_streams.ts";

/** Default `sendTimeout` in ms. */
export const SEND_TIMEOUT_MS = 120_000;

/** The timer as returned by runtimes with and without Node's functions. */
export type Timer = ReturnType<typeof setInterval>;

/** Number of checks per timeout, so it is never late by more than a fraction of itself. */
const LOOKS = 4;

/** An item's progress, and the time of its last change. */
interface Standing {
  readonly sent: number;
  readonly since: number;
}

/**
 * Finds items that have made no progress for some time. It checks them periodically, so no step needs to be recorded.
 */
export class Standstill<T> {
  #standing = new Map<T, Standing>();

  /**
   * How often to check.
   *
   * @param timeoutMs The time in ms
   * @returns ms between two checks
   */
  static everyMs(timeoutMs: number): number {
    return Math.ceil(timeoutMs / LOOKS);
  }

  /**
   * Checks every item that should make progress.
   *
   * @param moving Each item's progress
   * @param timeoutMs How long an item may make no progress, in ms
   * @returns The items without progress for at least that long
   */
  look(moving: Iterable<readonly [one: T, sent: number]>, timeoutMs: number): T[] {
    const now = performance.now();
    const before = this.#standing;
    this.#standing = new Map();
    const still: T[] = [];
    for (const [one, sent] of moving) {
      const known = before.get(one);
      const since = known?.sent === sent ? known.since : now;
      if (now - since < timeoutMs) this.#standing.set(one, { sent, since });
      else still.push(one);
    }
    return still;
  }
}

/**
 * Cuts streamed bodies whose clients stop reading. One timer checks them all; a stream only has to count its chunks.
 * Nothing else is checked, so a stream that has no data to send may be silent forever. There is no timer until a body
 * is streamed: on Deno, a process's first timer takes 11 ms to create.
 */
export class SlowClients {
  readonly #streams: OpenStreams;
  readonly #isOwn: (info: unknown) => boolean;
  readonly #unref: (timer: Timer) => void;
  readonly #standstill = new Standstill<OpenStream>();
  readonly #unwatch: () => void;
  #timeoutMs = 0;
  #timer: Timer | undefined = undefined;
  readonly #begin = (): void => {
    if (this.#timer !== undefined || this.#timeoutMs === 0) return;
    this.#timer = setInterval(() => this.#look(), Standstill.everyMs(this.#timeoutMs));
    this.#unref(this.#timer);
  };

  /**
   * @param streams The application's bodies being streamed
   * @param isOwn Returns whether a request with this `info` came from the server
   * @param unref Prevents a timer from keeping the process alive
   */
  constructor(streams: OpenStreams, isOwn: (info: unknown) => boolean, unref: (timer: Timer) => void) {
    this.#streams = streams;
    this.#isOwn = isOwn;
    this.#unref = unref;
    this.#unwatch = streams.watch(this.#begin);
  }

  /** Milliseconds within which a client must read a piece, 0 for no limit. */
  get sendTimeout(): number {
    return this.#timeoutMs;
  }

  set sendTimeout(ms: number) {
    this.#rest();
    this.#timeoutMs = ms;
    if (this.#streams.size > 0) this.#begin();
  }

  /** Ends the timer. */
  stop(): void {
    this.#unwatch();
    this.#rest();
  }

  #rest(): void {
    if (this.#timer !== undefined) clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #look(): void {
    if (this.#streams.size === 0) return this.#rest();
    for (const stream of this.#standstill.look(this.#offered(), this.#timeoutMs)) {
      stream.destroy(new Error(`The client read nothing for ${this.#timeoutMs} ms`));
    }
  }

  *#offered(): Generator<readonly [OpenStream, number]> {
    for (const stream of this.#streams.of(this.#isOwn)) {
      const pieces = stream[piecesKey];
      if (pieces !== null) yield [stream, pieces];
    }
  }
}
