/** Deno's internal record of a response; not a public API. */
interface ResponseRecord {
  /** The body; absent or `null` for none, and for a text that the server sends directly. */
  readonly body?: {
    /** A stream, or what the body was given as. */
    readonly streamOrStatic: unknown;
    /** What a stream was made of by Deno. */
    readonly source: unknown;
  } | null;
}

/** The property of a `Response` that holds its record; `undefined` until first found. */
let property: symbol | undefined;

/**
 * The body of a response if it was given as a stream. `response.body` would tell, but makes a stream of every text,
 * which the server then sends at half the speed. In a version of Deno without this record, none is found, and its server
 * writes the errors of streams to the console.
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
  // one that Deno has made of a text may be read by somebody
  return source === null || streamOrStatic.locked ? streamOrStatic : null;
}
