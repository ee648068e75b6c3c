import { csvField } from "../text/escape.ts";
import { keyReport } from "./simulation_report.ts";
import type { Tally } from "./tally.ts";

const HEADER = "policy,client,requests,limited,peak,first_limited,last_limited";

/**
 * Writes all clients under all policies as CSV, line by line.
 *
 * @param tallies The policies' results
 */
export function* csvReport(tallies: readonly Tally[]): Generator<string> {
  yield `${HEADER}\r\n`;
  for (const { policy, keys } of tallies) {
    for (const [name, figures] of keys) {
      const { key, requests, limited, peak, firstLimitedMs, lastLimitedMs } = keyReport(name, figures);
      const times = [firstLimitedMs, lastLimitedMs].map((ms) => ms === null ? "" : new Date(ms).toISOString());
      yield `${[csvField(policy.name), csvField(key), requests, limited, peak, ...times].join(",")}\r\n`;
    }
  }
}
