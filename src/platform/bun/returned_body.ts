import { builtinModule } from "../shared/builtin_module.ts";

/** The used part of `bun:jsc`. */
interface EngineModule {
  /** Bytes of a value, with those of a text or of bytes that are a response's body. */
  estimateShallowMemoryUsageOf(value: object): number;
}

/** Bytes of the text by which the estimate is tested. */
const PROBE = 4096;

/** Types that Bun gives to files, forms and texts by itself, spelled as it spells them. A program may send such, too. */
const OWN_TYPES = /;charset=utf-8$|^(?:image|audio|video|font|multipart)\/|^application\/(?!x-ndjson)/i;

/** Tells whether a response may have a stream for its body; made on first use. */
let mayStream: ((response: Response) => boolean) | undefined;

/**
 * The body of a response if the program made it as a stream. On Bun `response.body` makes a stream of every body, and
 * changes the type that is sent with a text. But the memory of a response tells whether a text or bytes are in it.
 *
 * What is left are streams, files, Blobs and forms, which nothing public distinguishes but how Bun prints them. That takes
 * as long as sending a few chunks, so it is done only for those whose type may come from Bun.
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

// in a version of Bun that counts otherwise, nothing is known, and no response is touched
function emptiness(): (response: Response) => boolean {
  const engine = builtinModule<EngineModule>("bun:jsc");
  const bytesOf = engine?.estimateShallowMemoryUsageOf;
  if (bytesOf === undefined) return () => false;
  const empty = bytesOf(new Response(null));
  const isCounted = bytesOf(new Response("x".repeat(PROBE))) >= empty + PROBE &&
    bytesOf(new Response(new Uint8Array(PROBE))) >= empty + PROBE;
  return isCounted ? (response) => bytesOf(response) - response.url.length <= empty : () => false;
}
