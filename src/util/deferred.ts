/** A promise resolved from outside. */
export interface Deferred {
  /** The promise. */
  readonly promise: Promise<void>;
  /** Resolves it. */
  readonly resolve: () => void;
}

/** Creates a promise resolved from outside: Node 20 has no `Promise.withResolvers`. */
export function deferred(): Deferred {
  let resolve = (): void => {};
  const promise = new Promise<void>((done) => resolve = done);
  return { promise, resolve };
}
