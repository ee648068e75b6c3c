import type { OpenStream } from "./app_like.ts";

/** The bodies of an application that are being streamed. */
export class OpenStreams extends Set<OpenStream> {
  readonly #watchers = new Set<() => void>();

  /**
   * Tells somebody of each body that begins.
   *
   * @param opened Called for each
   * @returns Ceases to
   */
  watch(opened: () => void): () => void {
    this.#watchers.add(opened);
    return () => void this.#watchers.delete(opened);
  }

  /** Adds a body that has begun. */
  override add(stream: OpenStream): this {
    super.add(stream);
    for (const opened of this.#watchers) opened();
    return this;
  }
}
