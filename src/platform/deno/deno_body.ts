/** Deno's internal record of a response; not a public API. */
interface ResponseRecord {
  /** The body; absent or `null` if there is none, or if it is a string that the server sends directly. */
  readonly body?: {
    /** A stream, or the original body. */
    readonly streamOrStatic: unknown;
    /** The source from which Deno created a stream. */
    readonly source: unknown;
  } | null;
}

/** The property on a `Response` that holds its record; `undefined` until first found. */
let property: symbol | undefined;

/**
 * The body of a response if the program passed a stream. `response.body` would show that, but turns every string into a
 * stream, which the server then sends at half the speed. In a Deno version without this record, no stream is found, and
 * Deno's server logs stream errors to the console.
 *
 * @param response The response
 * @returns The stream, `null` if there is none
 */
export function returnedBody(response: Response): ReadableStream<Uint8Array> | null {
  property ??= Object.getOwnPropertySymbols(response).find(({ description }) => description === "response");
  if (property === undefined) return null;
  const record = (response as unknown as Record<symbol, ResponseRecord | null | undefined>)[property];
  const { streamOrStatic, source } = record?.body ?? {};
  if (!(streamOrStatic instanceof ReadableStream)) return null;
  // a stream that Deno created from a string may have a reader
  return source === null || streamOrStatic.locked ? streamOrStatic : null;
}
