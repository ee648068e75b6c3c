/** The controller for Bun's own stream type. */
interface DirectController {
  /** Adds a chunk. */
  write(chunk: Uint8Array | string): unknown;
  /** Sends the added data; with `true`, returns a promise that waits for a slow client. */
  flush(wait: boolean): unknown;
  /** Ends the stream. */
  close(): void;
}

/** Bytes to send before waiting for a slow client; waiting for each piece would take as long as sending it. */
const WAIT_BYTES = 64 * 1024;

/**
 * Passes a stream on through Bun's own stream type, which is pulled only once. Bun's server handles it as fast as the
 * stream itself.
 *
 * @param body The stream
 * @param failed Called with the error if it fails or cannot be closed
 */
export function passedOn(
  body: ReadableStream<Uint8Array>,
  failed: (error: unknown) => void,
): ReadableStream<Uint8Array> {
  return new ReadableStream(new PassedOn(body, failed) as unknown as UnderlyingDefaultSource<Uint8Array>);
}

/** Bun's source type; other runtimes do not support it. */
class PassedOn {
  readonly type = "direct";
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #failed: (error: unknown) => void;
  #isOver = false;

  constructor(body: ReadableStream<Uint8Array>, failed: (error: unknown) => void) {
    this.#reader = body.getReader();
    this.#failed = failed;
  }

  /** Called once, when the first client reads. */
  async pull(controller: DirectController): Promise<void> {
    let unwaited = 0;
    try {
      for (;;) {
        const { done, value } = await this.#reader.read();
        if (this.#isOver) return;
        if (done) break;
        controller.write(value);
        unwaited += value.length;
        const isMuch = unwaited >= WAIT_BYTES;
        const flushed = controller.flush(isMuch);
        if (!isMuch) continue;
        await flushed;
        unwaited = 0;
      }
    } catch (error) {
      if (this.#isOver) return;
      this.#failed(error);
      throw error;
    }
    controller.close();
  }

  /** Called when the client disconnects. */
  async cancel(reason: unknown): Promise<void> {
    this.#isOver = true;
    await this.#reader.cancel(reason).catch(this.#failed);
  }
}
