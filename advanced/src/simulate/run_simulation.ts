import { readFile, writeFile } from "node:fs/promises";
import { once } from "node:events";
import process from "node:process";
import { parseArgs } from "node:util";
import { csvReport } from "./csv_report.ts";
import { terminalText } from "../text/escape.ts";
import { htmlReport } from "./html_report.ts";
import { findLimits, type LimitFound } from "./limit_search.ts";
import { sizeOf } from "./log_file.ts";
import { LOG_FORMATS } from "./log_formats.ts";
import type { LogFormat, LogRecord } from "./log_record.ts";
import { type PolicyFile, PolicyFileError, readPolicyFile } from "./policy_file.ts";
import { Progress } from "./progress.ts";
import { readLog } from "./read_log.ts";
import { Replay } from "./replay.ts";
import { policyReport, type SimulationReport } from "./simulation_report.ts";
import { Tally } from "./tally.ts";
import { textReport } from "./text_report.ts";

const USAGE = `Reports which clients a rate limit would have refused, from a log of past requests.

  deno run -A jsr:@sluice/rate-limit/simulate access.log --policy policies.yaml
  npx -p @sluice/rate-limit sluice-simulate access.log --policy policies.yaml

  --policy file   the policies, in YAML or JSON; a limiter's own log contains them
  --at-most n     also finds the lowest limit that hits at most n % of clients; reads the log several times
  --json          prints the report as JSON
  --csv           prints all clients as CSV
  --html file     writes the report as a page with charts
  --top n         number of clients to list, 20 by default
  --format name   ${LOG_FORMATS.join(", ")};
                  detected from the first line by default

Logs may be several files, compressed with gzip, or - for standard input.`;

/** The parsed command line. */
interface Command {
  readonly files: readonly string[];
  readonly policy: string | undefined;
  readonly atMost: number | undefined;
  readonly output: "text" | "json" | "csv";
  readonly html: string | undefined;
  readonly top: number;
  readonly format: LogFormat | undefined;
}

/** An error in the command line. */
class UsageError extends Error {}

/**
 * Replays a log and prints what limits would have done: the command line for `@sluice/rate-limit/simulate`, and for
 * `sluice-simulate` on npm. Sets the exit code: 1 if the log cannot be read, 2 for errors in arguments or policies.
 *
 * @param args The arguments, without the program
 *
 * @example Run it from your own command
 * ```ts ignore
 * import { runSimulation } from "@sluice/rate-limit/simulate";
 *
 * await runSimulation(["access.log", "--policy", "policies.yaml", "--at-most", "1"]);
 * ```
 */
export async function runSimulation(args: readonly string[]): Promise<void> {
  try {
    const command = commandOf(args);
    if (command === null) return await print(`${USAGE}\n`);
    await simulate(command);
  } catch (error) {
    const isMistake = error instanceof UsageError || error instanceof PolicyFileError;
    // any other error comes from a file; its name and contents are untrusted
    const message = (error as Error).message.split("\n").map(terminalText).join("\n");
    process.stderr.write(`simulate: ${message}\n${error instanceof UsageError ? `\n${USAGE}\n` : ""}`);
    process.exitCode = isMistake ? 2 : 1;
  }
}

function commandOf(args: readonly string[]): Command | null {
  const { values, positionals: files } = parsed(args);
  if (values.help) return null;
  if (files.length === 0) throw new UsageError("expected at least one log");
  const atMost = values["at-most"];
  if (files.includes("-") && files.length > 1) throw new UsageError("standard input cannot be combined with files");
  if (files.includes("-") && atMost !== undefined) {
    throw new UsageError("--at-most reads the log several times, which standard input does not allow");
  }
  if (values.json && values.csv) throw new UsageError("--json and --csv cannot be combined");
  const { format } = values;
  if (format !== undefined && !LOG_FORMATS.includes(format as LogFormat)) {
    throw new UsageError(`--format must be one of ${LOG_FORMATS.join(", ")}, not ${JSON.stringify(format)}`);
  }
  return {
    files,
    policy: values.policy,
    atMost: atMost === undefined ? undefined : numberOf("at-most", atMost, 100),
    output: values.json ? "json" : values.csv ? "csv" : "text",
    html: values.html,
    top: Math.floor(numberOf("top", values.top ?? "20", 10_000)),
    format: format as LogFormat | undefined,
  };
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        "at-most": { type: "string" },
        csv: { type: "boolean" },
        format: { type: "string" },
        help: { type: "boolean", short: "h" },
        html: { type: "string" },
        json: { type: "boolean" },
        policy: { type: "string" },
        top: { type: "string" },
      },
    });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function numberOf(flag: string, text: string, most: number): number {
  const number = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && number <= most) return number;
  throw new UsageError(`--${flag} must be a number from 0 to ${most}, not ${JSON.stringify(text)}`);
}

async function simulate({ files, policy, atMost, output, html, top, format }: Command): Promise<void> {
  const { rules, fields } = policy === undefined ? NOTHING : readPolicyFile(await readFile(policy, "utf8"), policy);
  const progress = new Progress(await sizeOf(files));
  const read = (title: string, each: (record: LogRecord) => void) => {
    progress.begin(title);
    return readLog(files, { fields, format, onBytes: progress.add }, each);
  };
  const tallies = new Map(rules.map((rule) => [rule.policy.name, new Tally(rule.policy, rule.shadow)]));
  const replay = new Replay(rules, {
    decided(outcome) {
      const { policy } = outcome;
      let tally = tallies.get(policy.name);
      if (tally === undefined) tallies.set(policy.name, tally = new Tally(policy, false));
      tally.note(outcome);
    },
    keyless: ({ name }) => tallies.get(name)!.keyless++,
  });
  let fromMs = 0;
  let toMs = 0;
  const log = await read("replaying", (record) => {
    if (fromMs === 0) fromMs = record.ms;
    toMs = Math.max(toMs, record.ms);
    replay.feed(record);
  });
  const all = [...tallies.values()];
  let found: ReadonlyMap<string, LimitFound> = new Map();
  if (atMost !== undefined) found = await findLimits(rules, all, atMost, (each) => read("searching", each));
  progress.end();
  if (toMs === 0 && log.lines > 0) process.exitCode = 1;
  if (all.length === 0 && policy === undefined && !log.isExact) {
    throw new UsageError("an access log needs --policy, a file with the policies to try");
  }
  const report: SimulationReport = {
    isEstimate: !log.isExact,
    fromMs,
    toMs,
    log,
    overflows: replay.overflows,
    policies: all.map((tally) => policyReport(tally, top, atMost, found.get(tally.policy.name))),
  };
  if (html !== undefined) await writeFile(html, htmlReport(report));
  if (output === "json") await print(`${JSON.stringify(report, null, 2)}\n`);
  else if (output === "text") await print(textReport(report));
  else for (const line of csvReport(all)) await print(line);
}

const NOTHING: PolicyFile = { rules: [], fields: {} };

async function print(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, "drain");
}
