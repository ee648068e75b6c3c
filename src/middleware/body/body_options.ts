import { asciiLowerCase } from "../../util/ascii.ts";
import { noteWarning } from "../../util/development_warning.ts";
import { type OptionNames, unknownOptions } from "../../util/check_option.ts";
import { parseBytes } from "../../util/units.ts";
import { matchContentType, mediaTypesOf } from "../../request/match_content_type.ts";
import type { FrameworkRequest, NodeRequest } from "../../request/framework_request.ts";
import type { Any } from "../../util/any.ts";
import type { FrameworkResponse } from "../../response/framework_response.ts";

/**
 * A method, so parameters are bivariant: `verify` may require more or less than a request.
 *
 * @internal
 */
export interface VerifyShape {
  /** Checks the raw bytes. */
  call(req: FrameworkRequest, res: FrameworkResponse, bytes: RawBytes, encoding: string | null): void;
}

/**
 * A method, and overloaded, for the same reasons as `ForeignHandlerShape`.
 *
 * @internal
 */
export interface ForeignVerifyShape {
  /** Checks the raw bytes. */
  call(req: NodeRequest, res: Any, bytes: RawBytes, encoding: Any): void;
  /** Checks the raw bytes; second overload. */
  call<_>(req: NodeRequest, res: Any, bytes: RawBytes, encoding: Any): void;
}

/** Checks a body's raw bytes. */
export type Verify = VerifyShape["call"];

/** The same, typed for Express's or Node's request and response. */
export type ForeignVerify = ForeignVerifyShape["call"];

/** Bytes: a `Buffer` if the program has Node's types, otherwise a `Uint8Array` with `Buffer`'s `toString`. */
export type RawBytes = typeof globalThis extends Record<"Buffer", { alloc(size: number): infer Bytes }> ? Bytes
  : Uint8Array & { toString(encoding?: string): string };

/**
 * Options for all body parsers, as in Express.
 *
 * @example A larger limit, and a custom type
 * ```ts
 * import sluice from "@sluice/sluice";
 *
 * const app = sluice();
 * app.use(sluice.json({ limit: "1mb", type: ["application/json", "application/vnd.api+json"] }));
 * ```
 */
export interface BodyOptions {
  /** Maximum decompressed body size: a number of bytes, or a string such as `"100kb"`, the default. */
  limit?: number | string | null | undefined;
  /** Types to parse: extensions, media types, wildcards, or a function. */
  type?: (string | readonly string[] | ((req: FrameworkRequest) => unknown)) | undefined;
  /**
   * Checks the raw bytes, a `Buffer` where the runtime has one. If it throws, or its promise rejects, the request is
   * refused with 403.
   */
  verify?: false | Verify | ForeignVerify | undefined;
  /** Whether compressed bodies are decompressed rather than refused with 415; on by default. */
  inflate?: boolean | undefined;
  /** Charset for bodies that do not specify one; UTF-8 by default. */
  defaultCharset?: string | undefined;
}

/**
 * Options for the JSON parser.
 *
 * @example Accept primitives such as `7`, which are also JSON
 * ```ts
 * import sluice from "@sluice/sluice";
 *
 * const app = sluice();
 * app.post("/value", sluice.json({ strict: false }), (req, res) => res.json({ value: req.body }));
 * ```
 */
export interface JsonOptions extends BodyOptions {
  /** Accepts only objects and arrays; on by default. */
  strict?: boolean | undefined;
  /** Second argument of `JSON.parse`. */
  reviver?: ((this: Any, key: string, value: Any) => Any) | undefined;
}

/**
 * Options for the form parser.
 *
 * @example Forms with nested names
 * ```ts
 * import sluice from "@sluice/sluice";
 *
 * const app = sluice();
 * app.post("/form", sluice.urlencoded({ extended: true, parameterLimit: 100 }), (req, res) => res.json(req.body));
 *
 * const response = await app.inject("/form", { method: "POST", body: new URLSearchParams({ "user[name]": "Ann" }) });
 * console.log(await response.json()); // { user: { name: "Ann" } }
 * ```
 */
export interface UrlencodedOptions extends BodyOptions {
  /** Parses brackets as nested objects; off by default. */
  extended?: boolean | undefined;
  /** Maximum number of pairs, 1000 by default; more are refused with 413. */
  parameterLimit?: number | undefined;
  /** Maximum bracket depth, 32 by default; deeper ones are refused with 400. */
  depth?: number | undefined;
  /** Reads the charset from a field `utf8=✓`; off by default. */
  charsetSentinel?: boolean | undefined;
  /** Decodes `&#9786;` into its character, in ISO-8859-1; off by default. */
  interpretNumericEntities?: boolean | undefined;
}

/** Programs often pass one object to several parsers, so each accepts all parsers' options. */
const NAMES: OptionNames<JsonOptions & UrlencodedOptions> = {
  limit: true,
  type: true,
  verify: true,
  inflate: true,
  defaultCharset: true,
  strict: true,
  reviver: true,
  extended: true,
  parameterLimit: true,
  depth: true,
  charsetSentinel: true,
  interpretNumericEntities: true,
};

/** Number of content types a parser caches. */
const MAX_REMEMBERED = 64;

/** The options, checked and complete. */
export interface CheckedOptions {
  /** The parser's name. */
  readonly parser: string;
  /** Maximum size in bytes. */
  readonly limit: number;
  /** Media types and ranges to parse; if a function decides, any type. */
  readonly types: readonly string[];
  /** Returns whether bodies with a content type are parsed; `null` if the program decides per request. */
  readonly matches: ((contentType: string) => boolean) | null;
  /** Returns whether the program wants the body parsed; always true where the type alone decides. */
  readonly wants: (req: FrameworkRequest) => unknown;
  /** Checks the raw bytes. */
  readonly verify: Verify | undefined;
  /** Whether compressed bodies are decompressed. */
  readonly inflate: boolean;
  /** Charset for bodies that do not specify one. */
  readonly defaultCharset: string;
}

/**
 * Checks a body parser's options.
 *
 * @param parser The parser's name
 * @param options The user's options
 * @param defaultType The default for `type`
 * @returns The checked options
 * @throws {TypeError} If `limit` is not a size, `verify` not a function, or `defaultCharset` not a string
 */
export function checkBodyOptions(parser: string, options: BodyOptions, defaultType: string): CheckedOptions {
  unknownOptions(parser, options, NAMES).forEach(noteWarning);
  const { limit, verify, inflate = true } = options;
  // as in Express, an empty value counts as missing
  const type = options.type || defaultType;
  const defaultCharset = options.defaultCharset || "utf-8";
  // Express users turn verify off with `false`
  if (verify && typeof verify !== "function") {
    throw new TypeError(`option verify must be function, not ${typeof verify} (${parser})`);
  }
  if (typeof defaultCharset !== "string") {
    throw new TypeError(`option defaultCharset must be a string, not ${typeof defaultCharset} (${parser})`);
  }
  const types = [type].flat() as string[];
  const isFunction = typeof type === "function";
  return {
    parser,
    limit: readLimit(parser, limit),
    types: isFunction ? ["*/*"] : mediaTypesOf(types),
    matches: isFunction ? null : rememberingMatcher(types),
    wants: isFunction ? type : () => true,
    verify: verify ? verify as Verify : undefined,
    inflate,
    defaultCharset: asciiLowerCase(defaultCharset),
  };
}

// Whether a request has a body must not matter here, because the cached result serves every request with that header.
function rememberingMatcher(types: readonly string[]): (contentType: string) => boolean {
  const known = new Map<string, boolean>();
  return (contentType) => {
    const remembered = known.get(contentType);
    if (remembered !== undefined) return remembered;
    const matches = matchContentType(contentType, types) !== false;
    // clients choose the header, so the cache holds only as many types as honest clients need
    if (known.size < MAX_REMEMBERED) known.set(contentType, matches);
    return matches;
  };
}

function readLimit(parser: string, limit: BodyOptions["limit"]): number {
  if (limit === undefined || limit === null) return 100 * 1024;
  try {
    return parseBytes(limit);
  } catch (cause) {
    throw new TypeError(
      `option limit "${String(limit)}" is invalid; use bytes or a string such as "100kb" (${parser})`,
      {
        cause,
      },
    );
  }
}
