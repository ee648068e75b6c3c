import type { OpenStream } from "./app_like.ts";

/** An application's bodies being streamed. */
export class OpenStreams extends Set<OpenStream> {
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
  override add(stream: OpenStream): this {
    super.add(stream);
    for (const opened of this.#watchers) opened();
    return this;
  }
}
