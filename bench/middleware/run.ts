/**
 * `deno task bench:middleware`: JSON behind npm middleware, for Sluice relative to Express, both on Deno. About four
 * minutes in full.
 *
 * `--only=none,morgan --rounds=5 --seconds=1`; `--write` puts the results into `docs/measurements/details.md`.
 */
import { flags } from "../../scripts/flags.ts";
import { interval, intervalText } from "../support/interval.ts";
import { buildOwn } from "../support/packages.ts";
import { writeSections } from "../support/page.ts";
import { type ServerCommand, withServers } from "../support/server.ts";
import { median, table } from "../support/table.ts";
import { writeTraffic } from "../support/traffic.ts";
import { onDeno } from "../wire/commands.ts";
import { type Figure, ratiosOf } from "../wire/result.ts";
import { measureRounds } from "../wire/rounds.ts";
import { STACKS } from "./stacks.ts";

const { only, rounds, seconds, write } = flags({ only: Object.keys(STACKS), rounds: 5, seconds: 1, write: false });

const packages = await buildOwn();

/** Traffic to the contestants' paths; the requests can be identical, because the differences are in the middleware. */
const traffics = await Promise.all(
  ["at-once", "late"].map((name) =>
    writeTraffic(`middleware-${name}`, [{ method: "GET", path: `/${name}`, headers: {} }], 200)
  ),
);

const rows: string[][] = [];
for (const stack of only) {
  const commands = new Map<string, ServerCommand>(
    ["sluice", "express"].map((contestant) => [contestant, onDeno(packages, "middleware/serve.ts", contestant, stack)]),
  );
  const cells = await withServers(commands, async (servers) => {
    const cells: string[] = [];
    for (const traffic of traffics) {
      const measured = await measureRounds(servers, traffic, { rounds, seconds });
      const ratios = (figure: Figure) => ratiosOf(measured.get("sluice")!, measured.get("express")!, figure);
      cells.push(`${median(ratios("rate")).toFixed(2)} · ${intervalText(interval(ratios("cpu")))}`);
    }
    return cells;
  });
  rows.push([stack, ...cells]);
  console.error(rows.at(-1)!.join("  "));
}
const text =
  `Requests per second over Express on Deno, and the ratio of processor time with its 95 % interval: answered \
at once, and by a handler that waits for 5 ms, where the load waits too and the second figure counts.

${table(["middleware", "at once", "after 5 ms"], rows)}`;
console.log(text);
if (write) await writeSections(new Map([["middleware", text]]), "measurements/details.md");
