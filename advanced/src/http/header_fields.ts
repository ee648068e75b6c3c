import type { Decision } from "../limiter/decision.ts";
import type { Policy } from "../policy/policy.ts";
import type { Verdict } from "../stores/store.ts";
import type { HeaderSink } from "./faces.ts";

/** Forms of the IETF's RateLimit headers (draft-ietf-httpapi-ratelimit-headers). */
export type StandardHeaders = "draft-6" | "draft-7" | "draft-8" | "draft-10";

/** Which headers are sent. */
export interface HeaderOptions {
  /** `X-RateLimit-*`. */
  readonly legacy: boolean;
  /** What `X-RateLimit-Reset` tells: seconds from now, or seconds since 1970. */
  readonly legacyReset: "delta" | "epoch";
  /** The IETF's form, `null` for none. */
  readonly standard: StandardHeaders | null;
  /** The present time in ms, for `"epoch"`. */
  readonly clock: () => number;
}

/**
 * Writes the headers of a decision.
 *
 * Of several limits and limiters, the headers that can tell only one tell the one that leaves least; the lists of
 * draft-8 and later get one member for each.
 *
 * @param headers Where they go
 * @param decision The decision
 * @param options Which are sent
 */
export function writeHeaders(headers: HeaderSink, decision: Decision, options: HeaderOptions): void {
  const { legacy, standard } = options;
  if (legacy) writeLegacy(headers, decision.tightest, options);
  if (standard === "draft-8" || standard === "draft-10") writeLists(headers, decision);
  else if (standard !== null) writeEarlyDraft(headers, decision, standard);
  if (!decision.allowed) writeRetryAfter(headers, decision.retryMs);
}

function seconds(ms: number): number {
  return Math.ceil(ms / 1000);
}

function writeLegacy(headers: HeaderSink, { limit, remaining, resetMs }: Verdict, options: HeaderOptions): void {
  if (!leavesLess(headers, "X-RateLimit-", remaining, limit)) return;
  headers.set("X-RateLimit-Limit", String(limit));
  headers.set("X-RateLimit-Remaining", String(remaining));
  const reset = options.legacyReset === "epoch" ? seconds(options.clock() + resetMs) : seconds(resetMs);
  headers.set("X-RateLimit-Reset", String(reset));
}

// whether this limit leaves a smaller part than the one another limiter has told of
function leavesLess(headers: HeaderSink, prefix: string, remaining: number, limit: number): boolean {
  const earlier = headers.get(`${prefix}Remaining`);
  if (earlier === undefined) return true;
  return remaining * Number(headers.get(`${prefix}Limit`)) <= Number(earlier) * limit;
}

function writeEarlyDraft(headers: HeaderSink, decision: Decision, form: "draft-6" | "draft-7"): void {
  const { limit, remaining, resetMs } = decision.tightest;
  const policies = decision.policies.map((policy, i) => `${decision.verdicts[i]!.limit}${windowOf(policy)}`);
  append(headers, "RateLimit-Policy", policies.join(", "));
  if (form === "draft-6") {
    if (!leavesLess(headers, "RateLimit-", remaining, limit)) return;
    headers.set("RateLimit-Limit", String(limit));
    headers.set("RateLimit-Remaining", String(remaining));
    headers.set("RateLimit-Reset", String(seconds(resetMs)));
    return;
  }
  const earlier = headers.get("RateLimit")?.match(/^limit=(\d+), remaining=(\d+)/);
  if (earlier && remaining * Number(earlier[1]) > Number(earlier[2]) * limit) return;
  headers.set("RateLimit", `limit=${limit}, remaining=${remaining}, reset=${seconds(resetMs)}`);
}

// a window of less than a second has no whole number of seconds to tell
function windowOf({ windowMs }: Policy): string {
  return windowMs < 1000 ? "" : `;w=${seconds(windowMs)}`;
}

/** Draft-8 and later: lists of structured-field strings with parameters (RFC 9651), one member for each limit. */
function writeLists(headers: HeaderSink, { policies, verdicts }: Decision): void {
  for (const [i, policy] of policies.entries()) {
    const { limit, remaining, nextMs } = verdicts[i]!;
    const name = quoted(policy.name);
    const unit = policy.algorithm === "concurrency" ? ';qu="concurrent-requests"' : windowOf(policy);
    append(headers, "RateLimit-Policy", `${name};q=${limit}${unit}`);
    // t says when there is more than now, so Retry-After is never before it
    append(headers, "RateLimit", `${name};r=${remaining}${nextMs === Infinity ? "" : `;t=${seconds(nextMs)}`}`);
  }
}

function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, "\\$&")}"`;
}

function append(headers: HeaderSink, name: string, value: string): void {
  const earlier = headers.get(name);
  headers.set(name, earlier === undefined ? value : `${earlier}, ${value}`);
}

/** RFC 9110 section 10.2.3: whole seconds, rounded up. Of several the latest counts; what never fits has none. */
function writeRetryAfter(headers: HeaderSink, retryMs: number): void {
  if (retryMs === Infinity) return;
  const earlier = Number(headers.get("Retry-After") ?? 0);
  headers.set("Retry-After", String(Math.max(seconds(retryMs), Number.isNaN(earlier) ? 0 : earlier)));
}
