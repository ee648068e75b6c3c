import type { BodySink, Filling } from "../exchange/body_sink.ts";
import { asyncScope } from "../platform/shared/async_scope.ts";

/** Bytes that may wait for a reader before reading from the connection pauses. */
const HIGH_WATER_MARK = 64 * 1024;

/** The flow of bytes from a connection. */
export interface Flow {
  /** Stops reading from the client. */
  pause(): void;
  /** Resumes reading. */
  resume(): void;
}

type Chunk = Uint8Array<ArrayBuffer>;

/**
 * A request body as it arrives. The engine delivers it whether or not it is read: unread data waits here, and too
 * much of it pauses the connection.
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
  /** Whether the stream's reader is waiting for a chunk. */
  #isAsked = false;
  #sink: BodySink | null = null;
  #isDiscarded = false;
  /** Whether any data was requested, or the body was discarded. */
  isTouched = false;

  /** @param flow Pauses the connection */
  constructor(flow: Flow) {
    this.#flow = flow;
  }

  /** Whether data still to come has a reader. */
  get isBeingRead(): boolean {
    const hasReader = this.isTouched || this.isLocked;
    return hasReader && !this.#isComplete && !this.#isDiscarded && this.#cause === null;
  }

  /** Whether its stream has a reader. */
  get isLocked(): boolean {
    return this.#stream?.locked === true;
  }

  /**
   * Called by the engine.
   *
   * @param bytes The next bytes; the engine reclaims them after the call
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

  /** Records that the rest will not arrive. */
  fail(cause: string): void {
    if (this.#isComplete || this.#cause !== null) return;
    this.#cause = new Error(cause);
    this.#deliver();
  }

  /** Passes on the data that the reader has requested. */
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
    // the reader may have stopped
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

  /** The body as a web stream that pulls chunks only on demand. */
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
   * Passes the body to a sink, in a fraction of the time a web stream takes.
   *
   * @param sink Receives the body
   * @returns Controls for filling the sink
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
    // later, because the caller does not have the controls yet
    queueMicrotask(() => this.#deliver());
    return { stop: () => this.discard(), inContext };
  }

  /** Discards incoming data. */
  discard(): void {
    this.isTouched = this.#isDiscarded = true;
    this.#sink = this.#controller = null;
    this.#waiting = [];
    this.#resume();
  }
}
