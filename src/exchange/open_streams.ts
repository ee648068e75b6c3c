/** Key of a streamed body's progress; a symbol, because programs might use any name. */
export const piecesKey: unique symbol = Symbol("sluice.pieces");

/** Key of the property that is true once the client has all bytes the head announced. */
export const deliveredKey: unique symbol = Symbol("sluice.delivered");

/**
 * A body being streamed.
 *
 * @internal
 */
export interface OpenStream {
  /** Cuts the body. */
  destroy(error: Error): unknown;
  /** How many pieces the client has requested; `null` once it has received all pieces so far and waits for more. */
  readonly [piecesKey]: number | null;
  /** Whether the client has all bytes the head announced, although the body has not ended yet. */
  readonly [deliveredKey]: boolean;
}

/** An application's bodies being streamed, each with its request's `info`, which identifies the server. */
export class OpenStreams extends Map<OpenStream, unknown> {
  readonly #watchers = new Set<() => void>();

  /**
   * Reports each body that starts.
   *
   * @param opened Called with each body
   * @returns A function that stops reporting
   */
  watch(opened: () => void): () => void {
    this.#watchers.add(opened);
    return () => void this.#watchers.delete(opened);
  }

  /** Adds a body that has started. */
  override set(stream: OpenStream, info: unknown): this {
    super.set(stream, info);
    for (const opened of this.#watchers) opened();
    return this;
  }

  /**
   * The bodies of one server's responses.
   *
   * @param isOwn Returns whether a request with this `info` came from the server
   */
  *of(isOwn: (info: unknown) => boolean): Generator<OpenStream> {
    for (const [stream, info] of this) if (isOwn(info)) yield stream;
  }

  /**
   * Cuts the bodies of one server's responses.
   *
   * @param isOwn Returns whether a request with this `info` came from the server
   */
  cut(isOwn: (info: unknown) => boolean): void {
    for (const stream of this.of(isOwn)) stream.destroy(new Error("The server was closed"));
  }
}
