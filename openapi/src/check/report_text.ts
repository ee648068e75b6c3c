import type { CheckReport, Finding } from "./check_application.ts";

const KINDS: Readonly<Record<Finding["kind"], string>> = {
  refuses: "refuses what the document allows",
  accepts: "accepts what the document forbids",
  responds: "responds with what the document does not have",
};

/**
 * Formats a report for people.
 *
 * @param report The report
 * @param repeat Returns how to reproduce a finding; omitted by default
 *
 * @example A test that prints what differs
 * ```ts
 * import { validate } from "@sluice/openapi";
 * import { checkApplication, reportText } from "@sluice/openapi/check";
 * import sluice from "@sluice/sluice";
 * import { z } from "zod";
 *
 * const app = sluice();
 * app.get("/notes", validate({ response: { 200: z.array(z.string()) } }), (_req, res) => res.json([]));
 *
 * const report = await checkApplication(app);
 * console.log(reportText(report).endsWith("nothing was found")); // true
 * ```
 */
export function reportText(report: CheckReport, repeat?: (finding: Finding) => string): string {
  const { findings, unchecked, seed, operations, requests } = report;
  const shown = findings.map((finding) => {
    const { kind, operation, reason, request, response } = finding;
    const headers = Object.entries(request.headers).map(([name, value]) => `      ${name}: ${value}`);
    return [
      `${operation} ${KINDS[kind]}`,
      `  ${reason}`,
      `    ${request.method} ${request.path}`,
      ...headers,
      ...request.body === undefined ? [] : [`      ${request.body}`],
      `    ${response.status}${response.body === "" ? "" : ` ${response.body.replace(/\s+/g, " ")}`}`,
      ...repeat === undefined ? [] : [`    ${repeat(finding)}`],
    ].join("\n");
  });
  const counted = `${operations} operations, ${requests} requests, seed ${seed}: ` +
    (findings.length === 0
      ? "nothing was found"
      : `${findings.length} ${findings.length === 1 ? "finding" : "findings"}`);
  const left = unchecked.length === 0 ? [] : [["Not checked:", ...unchecked.map((one) => `  ${one}`)].join("\n")];
  return [...shown, ...left, counted].join("\n\n");
}
