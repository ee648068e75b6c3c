import {
  checkInteger,
  checkNames,
  checkType,
  type OptionNames,
  parseBytes,
  refuseMembers,
  refuseOption,
} from "@sluice/shared";
import type { Request, Response } from "@sluice/sluice";
import { builtinCodings } from "./builtin_codings.ts";
import type { CompressionRules } from "./choose_coding.ts";
import type { Coding, CodingLevels, CodingName } from "./coding.ts";
import { CompressedResponse } from "./compressed_response.ts";
import { isCompressible } from "./compressible_type.ts";
import { streamCodings } from "./stream_codings.ts";

/**
 * Which responses to compress, and how.
 *
 * @example Only what is worth it
 * ```ts
 * import sluice from "@sluice/sluice";
 * import { compress } from "@sluice/middleware/compress";
 *
 * const app = sluice();
 * app.use(compress({ threshold: 4096, encodings: ["br", "gzip"] }));
 * ```
 */
export interface CompressOptions {
  /**
   * Minimum size of a body to compress, in bytes or as a string such as `"2kb"`; 1024 by default. A body whose length
   * is unknown when its head is written is always compressed.
   */
  threshold?: number | string;
  /**
   * Which codings to use, in the server's order of preference, for clients that state none: `zstd`, `br`, `gzip`,
   * `deflate` by default. Those that the runtime lacks are skipped.
   */
  encodings?: readonly CodingName[];
  /**
   * Compression level: a number for gzip and deflate, as in npm's compression, or levels by coding; 4 for `br` and the
   * runtime's own default for the others.
   */
  level?: number | CodingLevels;
  /**
   * Whether to compress a response whose headers are set; by default depends on its `Content-Type` (`isCompressible`).
   */
  filter?(req: Request, res: Response): boolean;
}

/** A middleware that compresses responses. */
export type Compress = (req: Request, res: Response, next: (error?: unknown) => void) => void;

const NAMES: OptionNames<CompressOptions> = { threshold: true, encodings: true, level: true, filter: true };

const THRESHOLD_BYTES = 1024;

/**
 * Zstandard takes a fraction of the other codings' time for about the same size, and brotli's output is the smallest of
 * the rest.
 */
const ENCODINGS: readonly CodingName[] = ["zstd", "br", "gzip", "deflate"];

/** Each open stream costs 0.3 MiB of memory with these codings, and 1 MiB or more with the others. */
const OF_EVENTS: readonly CodingName[] = ["gzip", "deflate"];

const LEVEL_NAMES: OptionNames<CodingLevels> = { br: true, deflate: true, gzip: true, zstd: true };

/** Each coding's minimum and maximum level. */
const LEVELS: Readonly<Record<CodingName, readonly [number, number]>> = {
  br: [0, 11],
  deflate: [0, 9],
  gzip: [0, 9],
  zstd: [1, 22],
};

/**
 * Compresses responses from everything registered after it, in a coding that the client accepts (RFC 9110 section
 * 12.5.3).
 *
 * It skips responses that have a `Content-Encoding`, a digest, `Cache-Control: no-transform`, no body, a partial body,
 * or a type not worth compressing. A strong `ETag` becomes weak. Event streams are flushed after each event, other
 * streams by `res.flush?.()`, and within 5 ms while their source waits. Where the runtime cannot flush, event streams and
 * NDJSON are not compressed.
 *
 * @param options Which responses to compress, and how
 * @returns The middleware; where the runtime cannot compress at all, it does nothing
 * @throws {TypeError} If an option is unknown or of the wrong type
 * @throws {RangeError} If the threshold or a level is out of bounds
 *
 * @example Higher levels, and only longer bodies
 * ```ts
 * import sluice from "@sluice/sluice";
 * import { compress } from "@sluice/middleware/compress";
 *
 * const app = sluice();
 * app.use(compress({ threshold: "4kb", encodings: ["br", "gzip"], level: { br: 6 } }));
 * app.use(sluice.static("public"));
 * ```
 */
export function compress(options: CompressOptions = {}): Compress {
  const rules = rulesOf(options);
  const middleware: Compress = (req, res, next) => {
    new CompressedResponse(req, res, rules);
    next();
  };
  const unable: Compress = (_req, _res, next) => next();
  // gives the layer this name, even in a bundle
  return Object.defineProperty(rules.codings.length > 0 ? middleware : unable, "name", { value: "compress" });
}

refuseMembers(compress, "compress", { filter: 'write isCompressible(res.get("Content-Type"))' });

function rulesOf(options: CompressOptions): CompressionRules {
  checkNames("compress", options, NAMES, insteadOf);
  const { encodings = ENCODINGS, filter = isWorthIt } = options;
  const level = levelsOf(options.level ?? {});
  checkType("compress", "filter", filter, "function");
  const threshold = bytesOf(options.threshold ?? THRESHOLD_BYTES);
  const names = Object.keys(LEVEL_NAMES) as CodingName[];
  if (!Array.isArray(encodings) || encodings.some((name) => !names.includes(name))) {
    refuseOption("compress", "encodings", `a list of ${names.join(", ")}`, encodings);
  }
  checkNames("compress: option level", level, LEVEL_NAMES);
  for (const name of names) {
    if (level[name] !== undefined) checkInteger("compress", `level.${name}`, level[name], ...LEVELS[name]);
  }
  const known = builtinCodings(level) ?? streamCodings();
  const codings = (encodings as readonly CodingName[]).flatMap((name) => known[name] ?? []);
  return { codings, codingsOfEvents: codings.filter(({ canFlush }) => canFlush).sort(byMemory), threshold, filter };
}

function levelsOf(level: number | CodingLevels): CodingLevels {
  if (typeof level === "number") return { gzip: level, deflate: level };
  if (typeof level === "object" && level !== null) return level;
  refuseOption("compress", "level", "a number, or an object of codings and levels, such as { br: 4 }", level);
}

function isWorthIt(_req: Request, res: Response): boolean {
  return isCompressible(res.get("Content-Type"));
}

function bytesOf(threshold: unknown): number {
  const bytes = typeof threshold === "string" ? parseBytes(threshold, "compress: option threshold") : threshold;
  checkInteger("compress", "threshold", bytes, 0, Number.MAX_SAFE_INTEGER);
  return bytes as number;
}

function byMemory(a: Coding, b: Coding): number {
  return Number(OF_EVENTS.includes(b.name)) - Number(OF_EVENTS.includes(a.name));
}

// options from npm's compression
function insteadOf(name: string): string | undefined {
  if (name === "brotli") return "write level: { br: 4 }, and encodings to leave it out";
  return name === "enforceEncoding" ? "a client that accepts no coding gets none" : undefined;
}
