import type { PolicyReport, SimulationReport } from "./simulation_report.ts";

/** The consequence if no line in a log has one of these fields. */
const LACKING = {
  address: "an address, so nothing is counted by client",
  method: "a method, so policies with methods match none",
  path: "a path, so policies with routes match none",
} as const;

/**
 * Notes for readers of a report. They consist of ASCII sentences and file names.
 *
 * @param report The report
 */
export function notesOf({ isEstimate, log, policies, overflows }: SimulationReport): string[] {
  const notes: string[] = [];
  if (isEstimate) {
    notes.push(
      "This is an estimate: an access log does not record all that a limiter sees. Times are those that the server " +
        "logged, " +
        (log.formats.includes("common") ? "in whole seconds, " : "") +
        "keys come from what the log has, and every request costs what the policies file says.",
    );
  } else if (policies.some(({ recorded }) => recorded !== undefined)) {
    const different = policies.reduce((sum, { recorded }) => sum + (recorded?.different ?? 0), 0);
    notes.push(
      different === 0
        ? "From the limiter's own log: every decision matches its record."
        : `From the limiter's own log. Decisions that differ from their record: ${different}.`,
    );
  }
  if (log.isOneClient) {
    notes.push(
      "All requests come from one client, probably a proxy: log what it reports about the client, such as " +
        "X-Forwarded-For.",
    );
  }
  for (const name of log.lacks) {
    notes.push(`No request has ${LACKING[name]}; fields: { ${name}: ... } in the policies file says where to find it.`);
  }
  for (const { name, keyless } of policies) {
    if (keyless > 0) notes.push(`Requests without a key for the policy "${name}", left out of it: ${keyless}.`);
  }
  if (log.outOfOrder > 0) notes.push(`Lines out of order, put in order: ${log.outOfOrder}.`);
  if (log.late > 0) {
    notes.push(`Lines that came too late for that, and count at the time of those before them: ${log.late}.`);
  }
  if (overflows > 0) {
    notes.push(
      `Decisions that shared a counter, because the memory for keys was full, as in the limiter: ${overflows}.`,
    );
  }
  for (const { file, reason } of log.cutFiles) notes.push(`${file} could be read only in part: ${reason}.`);
  if (log.broken > 0) notes.push(`Lines that could not be read, and were left out: ${log.broken} of ${log.lines}.`);
  return notes;
}

/**
 * The lines that were read, and the times they cover.
 *
 * @param report The report
 */
export function sourceText({ log, fromMs, toMs }: SimulationReport): string {
  const times = toMs === 0 ? "none that could be read" : `${timeText(fromMs)} to ${timeText(toMs)} UTC`;
  return `${log.files.join(", ")}: ${log.lines === 1 ? "1 line" : `${log.lines} lines`}, ${times}`;
}

/** Formats a share as percent. */
export function percentText(share: number): string {
  if (share > 0 && share < 0.0005) return "< 0.1 %";
  return `${(share * 100).toFixed(1)} %`;
}

/** Formats a duration as in policy files. */
export function durationText(ms: number): string {
  for (const [unit, length] of [["d", 86_400_000], ["h", 3_600_000], ["m", 60_000], ["s", 1000]] as const) {
    if (ms % length === 0) return `${ms / length}${unit}`;
  }
  return `${ms}ms`;
}

/**
 * Describes a policy's window, such as `in 1m` or `every month from day 15 (Europe/Berlin)`.
 *
 * @param policy The policy, or its report
 */
export function windowText({ windowMs, window }: Pick<PolicyReport, "windowMs" | "window">): string {
  if (window === undefined) return `in ${durationText(windowMs)}`;
  const { every, timeZone = "UTC", startsOn } = window;
  const from = startsOn === undefined ? "" : ` from ${every === "month" ? `day ${startsOn}` : startsOn}`;
  return `every ${every}${from} (${timeZone})`;
}

/** Formats a UTC time. */
export function timeText(ms: number): string {
  return new Date(ms).toISOString().replace("T", " ").replace(/(\.000)?Z$/, "");
}
