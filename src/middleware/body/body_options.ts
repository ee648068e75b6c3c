import { parseBytes } from "../../http/units.ts";
import type { FrameworkRequest, NodeRequest } from "../../request/framework_request.ts";
import type { Untyped } from "../../request/untyped.ts";
import type { FrameworkResponse } from "../../response/framework_response.ts";

/** Declared as a method, so that `verify` may name less or more of a request than there is. */
export interface VerifyShape {
  /** Looks at the raw bytes. */
  call(req: FrameworkRequest, res: FrameworkResponse, bytes: RawBytes, encoding: string | null): void;
}

/** Declared as a method, and twice, as handlers of Node's requests are. */
export interface ForeignVerifyShape {
  /** Looks at the raw bytes. */
  call(req: NodeRequest, res: Untyped, bytes: RawBytes, encoding: Untyped): void;
  /** Looks at the raw bytes, once more. */
  call<_>(req: NodeRequest, res: Untyped, bytes: RawBytes, encoding: Untyped): void;
}

/** Looks at the raw bytes of a body. */
export type Verify = VerifyShape["call"];

/** The same, typed for the request and the response of Express or Node. */
export type ForeignVerify = ForeignVerifyShape["call"];

/** Bytes: a `Buffer` where the program has Node's types, elsewhere with what of a `Buffer` is used on them most. */
export type RawBytes = typeof globalThis extends Record<"Buffer", { alloc(size: number): infer Bytes }> ? Bytes
  : Uint8Array & { toString(encoding?: string): string };

/** What all body parsers take, as in Express. */
export interface BodyOptions {
  /** Most bytes of the inflated body: a number or text such as `"100kb"`, the default. */
  limit?: number | string | null | undefined;
  /** Types that are parsed: extensions, types, wildcards, or a function. */
  type?: (string | readonly string[] | ((req: FrameworkRequest) => unknown)) | undefined;
  /** Looks at the raw bytes, a `Buffer` where the runtime has one; what it throws refuses the request with 403. */
  verify?: false | Verify | ForeignVerify | undefined;
  /** Whether compressed bodies are inflated, or refused with 415; on by default. */
  inflate?: boolean | undefined;
  /** Charset of bodies that name none; UTF-8 by default. */
  defaultCharset?: string | undefined;
}

/** Content types whose verdict a parser remembers. */
const MAX_REMEMBERED = 64;

/** The same, checked and complete. */
export interface CheckedOptions {
  /** Most bytes. */
  readonly limit: number;
  /** Whether a request is to be parsed; gets its content type, which has been read already. */
  readonly wants: (req: FrameworkRequest, contentType: string) => unknown;
  /** What `wants` said of content types of requests with a body, where that follows from the type alone. */
  readonly verdicts: ReadonlyMap<string, boolean>;
  /** Looks at the raw bytes. */
  readonly verify: Verify | undefined;
  /** Whether compressed bodies are inflated. */
  readonly inflate: boolean;
  /** Charset of bodies that name none. */
  readonly defaultCharset: string;
}

/**
 * Checks the options of a body parser.
 *
 * @param parser Name of the parser for error messages
 * @param options What the user gave
 * @param defaultType What is parsed without a `type`
 * @returns The checked options
 * @throws {TypeError} If `limit` is no size, `verify` no function or `defaultCharset` no string
 */
export function checkBodyOptions(parser: string, options: BodyOptions, defaultType: string): CheckedOptions {
  const { limit, verify, inflate = true } = options;
  // as in Express, what is empty is not there
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
  const verdicts = new Map<string, boolean>();
  return {
    limit: readLimit(parser, limit),
    wants: typeof type === "function" ? type : (req, given) => {
      const known = verdicts.get(given);
      if (known !== undefined) return known;
      const wanted = Boolean(req.is(types));
      // clients choose the header, so only as many are remembered as there are honest ones
      if (verdicts.size < MAX_REMEMBERED) verdicts.set(given, wanted);
      return wanted;
    },
    verdicts,
    verify: verify ? verify as Verify : undefined,
    inflate,
    defaultCharset: defaultCharset.toLowerCase(),
  };
}

function readLimit(parser: string, limit: BodyOptions["limit"]): number {
  if (limit === undefined || limit === null) return 100 * 1024;
  try {
    return parseBytes(limit);
  } catch (cause) {
    throw new TypeError(`option limit "${String(limit)}" is invalid; give bytes or text such as "100kb" (${parser})`, {
      cause,
    });
  }
}
