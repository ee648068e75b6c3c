import { HttpError } from "../../http/http_error.ts";
import { utf8Length } from "../../http/encodings.ts";
import type { RuntimeSupport } from "../../request/runtime_support.ts";
import { isCutOff } from "../../request/body_reader.ts";
import { exchangeKey } from "../../request/exchange.ts";
import type { FrameworkRequest } from "../../request/framework_request.ts";
import { joinedBytes } from "../../http/chunk_bytes.ts";
import type { CheckedOptions } from "./body_options.ts";

/** The bytes of a body as they came, or its text where the runtime could read that at once. */
export type BodyContent = Uint8Array<ArrayBuffer> | string;

/**
 * Reads a whole body, inflated, and never more than the limit.
 *
 * Where the length is announced and within the limit, and nobody has to see the bytes, the runtime's own reader is
 * used: it is twice as fast, and the runtime holds the client to the announced length.
 *
 * @param req The request
 * @param options Limit and inflation
 * @param asText Whether UTF-8 text is wanted and the bytes are of no interest
 * @param beside The body as somebody else reads it too, `null` where nobody does
 * @returns The body
 * @throws {HttpError} 413 above the limit, 415 for an unknown coding, 400 if the client left or the coding is broken
 */
export async function readBody(
  req: FrameworkRequest,
  options: CheckedOptions,
  asText: boolean,
  beside: ReadableStream<Uint8Array<ArrayBuffer>> | null,
): Promise<BodyContent> {
  const coding = (req.get("content-encoding") || "identity").toLowerCase();
  if (coding !== "identity" && !options.inflate) {
    throw new HttpError(415, "content encoding unsupported", { encoding: coding, type: "encoding.unsupported" });
  }
  const announced = coding === "identity" ? announcedLength(req) : undefined;
  if (announced !== undefined && announced > options.limit) throw tooLarge(options.limit, { length: announced });
  if (announced !== undefined && beside === null) return assertLength(await native(req, announced, asText), announced);
  const inflater = coding === "identity" ? null : inflaterOf(coding, req[exchangeKey].app.runtimeSupport);
  const body = beside ?? req[exchangeKey].target.request.body;
  if (body === null) return new Uint8Array(0);
  const content = await collect(
    inflater === null ? body : body.pipeThrough(inflater),
    options.limit,
    inflater !== null,
    req,
  );
  return announced === undefined ? content : assertLength(content, announced);
}

/**
 * Tells whether a body has no content encoding.
 *
 * @param req The request
 */
export function isUncoded(req: FrameworkRequest): boolean {
  const coding = req.get("content-encoding");
  // as in Express, an empty header counts as none
  return !coding || coding === "identity";
}

/**
 * Checks that a body has its announced length.
 *
 * @param content What was read
 * @param announced The length in bytes
 * @returns What was read
 * @throws {HttpError} 400 if it does not
 */
export function assertLength<T extends BodyContent>(content: T, announced: number): T {
  // text with as many characters as bytes is ASCII and complete; counting bytes takes a third of the parsing
  if (content.length === announced) return content;
  const received = typeof content === "string" ? utf8Length(content) : content.byteLength;
  if (received === announced || isInexact(content, announced - received)) return content;
  throw wrongLength(announced, received);
}

// the runtime's text() drops a byte order mark, and replaces invalid UTF-8
function isInexact(content: BodyContent, missing: number): boolean {
  return typeof content === "string" && (missing === 3 || content.includes("\ufffd"));
}

async function native(req: FrameworkRequest, announced: number, asText: boolean): Promise<BodyContent> {
  try {
    // Node 20 has no bytes()
    return asText
      ? await req[exchangeKey].target.request.text()
      : new Uint8Array(await req[exchangeKey].target.request.arrayBuffer());
  } catch (cause) {
    throw aborted(req, announced, cause);
  }
}

/**
 * Length of a body in bytes according to `Content-Length`.
 *
 * @param req The request
 * @returns The number, `undefined` without such a header
 */
export function announcedLength(req: FrameworkRequest): number | undefined {
  const length = Number(req.get("content-length") ?? NaN);
  return Number.isNaN(length) ? undefined : length;
}

// Compressed bytes that are passed to the runtime at a time. It decompresses each chunk completely before its size can
// be checked: 64 KiB could become 64 MiB and take 100 ms, for a limit of 100 kB. Deflate expands a byte to up to 1032
// bytes; brotli a dozen bytes to 16 MiB.
const SLICE = { gzip: 1024, deflate: 1024, brotli: 16 };

type Inflater = ReadableWritablePair<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>;

function inflaterOf(coding: string, { brotliInflater }: RuntimeSupport): Inflater {
  // named brotli in the Compression standard; not every runtime has it
  const format = coding === "br" ? "brotli" : coding;
  if (format !== "gzip" && format !== "deflate" && format !== "brotli") throw unsupportedCoding(coding);
  let inflater: Inflater;
  try {
    inflater = format === "brotli" && brotliInflater !== undefined
      ? brotliInflater()
      : new DecompressionStream(format as CompressionFormat);
  } catch {
    throw unsupportedCoding(coding);
  }
  const slices = inSlices(SLICE[format]);
  return { writable: slices.writable, readable: slices.readable.pipeThrough(inflater) };
}

function inSlices(size: number): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  return new TransformStream({
    transform(chunk, controller) {
      for (let at = 0; at < chunk.byteLength; at += size) controller.enqueue(chunk.subarray(at, at + size));
    },
  });
}

function unsupportedCoding(coding: string): HttpError {
  return new HttpError(415, `unsupported content encoding "${coding}"`, {
    encoding: coding,
    type: "encoding.unsupported",
  });
}

async function collect(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  limit: number,
  inflated: boolean,
  req: FrameworkRequest,
): Promise<Uint8Array<ArrayBuffer>> {
  const reader = stream.getReader();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let received = 0;
  for (;;) {
    let result: ReadableStreamReadResult<Uint8Array<ArrayBuffer>>;
    try {
      result = await reader.read();
    } catch (cause) {
      if (inflated) throw new HttpError(400, messageOf(cause), { cause, type: "encoding.invalid" });
      throw aborted(req, undefined, cause);
    }
    if (result.done) return joinedBytes(chunks);
    received += result.value.byteLength;
    if (received > limit) {
      // the rest is not needed; it does not matter if cancelling fails
      reader.cancel().catch(() => {});
      throw tooLarge(limit, { received });
    }
    chunks.push(result.value);
  }
}

function wrongLength(announced: number, received: number): HttpError {
  return new HttpError(400, "request size did not match content length", {
    expected: announced,
    length: announced,
    received,
    type: "request.size.invalid",
  });
}

/**
 * The error for a body above the limit.
 *
 * @param limit Most bytes
 * @param size Announced length, or the bytes received so far
 */
export function tooLarge(limit: number, size: { readonly length: number } | { readonly received: number }): HttpError {
  const details = "length" in size ? { expected: size.length, ...size, limit } : { limit, ...size };
  return new HttpError(413, "request entity too large", { ...details, type: "entity.too.large" });
}

/**
 * The error for a body that was cut off, of which listeners for the end are told.
 *
 * @param req The request
 * @param length The announced length in bytes
 * @param cause The runtime's error
 */
export function aborted(req: FrameworkRequest, length: number | undefined, cause: unknown): HttpError {
  if (isCutOff(cause)) req[exchangeKey].lost();
  return new HttpError(400, "request aborted", {
    cause,
    code: "ECONNABORTED",
    expected: length,
    length,
    type: "request.aborted",
  });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
