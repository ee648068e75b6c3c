import { type OpenStream, piecesKey } from "../request/app_like.ts";
import type { OpenStreams } from "../request/open_streams.ts";

/** Default of `sendTimeout` in ms. */
export const SEND_TIMEOUT_MS = 120_000;

/** How often a timeout is looked at while it runs, so that it is never late by more than a part of itself. */
const LOOKS = 4;

/** The timer, as a runtime without Node's functions and one with them return it. */
export type Timer = ReturnType<typeof setInterval>;

/** What a stream had sent when it last had sent something. */
interface Standing {
  readonly pieces: number;
  readonly since: number;
}

/**
 * Cuts streamed bodies whose clients take no further piece. One timer looks at all of them: what a stream has to do for
 * it is to count. It looks at nothing else, so a stream with nothing to send may be silent for ever. There is no timer until
 * a body is streamed: on Deno the first one of a process takes 11 ms to make.
 */
export class SlowReaders {
  readonly #streams: OpenStreams;
  readonly #unref: (timer: Timer) => void;
  #standing = new Map<OpenStream, Standing>();
  #timeoutMs = 0;
  #timer: Timer | undefined = undefined;
  readonly #begin = (): void => {
    if (this.#timer !== undefined || this.#timeoutMs === 0) return;
    this.#timer = setInterval(() => this.#look(), Math.ceil(this.#timeoutMs / LOOKS));
    this.#unref(this.#timer);
  };

  /**
   * @param streams The bodies being streamed
   * @param unref Keeps a timer from keeping the process alive
   */
  constructor(streams: OpenStreams, unref: (timer: Timer) => void) {
    this.#streams = streams;
    this.#unref = unref;
    streams.tell(this.#begin, { isWatching: true });
  }

  /** ms in which a client must take a piece, 0 for no limit. */
  get timeoutMs(): number {
    return this.#timeoutMs;
  }

  set timeoutMs(ms: number) {
    this.#rest();
    this.#timeoutMs = ms;
    if (this.#streams.size > 0) this.#begin();
  }

  /** Ends the timer. */
  stop(): void {
    this.#streams.tell(this.#begin, { isWatching: false });
    this.#rest();
  }

  #rest(): void {
    if (this.#timer !== undefined) clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #look(): void {
    if (this.#streams.size === 0) return this.#rest();
    const now = performance.now();
    const before = this.#standing;
    this.#standing = new Map();
    for (const stream of this.#streams) {
      const pieces = stream[piecesKey];
      if (pieces === null) continue;
      const known = before.get(stream);
      const since = known?.pieces === pieces ? known.since : now;
      if (now - since < this.#timeoutMs) this.#standing.set(stream, { pieces, since });
      else stream.destroy(new Error(`The client took nothing for ${this.#timeoutMs} ms`));
    }
  }
}
