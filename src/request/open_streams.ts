import type { OpenStream } from "./app_like.ts";

/** The bodies of an application that are being streamed. */
export class OpenStreams extends Set<OpenStream> {
  readonly #watchers = new Set<() => void>();

  /**
   * Begins to tell somebody that a body has begun, or ceases to.
   *
   * @param opened Called for each body
   * @param isWatching Whether it is to be told
   */
  tell(opened: () => void, { isWatching }: { readonly isWatching: boolean }): void {
    if (isWatching) this.#watchers.add(opened);
    else this.#watchers.delete(opened);
  }

  /** Adds a body that has begun. */
  override add(stream: OpenStream): this {
    super.add(stream);
    for (const opened of this.#watchers) opened();
    return this;
  }
}
