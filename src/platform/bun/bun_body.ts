import { builtinModule } from "../shared/builtin_module.ts";

/** The part of `bun:jsc` used here. */
interface EngineModule {
  /** A value's memory use in bytes, including a string or bytes in a response body. */
  estimateShallowMemoryUsageOf(value: object): number;
}

/** Bytes in the string that tests the estimate. */
const PROBE = 4096;

/** Types that Bun itself gives to files, forms and strings, in its spelling. A program may also send them. */
const OWN_TYPES = /;charset=utf-8$|^(?:image|audio|video|font|multipart)\/|^application\/(?!x-ndjson)/i;

/** Returns whether a response may have a stream as its body; created on first use. */
let mayStream: ((response: Response) => boolean) | undefined;

/**
 * The body of a response if the program created it as a stream. On Bun, `response.body` turns every body into a stream
 * and changes a string's content type. But a response's memory size reveals a string or bytes.
 *
 * That leaves streams, files, Blobs and forms. Their only public difference is how Bun prints them. Printing takes as
 * long as sending a few chunks, so this prints only if the type may come from Bun.
 *
 * @param response The response
 * @returns The stream, `null` if there is none
 */
export function returnedBody(response: Response): ReadableStream<Uint8Array> | null {
  mayStream ??= emptiness();
  if (!mayStream(response)) return null;
  const type = response.headers.get("content-type");
  if (type !== null && OWN_TYPES.test(type) && !Bun.inspect(response).includes("ReadableStream {")) return null;
  return response.body;
}

declare const Bun: { inspect(value: object): string };

// if a Bun version counts differently, nothing is certain, and responses are left alone
function emptiness(): (response: Response) => boolean {
  const engine = builtinModule<EngineModule>("bun:jsc");
  const bytesOf = engine?.estimateShallowMemoryUsageOf;
  if (bytesOf === undefined) return () => false;
  const empty = bytesOf(new Response(null));
  const isCounted = bytesOf(new Response("x".repeat(PROBE))) >= empty + PROBE &&
    bytesOf(new Response(new Uint8Array(PROBE))) >= empty + PROBE;
  return isCounted ? (response) => bytesOf(response) - response.url.length <= empty : () => false;
}
