import { asciiLowerCase } from "../../util/ascii.ts";
import { HttpError } from "../../http/http_error.ts";
import { utf8Length } from "../../util/encodings.ts";
import { exchangeKey } from "../../exchange/exchange.ts";
import type { FrameworkRequest } from "../../request/framework_request.ts";
import { announcedLength } from "../../request/body/request_body.ts";
import type { InflatedCoding, Inflater, RuntimeSupport } from "../../exchange/runtime_support.ts";
import { type BodyContent, type HeldBody, wholeBody } from "../../request/body/whole_body.ts";
import type { CheckedOptions } from "./body_options.ts";
import { runtimeKey } from "../../util/runtime_key.ts";

/**
 * Reads a whole body, decompressed, never beyond the limit.
 *
 * @param req The request
 * @param options Limit and inflation
 * @param asText Whether the caller wants a UTF-8 string and no bytes
 * @param beside A second copy of the body if another consumer also reads it, otherwise `null`
 * @returns The body
 * @throws {HttpError} 413 over the limit, 415 for an unknown coding, 400 if the client disconnected or the coding is
 * broken, 408 if the body stalled, 503 if the process is reading too much
 */
export async function readBody(
  req: FrameworkRequest,
  options: CheckedOptions,
  asText: boolean,
  beside: ReadableStream<Uint8Array<ArrayBuffer>> | null,
): Promise<HeldBody> {
  const coding = asciiLowerCase(req.get("content-encoding") || "identity");
  if (coding !== "identity" && !options.inflate) {
    throw new HttpError(415, "content encoding unsupported", { encoding: coding, type: "encoding.unsupported" });
  }
  const exchange = req[exchangeKey];
  const { limit } = options;
  if (coding !== "identity") {
    const inflater = inflaterOf(coding, exchange.app[runtimeKey]);
    const body = beside ?? exchange.target.request.body;
    const instead = (body ?? new Blob([]).stream()).pipeThrough(inflater);
    // the limit applies to the decompressed size
    return await wholeBody(exchange, { limit, announced: undefined, instead, failure: brokenCoding });
  }
  const announced = announcedLength(req);
  const held = await wholeBody(exchange, { limit, announced, asText, instead: beside ?? undefined });
  try {
    if (announced !== undefined) assertLength(held.content, announced);
  } catch (error) {
    held.release();
    throw error;
  }
  return held;
}

function brokenCoding(cause: unknown): HttpError {
  return new HttpError(400, messageOf(cause), { cause, type: "encoding.invalid" });
}

/**
 * Returns whether a body has no content encoding.
 *
 * @param req The request
 */
export function isUncoded(req: FrameworkRequest): boolean {
  const coding = req.get("content-encoding");
  // as in Express, an empty header counts as missing
  return !coding || coding === "identity";
}

/**
 * Checks that a body has the announced length.
 *
 * @param content The received body
 * @param announced The length in bytes
 * @throws {HttpError} 400 if the lengths differ
 */
export function assertLength(content: BodyContent, announced: number): void {
  // a string with as many characters as bytes is ASCII and complete; counting bytes takes a third of the parsing time
  if (content.length === announced) return;
  const received = typeof content === "string" ? utf8Length(content) : content.byteLength;
  if (received === announced || isInexact(content, announced - received)) return;
  throw wrongLength(announced, received);
}

// the runtime's text() drops a byte order mark and replaces invalid UTF-8
function isInexact(content: BodyContent, missing: number): boolean {
  return typeof content === "string" && (missing === 3 || content.includes("\ufffd"));
}

// Compressed bytes passed to a DecompressionStream at a time. The stream decompresses each chunk completely before its
// size can be checked: 64 KiB could become 64 MiB and take 100 ms, despite a 100 kB limit. Deflate expands a byte to at
// most 1032 bytes; brotli a dozen bytes to 16 MiB.
const SLICE = { gzip: 1024, deflate: 1024, brotli: 16 };

function inflaterOf(coding: string, support: RuntimeSupport): Inflater {
  const format = coding === "br" ? "brotli" : coding;
  if (format !== "gzip" && format !== "deflate" && format !== "brotli") throw unsupportedCoding(coding);
  return support.inflater?.(format) ?? webInflater(coding, format);
}

function webInflater(coding: string, format: InflatedCoding): Inflater {
  let inflater: Inflater;
  try {
    // some runtimes lack it, or support fewer formats
    inflater = new DecompressionStream(format as CompressionFormat);
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

function wrongLength(announced: number, received: number): HttpError {
  return new HttpError(400, "request size did not match content length", {
    expected: announced,
    length: announced,
    received,
    type: "request.size.invalid",
  });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
