/** Node's name for it, used by `finished` in `node:stream`; Deno also has it. */
const CLOSED = Symbol.for("nodejs.webstream.isClosedPromise");

/** A stream whose end is visible from outside. */
interface Observable {
  readonly [CLOSED]?: { readonly promise: PromiseLike<unknown> };
}

/**
 * The promise that settles when a web stream closes or fails, whichever reader has it. It adds no cost per chunk.
 *
 * @param stream The stream
 * @returns The promise, `undefined` on runtimes without it
 */
export function closedPromiseOf(stream: ReadableStream): PromiseLike<unknown> | undefined {
  return (stream as Observable)[CLOSED]?.promise;
}
