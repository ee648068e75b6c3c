import { type BodySource, isBodySource, StreamedBody, type StreamedBodyEvents } from "./streamed_body.ts";

/**
 * Converts a response of a class other than the runtime's. Some packages, such as graphql-yoga on Node, return
 * instances of their own class.
 *
 * @param value Any value except an instance of the runtime's class
 * @returns A response of the runtime's class, `null` if the value is not a response
 */
export function fromForeign(value: unknown): Response | null {
  const { status, statusText = "", headers, body = null } = (value ?? {}) as Partial<Response>;
  // on the response that handlers get and usually return, `status` is a method
  if (typeof status !== "number" || typeof headers?.[Symbol.iterator] !== "function") return null;
  return new Response(nativeBody(body), { status, statusText, headers: [...headers] });
}

// Node's Response reads other classes' streams as iterables, and throws outside any handler on a disconnect
function nativeBody(body: BodySource | null): ReadableStream | null {
  const isForeign = body !== null && typeof body === "object" && !(body instanceof ReadableStream);
  if (!isForeign || !isBodySource(body)) return body as ReadableStream | null;
  return new StreamedBody(body, UNWATCHED, queueMicrotask).stream;
}

// the sender of the response sees how it ends
const UNWATCHED: StreamedBodyEvents = { finish: () => {}, abort: () => {}, fail: () => {}, leftOpen: () => {} };
