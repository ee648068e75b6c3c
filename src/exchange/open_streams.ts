import type { OpenStream } from "./app_like.ts";

/** The bodies of an application that are being streamed. */
export class OpenStreams extends Set<OpenStream> {
  readonly #watchers = new Set<() => void>();

  /**
   * Reports each body that starts.
   *
   * @param opened Called for each
   * @returns Stops reporting
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
