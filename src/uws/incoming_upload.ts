import type { BodySink, Filling } from "../exchange/body_sink.ts";
import { asyncScope } from "../platform/shared/async_scope.ts";

/** Bytes that may wait for a reader before the connection is no longer read. */
const HIGH_WATER_MARK = 64 * 1024;

/** The flow of bytes from a connection. */
export interface Flow {
  /** Stops reading from the client. */
  pause(): void;
  /** Reads on. */
  resume(): void;
}

type Chunk = Uint8Array<ArrayBuffer>;

/**
 * The body of a request as it comes. The engine delivers it whether or not somebody reads: what nobody has asked for
 * waits here, and the connection is paused when that is much.
 */
export class IncomingUpload {
  readonly #flow: Flow;
  #waiting: Chunk[] = [];
  #bytes = 0;
  #isComplete = false;
  #isPaused = false;
  #cause: Error | null = null;
  #stream: ReadableStream<Chunk> | null = null;
  #controller: ReadableStreamDefaultController<Chunk> | null = null;
  /** Whether the reader of the stream waits for a chunk. */
  #isAsked = false;
  #sink: BodySink | null = null;
  #isDiscarded = false;
  /** Whether some of it was asked for, or it was discarded. */
  isTouched = false;

  /** @param flow Pauses the connection */
  constructor(flow: Flow) {
    this.#flow = flow;
  }

  /** Whether somebody reads what has yet to come. */
  get isBeingRead(): boolean {
    const hasReader = this.isTouched || this.isLocked;
    return hasReader && !this.#isComplete && !this.#isDiscarded && this.#cause === null;
  }

  /** Whether somebody has a reader of its stream. */
  get isLocked(): boolean {
    return this.#stream?.locked === true;
  }

  /**
   * Called by the engine.
   *
   * @param bytes The next bytes; the engine takes them back after the call
   * @param isLast Whether they are the last ones
   */
  receive(bytes: ArrayBuffer, isLast: boolean): void {
    this.#isComplete = isLast;
    if (this.#isDiscarded) return;
    if (bytes.byteLength > 0) this.#take(new Uint8Array(bytes.slice(0)));
    if (isLast) this.#deliver();
  }

  #take(chunk: Chunk): void {
    if (this.#sink !== null) return this.#sink.take(chunk);
    this.#waiting.push(chunk);
    this.#bytes += chunk.length;
    this.#deliver();
    if (this.#bytes < HIGH_WATER_MARK || this.#isPaused || this.#isComplete) return;
    this.#isPaused = true;
    this.#flow.pause();
  }

  /** The rest will not come. */
  fail(cause: string): void {
    if (this.#isComplete || this.#cause !== null) return;
    this.#cause = new Error(cause);
    this.#deliver();
  }

  /** Passes on what the reader has asked for. */
  #deliver(): void {
    if (this.#sink !== null) return this.#fillOn(this.#sink);
    if (this.#controller === null || !this.#isAsked) return;
    const chunk = this.#waiting.shift();
    if (chunk !== undefined) {
      this.#isAsked = false;
      this.#bytes -= chunk.length;
      return this.#controller.enqueue(chunk);
    }
    this.#resume();
    if (this.#cause !== null) this.#controller.error(this.#cause);
    else if (this.#isComplete) this.#controller.close();
    else return;
    this.#controller = null;
  }

  #fillOn(sink: BodySink): void {
    const chunks = this.#waiting;
    this.#waiting = [];
    this.#bytes = 0;
    for (const chunk of chunks) sink.take(chunk);
    // it may have had enough
    if (this.#sink === null) return;
    this.#resume();
    if (this.#cause === null && !this.#isComplete) return;
    this.#sink = null;
    if (this.#cause !== null) sink.fail(this.#cause);
    else sink.end();
  }

  #resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#flow.resume();
  }

  /** The body as a web stream that takes a chunk only on demand. */
  get stream(): ReadableStream<Chunk> {
    return this.#stream ??= new ReadableStream<Chunk>({
      start: (controller) => void (this.#controller = controller),
      pull: () => {
        this.isTouched = this.#isAsked = true;
        this.#deliver();
      },
      cancel: () => this.discard(),
    }, { highWaterMark: 0 });
  }

  /**
   * Passes the body to a sink, which takes a fraction of the time of a web stream.
   *
   * @param sink Takes the body
   * @returns What fills it
   */
  fill(sink: BodySink): Filling {
    this.isTouched = true;
    const scope = asyncScope();
    const inContext = (run: () => void): void => scope.runInAsyncScope(run);
    this.#sink = {
      take: (chunk) => inContext(() => sink.take(chunk)),
      end: () => inContext(() => sink.end()),
      fail: (cause) => inContext(() => sink.fail(cause)),
    };
    // later, because the caller does not know yet what fills the sink
    queueMicrotask(() => this.#deliver());
    return { stop: () => this.discard(), inContext };
  }

  /** Discards what comes. */
  discard(): void {
    this.isTouched = this.#isDiscarded = true;
    this.#sink = this.#controller = null;
    this.#waiting = [];
    this.#resume();
  }
}
