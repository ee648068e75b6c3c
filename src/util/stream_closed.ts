/** Node's name of it, for `finished` of `node:stream`; Deno has it, too. */
const CLOSED = Symbol.for("nodejs.webstream.isClosedPromise");

/** A stream whose end can be seen from outside. */
interface Observable {
  readonly [CLOSED]?: { readonly promise: PromiseLike<unknown> };
}

/**
 * The promise that settles when a web stream closes or fails, whoever reads it. It costs nothing for each chunk.
 *
 * @param stream The stream
 * @returns The promise, `undefined` on runtimes that have none
 */
export function closedPromiseOf(stream: ReadableStream): PromiseLike<unknown> | undefined {
  return (stream as Observable)[CLOSED]?.promise;
}
