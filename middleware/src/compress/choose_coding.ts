import { decided, rankEncodings } from "@sluice/shared";
import type { Request, Response } from "@sluice/sluice";
import type { Coding } from "./coding.ts";

/** Which responses to compress, and how. */
export interface CompressionRules {
  /** The runtime's codings, best first. */
  readonly codings: readonly Coding[];
  /** The same for responses that stay open. */
  readonly codingsOfEvents: readonly Coding[];
  /** Minimum size of a body to compress, in bytes. */
  readonly threshold: number;
  /** Whether a response is worth compressing. */
  filter(req: Request, res: Response): boolean;
}

/** Headers with a checksum of the uncompressed bytes (RFC 9530 and its predecessors). */
const CHECKSUMS = ["Content-Digest", "Repr-Digest", "Digest", "Content-MD5"];

/**
 * Chooses how to compress a response, and sets the headers that depend on the choice.
 *
 * @param req The request
 * @param res Its response, with all headers
 * @param status Its status
 * @param length Bytes in the body; `undefined` if unknown
 * @param rules Which responses to compress
 * @returns The coding, or `null` if the response is not compressed
 */
export function chooseCoding(
  req: Request,
  res: Response,
  status: number,
  length: number | undefined,
  rules: CompressionRules,
): Coding | null {
  if (status === 304) keepTag(req, res);
  if (!isWhole(res, status) || isFixed(res) || !decided("compress", "filter", rules.filter(req, res))) return null;
  // an uncompressed response needs it, too: a different client may get it compressed
  res.vary("Accept-Encoding");
  const known = isEventStream(res) ? rules.codingsOfEvents : rules.codings;
  const codings = isOfRecords(res) ? known.filter(({ canFlush }) => canFlush) : known;
  const names = rankEncodings(req.get("accept-encoding"), [...codings.map(({ name }) => name), "identity"]);
  const coding = codings.find(({ name }) => name === names[0]);
  // a client that refuses `identity` gets short bodies compressed, too
  const isShort = length !== undefined && length < rules.threshold && names.includes("identity");
  if (coding === undefined || isShort) return null;
  describeCoded(res, coding.name);
  return coding;
}

// Whether a client reads each record as it arrives: without a flush it would get all of them at the end. Other types,
// such as HTML, rarely wait for long.
function isOfRecords(res: Response): boolean {
  return /^[ \t]*application\/(?:(?:x-)?ndjson|jsonl|json-seq)[ \t]*(?:;|$)/i.test(
    String(res.getHeader("Content-Type")),
  );
}

/** Whether a response is an event stream, where the client waits for each event. */
export function isEventStream(res: Response): boolean {
  return /^[ \t]*text\/event-stream[ \t]*(?:;|$)/i.test(String(res.getHeader("Content-Type")));
}

// a partial body is part of the uncompressed body
function isWhole(res: Response, status: number): boolean {
  return status >= 200 && ![204, 205, 206, 304].includes(status) && !res.hasHeader("Content-Range");
}

// whether its bytes must not change
function isFixed(res: Response): boolean {
  const coding = res.getHeader("Content-Encoding");
  return (coding !== undefined && coding !== "identity") || CHECKSUMS.some((name) => res.hasHeader(name)) ||
    /(?:^|,)[ \t]*no-transform[ \t]*(?:,|$)/i.test(String(res.getHeader("Cache-Control") ?? ""));
}

function describeCoded(res: Response, coding: string): void {
  res.setHeader("Content-Encoding", coding);
  res.removeHeader("Content-Length");
  // a client could resume an interrupted download with uncompressed bytes
  res.removeHeader("Accept-Ranges");
  const tag = res.getHeader("ETag");
  // a strong tag promises identical bytes (RFC 9110 section 8.8.3)
  if (typeof tag === "string" && tag.startsWith('"')) res.setHeader("ETag", `W/${tag}`);
}

// A 304 carries the tag of the client's copy: a cache would not find that copy by a different tag.
function keepTag(req: Request, res: Response): void {
  const tag = res.getHeader("ETag");
  if (typeof tag !== "string" || !tag.startsWith('"')) return;
  if (req.get("if-none-match")?.includes(`W/${tag}`)) res.setHeader("ETag", `W/${tag}`);
}
