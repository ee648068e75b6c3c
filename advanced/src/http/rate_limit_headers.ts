import { type HeaderSink, LEGACY, type LimitNames, seconds, writeLimit, writeRetryAfter } from "@sluice/limiting";
import { sha256 } from "@sluice/shared";
import type { Decision } from "../limiter/decision.ts";
import { windowAt } from "../policy/calendar_window.ts";
import { holdsSlots, type Policy } from "../policy/policy.ts";
import type { Verdict } from "../policy/store.ts";

/** Hash bytes that distinguish a client's quotas. A multiple of 3 needs no base64 padding. */
const PARTITION_BYTES = 12;

/** Versions of the IETF RateLimit headers (draft-ietf-httpapi-ratelimit-headers). */
export type StandardHeaders = "draft-6" | "draft-7" | "draft-8" | "draft-10" | "draft-11";

/** Which headers to send. */
export interface HeaderOptions {
  /** `X-RateLimit-*`. */
  readonly legacy: boolean;
  /** Unit of `X-RateLimit-Reset`: seconds from now, or seconds since 1970. */
  readonly legacyReset: "delta" | "epoch";
  /** The IETF draft, or `null` if none. */
  readonly standard: StandardHeaders | null;
  /** Maximum random ms added to `Retry-After`, so that clients do not all retry at once; 0 for none. */
  readonly retryJitterMs: number;
  /** Random, at least 0 and below 1. */
  readonly random: () => number;
}

/**
 * Writes the headers for a decision.
 *
 * With several limits or limiters, headers that hold only one limit show the one with the least left. In draft-8 and
 * later, the lists get one member per limit. The remaining quota is omitted if the store does not report it.
 *
 * @param headers Where to write them
 * @param decision The decision
 * @param options Which headers to send
 * @param now When the decision was made, in ms since 1970: some frameworks only accept headers after the handler
 * @param earlierMs How long earlier limiters would refuse the same request, in ms
 */
export function writeHeaders(
  headers: HeaderSink,
  decision: Decision,
  options: HeaderOptions,
  now: number,
  earlierMs = 0,
): void {
  const { legacy, legacyReset, standard } = options;
  if (legacy) {
    const { tightest } = decision;
    writeState(
      headers,
      LEGACY,
      tightest,
      seconds(legacyReset === "epoch" ? now + tightest.resetMs : tightest.resetMs),
    );
  }
  if (standard !== null) writeStandard(headers, decision, standard, now);
  if (!decision.allowed) writeRetryAfter(headers, Math.max(decision.retryAfterMs, earlierMs) + jitterOf(options));
}

/** Descriptions of the headers on refusals, by name, for documentation. */
export function headersSaid({ legacy, legacyReset, standard }: HeaderOptions): Record<string, string> {
  const inSeconds = "Seconds until all are available again.";
  return {
    "Retry-After": "Seconds until another request may be admitted.",
    ...legacy && {
      [LEGACY.limit]: "Units per window.",
      [LEGACY.remaining]: "Units left in the window.",
      [LEGACY.reset]: legacyReset === "epoch" ? "Unix time in seconds at which all are available again." : inSeconds,
    },
    ...standard !== null && { "RateLimit-Policy": `The limits (${standard} of the IETF's RateLimit headers).` },
    ...standard === "draft-6"
      ? {
        [DRAFT_6.limit]: "Units per window.",
        [DRAFT_6.remaining]: "Units left in the window.",
        [DRAFT_6.reset]: inSeconds,
      }
      : standard !== null && { "RateLimit": `The units left (${standard}).` },
  };
}

// a limit without a known remainder never replaces another limit's headers
function writeState(headers: HeaderSink, names: LimitNames, tightest: Verdict, reset: number): void {
  if (!Number.isNaN(tightest.remaining)) writeLimit(headers, names, tightest, reset);
  else if (headers.getHeader(names.limit) === undefined) headers.setHeader(names.limit, String(tightest.limit));
}

function writeStandard(headers: HeaderSink, decision: Decision, form: StandardHeaders, now: number): void {
  if (form === "draft-6" || form === "draft-7") writeEarlyDraft(headers, decision, form, now);
  else writeLists(headers, decision, form === "draft-11", now);
}

function jitterOf({ retryJitterMs, random }: HeaderOptions): number {
  return retryJitterMs === 0 ? 0 : retryJitterMs * Math.min(1, Math.max(0, random()));
}

const DRAFT_6: LimitNames = { limit: "RateLimit-Limit", remaining: "RateLimit-Remaining", reset: "RateLimit-Reset" };

function writeEarlyDraft(
  headers: HeaderSink,
  decision: Decision,
  form: "draft-6" | "draft-7",
  now: number,
): void {
  const { limit, remaining, resetMs } = decision.tightest;
  const policies = decision.policies.map((policy, i) => `${decision.verdicts[i]!.limit}${windowOf(policy, now)}`);
  append(headers, "RateLimit-Policy", policies.join(", "));
  if (form === "draft-6") return writeState(headers, DRAFT_6, decision.tightest, seconds(resetMs));
  if (Number.isNaN(remaining)) return;
  const earlier = headers.getHeader("RateLimit")?.toString().match(/^limit=(\d+), remaining=(\d+)/);
  if (earlier && remaining * Number(earlier[1]) > Number(earlier[2]) * limit) return;
  headers.setHeader("RateLimit", `limit=${limit}, remaining=${remaining}, reset=${seconds(resetMs)}`);
}

// omitted for windows under a second, which whole seconds cannot express; a calendar window has its current length
function windowOf({ windowMs, window }: Policy, now: number): string {
  if (window !== undefined) {
    const { start, end } = windowAt(window, now);
    return `;w=${seconds(end - start)}`;
  }
  return windowMs < 1000 ? "" : `;w=${seconds(windowMs)}`;
}

/** Draft-8 and later: lists of structured-field strings with parameters (RFC 9651), one member per limit. */
function writeLists(
  headers: HeaderSink,
  { policies, verdicts, takes }: Decision,
  hasPartitions: boolean,
  now: number,
): void {
  for (const [i, policy] of policies.entries()) {
    const { limit, remaining, nextMs } = verdicts[i]!;
    const name = quoted(policy.name);
    const unit = holdsSlots(policy) ? ';qu="concurrent-requests"' : windowOf(policy, now);
    const partition = hasPartitions ? `;pk=:${partitionOf(takes[i]!.key)}:` : "";
    append(headers, "RateLimit-Policy", `${name};q=${limit}${unit}${partition}`);
    if (Number.isNaN(remaining)) continue;
    // t is the time until more units are available, so Retry-After is never earlier; with a limit of 0, there never are
    // any
    const refills = limit > 0 && nextMs !== Infinity;
    append(headers, "RateLimit", `${name};r=${remaining}${refills ? `;t=${seconds(nextMs)}` : ""}${partition}`);
  }
}

// cached, because limits often share a key
let lastKey = "";
let lastPartition = "";

/** The draft-11 partition key, in base64. It distinguishes quotas without revealing their keys. */
function partitionOf(key: string): string {
  if (key === lastKey) return lastPartition;
  const hash = sha256(new TextEncoder().encode(JSON.stringify(key))).subarray(0, PARTITION_BYTES);
  lastKey = key;
  return lastPartition = btoa(String.fromCharCode(...hash));
}

function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, "\\$&")}"`;
}

function append(headers: HeaderSink, name: string, value: string): void {
  const earlier = headers.getHeader(name);
  headers.setHeader(name, earlier === undefined ? value : `${earlier}, ${value}`);
}
