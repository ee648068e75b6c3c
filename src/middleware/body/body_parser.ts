import { asciiLowerCase, asciiUpperCase } from "../../util/ascii.ts";
import { parse as parseContentType } from "content-type";
import { annotated, HttpError } from "../../http/http_error.ts";
import { withDetails } from "../../util/handler_details.ts";
import { charsetDecoder, type Decoder, utf8Length, utf8Text } from "../../util/encodings.ts";
import { tooLarge } from "../../request/body/body_errors.ts";
import { exchangeKey, exchangeOf } from "../../exchange/exchange.ts";
import type { FrameworkRequest } from "../../request/framework_request.ts";
import {
  announcedLength,
  announcesBody,
  hasBody,
  isBodilessByMethod,
  isBodyRead,
} from "../../request/body/request_body.ts";
import type { Any } from "../../util/any.ts";
import { type HeldBody, readWhole } from "../../request/body/whole_body.ts";
import type { FrameworkResponse } from "../../response/framework_response.ts";
import type { CheckedOptions, RawBytes, Verify } from "./body_options.ts";
import { type ForeignParser, parseForeign } from "./parse_foreign.ts";
import { assertLength, isUncoded, readBody } from "./read_body.ts";
import { runtimeKey } from "../../util/runtime_key.ts";

/** A body parser as middleware: sets `req.body`, unless the body has a different type. */
export type BodyParser = (req: FrameworkRequest, res: FrameworkResponse, next: (error?: unknown) => void) => void;

/** The parts that differ between parsers. */
export interface Parsing {
  /** Returns whether the parser accepts a charset. */
  readonly acceptsCharset?: (charset: string) => boolean;
  /** Parses the body; without it, `req.body` holds the bytes. */
  readonly parseText?: ParseText;
}

/** Turns a body's string into `req.body`; also gets the application's settings. */
type ParseText = (text: string, charset: string, settings: Readonly<Record<string, Any>>) => Any;

/** Maximum UTF-8 bytes per UTF-16 code unit; four-byte characters are two code units. */
const MOST_BYTES = 3;

/**
 * Creates a body parser.
 *
 * @param options Checked options
 * @param parsing The parser-specific parts
 * @returns The middleware
 */
export function bodyParser(options: CheckedOptions, parsing: Parsing): BodyParser {
  const { parseText } = parsing;
  const textOnly = options.verify === undefined ? parseText : undefined;
  // The type of the last body parsed directly as UTF-8. Comparing it is nearly free, while a lookup takes 0.15 µs on
  // V8, which has to hash a newly received string.
  let usual: string | undefined;
  const take: ForeignParser = (req, res, next, shown) => {
    if (isBodilessByMethod(req[exchangeKey])) return skip(req, next);
    const type = req.get("content-type") ?? "";
    const isUsual = type === usual;
    if (!isUsual && options.matches?.(type) === false) return skip(req, next);
    const parsesText = textOnly !== undefined && (isUsual || isPlainUtf8(type, options)) && isUncoded(req);
    if (parsesText && options.matches !== null) {
      if (!isUsual) usual = type;
      const arrived = arrivedText(req);
      if (arrived !== null) return takeArrived(req, arrived, options.limit, textOnly, next);
    }
    markParsed(req);
    const length = announcedLength(req);
    if (length === undefined && !hasBody(req[exchangeKey], req)) return next();
    if (!options.wants(shown as FrameworkRequest)) return next();
    // a copy if earlier middleware listens for the chunks
    const beside = req[exchangeKey].reading?.beside() ?? null;
    if (beside === null) {
      // a different parser, or the program itself, has read it
      if (isBodyRead(req[exchangeKey])) return next();
      if (parsesText && length !== undefined && length <= options.limit) {
        return takeText(req, length, options.limit, textOnly, next);
      }
    }
    parse(req, res, shown, options, parsing, beside).then((body) => {
      if (body !== NO_BODY) req.body = body;
      if (!req.timedout) next();
    }, next);
  };
  const middleware: BodyParser = (req, res, next) =>
    exchangeOf(req) === null ? parseForeign(take, req, res, next) : take(req, res, next, req);
  // packages look for a layer by this name, such as Nest before it adds its own parser
  Object.defineProperty(middleware, "name", { value: `${options.parser}Parser` });
  return withDetails(middleware, { limits: { limit: `${options.limit} B` }, reads: options.types });
}

// Every header read costs time. If the runtime already has the string, the most common body needs only two: type and
// encoding. Nothing may touch the body first, not even `bodyUsed`.
function arrivedText(req: FrameworkRequest): string | null {
  const { app, emptied, reading, target } = req[exchangeKey];
  return reading === null && !emptied ? app[runtimeKey].arrivedText?.(target.request) ?? null : null;
}

// The runtime has enforced the announced length, so it matters only if the body may be too long, or is empty.
function takeArrived(
  req: FrameworkRequest,
  text: string,
  limit: number,
  parseText: ParseText,
  next: (error?: unknown) => void,
): void {
  if (text.length === 0 || text.length * MOST_BYTES > limit) {
    if (text.length === 0 && !hasBody(req[exchangeKey], req)) return skip(req, next);
    const length = announcedLength(req);
    const received = length ?? utf8Length(text);
    if (received > limit) return refuse(req, next, tooLarge(limit, length === undefined ? { received } : { length }));
  }
  takeParsed(req, text, parseText, next);
}

// straight from the string to the next layer, because every further promise would cost as much as parsing
function takeText(
  req: FrameworkRequest,
  length: number,
  limit: number,
  parseText: ParseText,
  next: (error?: unknown) => void,
): void {
  readWhole(req[exchangeKey], { limit, announced: length, asText: true }, (content, release) => {
    // a client that was told to try again expects that nothing was done
    if (req.timedout) return release();
    const text = typeof content === "string" ? content : utf8Text(content);
    takeParsed(req, text, parseText, next, { content, length, release });
  }, next);
}

/** A body that was read, with its announced length. */
interface Announced extends HeldBody {
  readonly length: number;
}

function takeParsed(
  req: FrameworkRequest,
  text: string,
  parseText: ParseText,
  next: (error?: unknown) => void,
  announced?: Announced,
): void {
  try {
    if (announced !== undefined) assertLength(announced.content, announced.length);
    if (text === "") req[exchangeKey].emptied = true;
    req.body = parsed(parseText, text, "utf-8", req);
  } catch (error) {
    return refuse(req, next, error);
  } finally {
    announced?.release();
  }
  next();
}

function refuse(req: FrameworkRequest, next: (error?: unknown) => void, error: unknown): void {
  markParsed(req);
  next(error);
}

function skip(req: FrameworkRequest, next: (error?: unknown) => void): void {
  markParsed(req);
  next();
}

// as in Express, `"body" in req` is true after a parser
function markParsed(req: FrameworkRequest): void {
  if (req.body === undefined) req.body = undefined;
}

/** Whether the type declares the body as UTF-8, the most common case. */
function isPlainUtf8(type: string, options: CheckedOptions): boolean {
  return type.includes(";") ? /;[ \t]*charset="?utf-8"?[ \t]*$/i.test(type) : options.defaultCharset === "utf-8";
}

/** Result for a request that turns out to have no body. */
const NO_BODY: object = {};

async function parse(
  req: FrameworkRequest,
  res: FrameworkResponse,
  shown: object,
  options: CheckedOptions,
  { acceptsCharset, parseText }: Parsing,
  beside: ReadableStream<Uint8Array<ArrayBuffer>> | null,
): Promise<Any> {
  const { verify } = options;
  const charset = parseText === undefined ? null : charsetOf(req) || options.defaultCharset;
  if (charset !== null && acceptsCharset?.(charset) === false) throw unsupportedCharset(charset);
  const decoder = charset === null || charset === "utf-8" ? null : decoderFor(charset);
  const { content, release } = await readBody(req, options, charset === "utf-8" && verify === undefined, beside);
  try {
    if (content.length === 0) {
      req[exchangeKey].emptied = true;
      if (!announcesBody(req)) return NO_BODY;
    }
    if (typeof content === "string") return parsed(parseText!, content, charset!, req);
    const bytes = req[exchangeKey].app[runtimeKey].nodeBytes(content);
    if (verify !== undefined) await runVerify(verify, shown as FrameworkRequest, res, bytes, charset);
    if (charset === null) return bytes;
    const text = (bigEndian(content, charset) ?? decoder)?.decode(content) ?? utf8Text(content);
    return parsed(parseText!, text, charset, req);
  } finally {
    release();
  }
}

function charsetOf(req: FrameworkRequest): string {
  const { charset = "" } = parseContentType(req.get("content-type") ?? "").parameters;
  return asciiLowerCase(charset);
}

// for "utf-16" the byte order mark decides (RFC 2781 section 3.3)
function bigEndian(bytes: Uint8Array, charset: string): TextDecoder | null {
  return charset === "utf-16" && bytes[0] === 0xfe && bytes[1] === 0xff ? new TextDecoder("utf-16be") : null;
}

function decoderFor(charset: string): Decoder {
  try {
    return charsetDecoder(charset);
  } catch {
    throw unsupportedCharset(charset);
  }
}

function unsupportedCharset(charset: string): HttpError {
  return new HttpError(415, `unsupported charset "${asciiUpperCase(charset)}"`, {
    charset,
    type: "charset.unsupported",
  });
}

async function runVerify(
  verify: Verify,
  req: FrameworkRequest,
  res: FrameworkResponse,
  bytes: Uint8Array,
  charset: string | null,
): Promise<void> {
  try {
    // a signature takes a promise to check with WebCrypto
    await verify(req, res, bytes as RawBytes, charset);
  } catch (error) {
    throw annotated(error, 403, "entity.verify.failed", { body: bytes });
  }
}

function parsed(parseText: ParseText, text: string, charset: string, req: FrameworkRequest): Any {
  try {
    const { settings } = req[exchangeKey].app;
    // Workers with an older compatibility date keep a byte order mark in the string
    return parseText(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text, charset, settings);
  } catch (error) {
    throw annotated(error, 400, "entity.parse.failed", { body: text });
  }
}
