import { isLongerThan, utf8Length, utf8Text } from "../../util/encodings.ts";
import { annotated } from "../../http/http_error.ts";
import { isDeeper } from "../../util/json_depth.ts";
import { aborted, connectionReset, isCutOff, tooDeep, tooLarge } from "./body_errors.ts";
import { bodyLimit, type BodyLimits, formPartsLimit, jsonDepth } from "./body_settings.ts";
import { type Exchange, exchangeFor, exchangeKey } from "../../exchange/exchange.ts";
import { formParser } from "./form_body.ts";
import type { Any } from "../../util/any.ts";
import { announcedLength, hasBody } from "./request_body.ts";
import { type HeldBody, type Wanted, wholeBody } from "./whole_body.ts";
import { runtimeKey } from "../../util/runtime_key.ts";

/** The parts of a request needed to read its body. */
export interface BodyOwner {
  /** The body as a body parser left it. */
  readonly body: unknown;
  /** Reads a header. */
  get(name: string): string | undefined;
  /** The exchange. */
  readonly [exchangeKey]: Exchange;
}

type Method = keyof BodyLimits;

/**
 * Reads the body as JSON, see `req.json()`.
 *
 * @param req The request
 */
export async function readJson(req: BodyOwner): Promise<Any> {
  if (wasParsed(req, "json", "object")) return req.body;
  return await readText(req, "json", (text) => parseJson(text, jsonDepth(req[exchangeKey].app.settings)));
}

/**
 * Reads the body as a string, see `req.text()`.
 *
 * @param req The request
 */
export async function readString(req: BodyOwner): Promise<string> {
  if (wasParsed(req, "text", "string")) return req.body as string;
  return await readText(req, "text", (text) => text);
}

/**
 * Reads the body as bytes in their own buffer, see `req.arrayBuffer()`.
 *
 * @param req The request
 */
export async function readBuffer(req: BodyOwner): Promise<ArrayBuffer> {
  wasParsed(req, "arrayBuffer");
  return await readBytes(req, "arrayBuffer", (bytes) => {
    const { buffer, byteLength } = bytes;
    return Promise.resolve(byteLength === buffer.byteLength ? buffer : bytes.slice().buffer);
  });
}

/**
 * Reads the body as a `Blob` with its content type, see `req.blob()`.
 *
 * @param req The request
 */
export async function readBlob(req: BodyOwner): Promise<Blob> {
  wasParsed(req, "blob");
  return await readBytes(req, "blob", (bytes) => {
    const type = req.get("content-type");
    // the runtime derives a blob's type from the header
    return new Response(bytes, type === undefined ? {} : { headers: { "content-type": type } }).blob();
  });
}

/**
 * Reads the body as a form, see `req.formData()`.
 *
 * @param req The request
 */
export async function readForm(req: BodyOwner): Promise<FormData> {
  wasParsed(req, "formData");
  // throws before anything is read
  const parse = formParser(req.get("content-type") ?? "", formPartsLimit(req[exchangeKey].app.settings));
  return await readBytes(req, "formData", parse);
}

/**
 * Parses JSON.
 *
 * @param text The string
 * @param depth Maximum number of levels
 * @throws {SyntaxError} If it is not JSON; the error has status 400
 * @throws {HttpError} 400 if it has more levels
 */
export function parseJson(text: string, depth: number): Any {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw annotated(error, 400, "entity.parse.failed");
  }
  assertDepth(value, text, depth);
  return value;
}

/**
 * Checks that JSON does not nest too deeply.
 *
 * @param value The parsed value
 * @param text The string it was parsed from
 * @param depth Maximum number of levels
 * @throws {HttpError} 400 if it does
 */
export function assertDepth(value: unknown, text: string, depth: number): void {
  // each level begins and ends with a bracket
  if (text.length > 2 * depth && isDeeper(value, depth)) throw tooDeep(depth);
}

// Nothing may touch the body before this, not even `bodyUsed`, or Deno discards the string.
function arrivedText(req: BodyOwner): string | null {
  const { aborted, app, reading, target } = req[exchangeKey];
  return reading === null && !aborted ? app[runtimeKey].arrivedText?.(target.request) ?? null : null;
}

// whether a body parser has read the body and produced the requested type
function wasParsed(req: BodyOwner, method: Method, type?: "object" | "string"): boolean {
  const { aborted, target } = exchangeFor(req, `req.${method}`);
  if (req.body === undefined) return false;
  // after a disconnect, Deno no longer reports whether the body was used
  if (!aborted && !target.request.bodyUsed) return false;
  const kind: string = typeof req.body;
  if (kind === type) return true;
  throw aborted ? connectionReset() : wasRead(method);
}

function wasRead(method: Method): TypeError {
  return new TypeError(`req.${method}() cannot read the body again; a middleware has already read it, use req.body`);
}

async function readText<T>(req: BodyOwner, method: Method, use: (text: string) => T): Promise<T> {
  const limit = bodyLimit(req[exchangeKey].app.settings, method);
  const arrived = arrivedText(req);
  if (arrived !== null) return use(within(arrived, limit));
  const { content, release } = await read(req, method, { limit, asText: true });
  try {
    return use(typeof content === "string" ? content : utf8Text(content));
  } finally {
    release();
  }
}

function within(text: string, limit: number): string {
  if (isLongerThan(text, limit)) throw tooLarge(limit, { received: utf8Length(text) });
  return text;
}

async function readBytes<T>(
  req: BodyOwner,
  method: Method,
  use: (bytes: Uint8Array<ArrayBuffer>) => Promise<T>,
): Promise<T> {
  const limit = bodyLimit(req[exchangeKey].app.settings, method);
  const { content, release } = await read(req, method, { limit });
  try {
    return await use(content as Uint8Array<ArrayBuffer>);
  } finally {
    release();
  }
}

function read(req: BodyOwner, method: Method, wanted: Pick<Wanted, "limit" | "asText">): Promise<HeldBody> {
  const exchange = req[exchangeKey];
  // Deno drops the body when the client disconnects
  if (exchange.aborted) throw connectionReset();
  if (exchange.target.request.bodyUsed) {
    if (hasBody(exchange)) throw wasRead(method);
    // a parser has found that there is no body
    return Promise.resolve({ content: wanted.asText ? "" : new Uint8Array(0), release() {} });
  }
  const announced = announcedLength(req);
  const failure = (cause: unknown): Error => {
    if (!isCutOff(cause)) return aborted(announced, cause);
    exchange.lose();
    return connectionReset(cause);
  };
  return wholeBody(exchange, { ...wanted, announced, failure });
}
