import { terminalText } from "../text/escape.ts";
import { notesOf, percentText, sourceText, timeText, windowText } from "./notes.ts";
import type { PolicyReport, SimulationReport } from "./simulation_report.ts";

/** Longest key in a table. */
const KEY_WIDTH = 48;

/**
 * Formats a report as tables for a terminal. Keys and log lines are escaped.
 *
 * @param report The report
 */
export function textReport(report: SimulationReport): string {
  const { log, policies } = report;
  const lines = [terminalText(sourceText(report))];
  for (const policy of policies) lines.push("", ...policyLines(policy));
  lines.push("");
  for (const note of notesOf(report)) lines.push(terminalText(note));
  for (const { file, line, reason, text } of log.firstBroken) {
    lines.push(`  ${terminalText(file)}:${line}: ${terminalText(reason)}: ${terminalText(text)}`);
  }
  return `${lines.join("\n").trimEnd()}\n`;
}

export function policyTitle(policy: PolicyReport): string {
  const { name, algorithm, limit, shadow } = policy;
  return `${name}: ${limit} ${windowText(policy)}, ${algorithm}${shadow ? ", shadow" : ""}`;
}

/** Describes the search result. */
export function atMostText({ atMost }: PolicyReport): string | undefined {
  if (atMost === undefined) return undefined;
  if (atMost === null) return "no limit refuses as few clients as --at-most allows";
  const { percent, limit, keysLimited, keyShare, share } = atMost;
  return `a limit of ${limit} is the lowest that hits at most ${percent} % of clients: ` +
    `${keysLimited} (${percentText(keyShare)}), ${percentText(share)} of requests`;
}

function policyLines(policy: PolicyReport): string[] {
  const { requests, limited, share, keys, keysLimited, keyShare, peaks, top } = policy;
  const found = atMostText(policy);
  const lines = [
    policyTitle(policy),
    `  requests  ${requests}, limited ${limited} (${percentText(share)})`,
    `  clients   ${keys}, limited ${keysLimited} (${percentText(keyShare)})`,
    `  peaks     half of the clients up to ${peaks.p50} in a window, 90 % up to ${peaks.p90}, ` +
    `99 % up to ${peaks.p99}, all up to ${peaks.max}`,
    ...(found === undefined ? [] : [`  at most   ${found}`]),
  ];
  if (top.length === 0) return lines;
  const rows = top.map(({ key, requests, limited, peak, firstLimitedMs, lastLimitedMs }) => [
    shortened(terminalText(key)),
    ...[requests, limited, peak].map(String),
    ...[firstLimitedMs, lastLimitedMs].map((ms) => ms === null ? "never" : timeText(ms)),
  ]);
  const table = [["client", "requests", "limited", "peak", "first limited", "last limited"], ...rows];
  return [...lines, "", ...aligned(table)];
}

function shortened(text: string): string {
  return text.length <= KEY_WIDTH ? text : `${text.slice(0, KEY_WIDTH - 3)}...`;
}

function aligned(table: readonly (readonly string[])[]): string[] {
  const widths = table[0]!.map((_, i) => Math.max(...table.map((row) => row[i]!.length)));
  return table.map((row) =>
    `  ${row.map((cell, i) => i >= 1 && i <= 3 ? cell.padStart(widths[i]!) : cell.padEnd(widths[i]!)).join("  ")}`
      .trimEnd()
  );
}
