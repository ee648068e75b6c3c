/** The result of a trial, and its formatting. */
import type { Cost } from "./request_cost.ts";
import type { Finding } from "./source_findings.ts";
import type { Difference, Outcome } from "./test_results.ts";

/** Result of the tests. */
export interface TestReport {
  /** The command that ran them. */
  readonly command: string;
  /** Number of tests that ran on Express. */
  readonly total: number;
  /** How many of these fail on Express. */
  readonly failing: number;
  /** Exit codes, on Express and on Sluice. */
  readonly exitCodes: { readonly express: number; readonly sluice: number };
  /** Whether the runs name every test that passed; if not, only failed tests are compared by name. */
  readonly areAllNamed: boolean;
  /** Names of tests that differ between two runs on Express, or between two on Sluice. */
  readonly flaky: readonly string[];
  /** Tests that differ on Sluice. */
  readonly differences: readonly Difference[];
}

/** A trial's result. */
export interface TryReport {
  /** The program's Express version. */
  readonly express: string;
  /** The package that replaced it, with its version. */
  readonly sluice: string;
  /** The test results; `null` if there are no tests. */
  readonly tests: TestReport | null;
  /** Lines with known differences. */
  readonly findings: readonly Finding[];
  /** Cost of a request; `null` if it was not measured. */
  readonly cost: { readonly url: string; readonly express: Cost; readonly sluice: Cost } | null;
}

/** Whether any runs differ; findings in the source are only advice. */
export function differs({ tests, cost }: TryReport): boolean {
  return (tests !== null && (tests.differences.length > 0 || hasOtherEnd(tests))) ||
    (cost !== null && cost.express.status !== cost.sluice.status);
}

// for a runner that prints no test names, only the exit code counts
function hasOtherEnd({ exitCodes, flaky }: TestReport): boolean {
  return flaky.length === 0 && (exitCodes.express === 0) !== (exitCodes.sluice === 0);
}

/** Formats the report for people. */
export function reportText(report: TryReport): string {
  const { express, sluice, tests, findings, cost } = report;
  const lines = [`Express ${express} and ${sluice}`, ""];
  if (tests !== null) lines.push(...testLines(tests), "");
  if (findings.length > 0) {
    lines.push(`${count(findings.length, "line")} may behave differently:`);
    for (const { file, line, what, instead } of findings) {
      lines.push(`  ${file}:${line}  ${what}`, `    write: ${instead}`);
    }
    lines.push("");
  }
  if (cost !== null) lines.push(...costLines(cost), "");
  lines.push(differs(report) ? "Something differs." : "Nothing differs.");
  return `${lines.join("\n")}\n`;
}

function testLines(report: TestReport): string[] {
  const { command, total, failing, exitCodes, areAllNamed, flaky, differences } = report;
  const onExpress = failing === 0 ? "" : ` (${verb(failing, "fail")} on Express)`;
  const differing = differences.length === 0 ? "none differs" : verb(differences.length, "differ");
  const lines = [
    total > 0
      ? `${command}: ${count(total, "test")}${onExpress}, ${differing}`
      : `${command} names no tests; it ended with ${exitCodes.express} on Express and ${exitCodes.sluice} on Sluice`,
  ];
  const shown = (one: Outcome) => outcome(one, areAllNamed);
  for (const { name, before, after } of differences) {
    lines.push(`  ${name}`, `    on Express ${shown(before)}, on Sluice ${shown(after)}`);
  }
  if (flaky.length > 0) {
    lines.push(`${count(flaky.length, "test")} left out, because two runs on the same framework differ:`);
    lines.push(...flaky.map((name) => `  ${name}`));
  }
  return lines;
}

function outcome({ passed, failed }: Outcome, areAllNamed: boolean): string {
  if (passed + failed === 0) return areAllNamed ? "it did not run" : "it does not fail";
  if (passed + failed === 1) return passed === 1 ? "it passes" : "it fails";
  return `${passed} pass and ${failed} fail`;
}

function costLines({ url, express, sluice }: NonNullable<TryReport["cost"]>): string[] {
  const row = (name: string, { processorUs, memoryMib, status }: Cost): string =>
    `  ${name.padEnd(8)} ${processorUs.toFixed(0).padStart(6)} µs ${
      memoryMib.toFixed(0).padStart(6)
    } MiB  status ${status}`;
  return [
    `GET ${url}: processor time of a request, memory of the program`,
    row("Express", express),
    row("Sluice", sluice),
  ];
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? "" : "s"}`;
}

function verb(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? "s" : ""}`;
}
