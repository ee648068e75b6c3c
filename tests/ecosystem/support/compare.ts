import { varyOf } from "../../support/page_vary.ts";
import { type Exchanged, inflate } from "./ask_all.ts";
import type { Program, Runtime } from "./program.ts";

/** Headers that differ between servers: framing, the time, and the server name, which Sluice does not send. */
const GENERAL = ["date", "connection", "keep-alive", "transfer-encoding", "x-powered-by"];

/** A part of a response that differs between the sides. */
export interface Found {
  /** `status`, `body`, `complete body` or a header name. */
  readonly part: string;
  /** The part in Sluice's response. */
  readonly sluice: unknown;
  /** The part in Express's response. */
  readonly express: unknown;
}

/**
 * Compares two responses to the same request: status, headers and body, byte for byte.
 *
 * Random values are hidden, expiry times of cookies may be 5 s apart, and compressed bodies are compared inflated,
 * since zlib versions compress differently. On Bun, a response with a length on the other side may be chunked, and vice
 * versa: a body written in chunks gets a length if Bun receives all of them at once, whatever headers were set.
 *
 * @param ours Sluice's response
 * @param theirs Express's response
 * @param program The program, for its masks
 * @param runtime Sluice's runtime
 * @returns What differs
 */
export function compare(
  ours: Exchanged,
  theirs: Exchanged,
  program: Pick<Program, "masks">,
  runtime: Runtime = "Deno",
): Found[] {
  const found: Found[] = [];
  const note = (part: string, sluice: unknown, express: unknown) => {
    if (sluice !== express) found.push({ part, sluice, express });
  };
  note("status", ours.raw.status, theirs.raw.status);
  const masks = program.masks ?? [];
  const [mine, other] = [linesOf(ours, masks), linesOf(theirs, masks)];
  const ignored = new Set([...GENERAL, ...ours.ask.ignore ?? []]);
  if (runtime === "Bun" && inChunks(ours) !== inChunks(theirs)) ignored.add("content-length");
  for (const name of [...new Set([...mine.keys(), ...other.keys()])].sort()) {
    if (ignored.has(name)) continue;
    const [ourLines, theirLines] = [mine.get(name) ?? [], other.get(name) ?? []];
    if (name === "set-cookie" && sameCookies(ourLines, theirLines)) continue;
    if (name === "vary" && sameVary(mine, other)) continue;
    note(name, ourLines.join(" | ") || null, theirLines.join(" | ") || null);
  }
  note("body", bodyOf(ours, masks), bodyOf(theirs, masks));
  note("complete body", !ours.raw.cut, !theirs.raw.cut);
  return found;
}

function sameVary(...sides: Map<string, string[]>[]): boolean {
  const [ours, theirs] = sides.map((lines) =>
    varyOf(lines.get("vary")?.join(", "), lines.get("content-security-policy")?.join(", "))
  );
  return ours === theirs;
}

function inChunks({ answer }: Exchanged): boolean {
  return answer.headers["transfer-encoding"] === "chunked";
}

function linesOf({ raw }: Exchanged, masks: readonly RegExp[]): Map<string, string[]> {
  const lines = new Map<string, string[]>();
  for (const [name, value] of raw.headers) lines.set(name, [...lines.get(name) ?? [], hide(value, masks)]);
  return lines;
}

// latin1 maps every byte to one character
function bodyOf({ raw, answer }: Exchanged, masks: readonly RegExp[]): string {
  return hide(new TextDecoder("latin1").decode(inflate(raw.bytes, answer.headers["content-encoding"])), masks);
}

function hide(text: string, masks: readonly RegExp[]): string {
  return masks.reduce((shown, mask) => shown.replace(mask, "<hidden>"), text);
}

const EXPIRES = /(?<=;\s*expires=)[^;]+/i;

function sameCookies(ours: readonly string[], theirs: readonly string[]): boolean {
  return ours.length === theirs.length && ours.every((line, index) => {
    const other = theirs[index]!;
    if (line.replace(EXPIRES, "") !== other.replace(EXPIRES, "")) return false;
    const [mine, their] = [line, other].map((text) => text.match(EXPIRES)?.[0]);
    return mine === their || Math.abs(Date.parse(mine ?? "") - Date.parse(their ?? "")) <= 5000;
  });
}
