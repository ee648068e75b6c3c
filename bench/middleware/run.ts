/**
 * `deno task bench:middleware`: JSON behind middleware from npm, Sluice relative to Express, both on Deno. About four
 * minutes in full.
 *
 * `--only=none,morgan --rounds=5 --seconds=1`; `--write` puts the results into `docs/performance.md`.
 */
import { flags } from "../../scripts/flags.ts";
import { writeSections } from "../support/page.ts";
import { type ServerCommand, withServers } from "../support/server.ts";
import { table } from "../support/table.ts";
import { onDeno } from "../wire/commands.ts";
import { cellOf, cellText } from "../wire/result.ts";
import { measureRounds } from "../wire/rounds.ts";
import { STACKS } from "./stacks.ts";

const { only, rounds, seconds, write } = flags({ only: Object.keys(STACKS), rounds: 5, seconds: 1, write: false });

const rows: string[][] = [];
for (const stack of only) {
  const commands = new Map<string, ServerCommand>(
    ["sluice", "express"].map((contestant) => [contestant, onDeno("middleware/serve.ts", contestant, stack)]),
  );
  const cells = await withServers(commands, async (servers) => {
    const cells: string[] = [];
    for (const path of ["/at-once", "/late"]) {
      const scenario = { name: stack, method: "GET", path, status: 200, answer: { hello: "world" } } as const;
      const measured = await measureRounds(servers, scenario, { rounds, seconds });
      cells.push(cellText(cellOf(measured.get("sluice")!, measured.get("express")!)));
    }
    return cells;
  });
  rows.push([stack, ...cells]);
  console.error(rows.at(-1)!.join("  "));
}
const text = `Requests per second over Express on Deno, and the ratio of processor time: answered at once, and by a \
handler that waits for 5 ms, where the load waits too and the second figure counts.

${table(["middleware", "at once", "after 5 ms"], rows)}`;
console.log(text);
if (write) await writeSections(new Map([["middleware", text]]));
