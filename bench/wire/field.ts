/** Measures contestants over the network and reports the results as tables and as a picture. */
import { flags } from "../../scripts/flags.ts";
import { SCENARIOS } from "../scenarios.ts";
import { writePicture, writeSections } from "../support/page.ts";
import { type Server, type ServerCommand, withServers } from "../support/server.ts";
import { bytesOf, checkAnswers } from "./check.ts";
import { among, type Comparison, contestantsOf } from "./comparison.ts";
import { picture } from "./picture.ts";
import { type Result, resultOf, tableOf } from "./result.ts";
import { measureRounds, type Rounds } from "./rounds.ts";

/** What a run measures. */
export interface Field {
  /** What is compared with what. */
  readonly comparisons: readonly Comparison[];
  /** How a contestant is started. */
  command(contestant: string): ServerCommand | Promise<ServerCommand>;
  /** Pairs of contestants that claim to send the same bytes. */
  readonly sameBytes: readonly (readonly [string, string])[];
  /** File name of the picture. */
  readonly picture: string;
  /** Heading of the picture. */
  readonly title: string;
  /** Seconds that each is loaded before it is measured; see `Effort`. */
  readonly leadSeconds?: number;
}

/**
 * Runs a field with the flags of the command line: `--only`, `--contestants`, `--rounds`, `--seconds` and `--write`.
 *
 * @param field What to measure
 */
export async function runField(field: Field): Promise<void> {
  const { only, contestants, rounds, seconds, write } = flags({
    only: SCENARIOS.map(({ name }) => name),
    contestants: contestantsOf(field.comparisons),
    rounds: 5,
    seconds: 1,
    write: false,
  });
  const scenarios = SCENARIOS.filter(({ name }) => only.includes(name));
  const comparisons = among(field.comparisons, contestants);
  const effort = { rounds, seconds, leadSeconds: field.leadSeconds };

  // one after the other: the more contestants there are, the longer each waits for its turn, and finds the processor's
  // caches full of the others
  async function measured(comparison: Comparison): Promise<Map<string, Rounds>> {
    const commands = new Map<string, ServerCommand>();
    for (const contestant of contestantsOf([comparison])) commands.set(contestant, await field.command(contestant));
    return await withServers(commands, async (servers) => {
      await check(servers);
      const all = new Map<string, Rounds>();
      for (const scenario of scenarios) {
        console.log(`measuring ${comparison.name}, ${scenario.name}`);
        all.set(scenario.name, await measureRounds(servers, scenario, effort));
      }
      return all;
    });
  }

  async function check(servers: ReadonlyMap<string, Server>): Promise<void> {
    for (const [name, { origin }] of servers) await checkAnswers(name, fetch, scenarios, origin);
    for (const pair of field.sameBytes) {
      const [one, other] = pair.map((name) => servers.get(name)?.origin);
      if (one === undefined || other === undefined) continue;
      const [first, second] = [await bytesOf(fetch, scenarios, one), await bytesOf(fetch, scenarios, other)];
      const at = first.findIndex((text, i) => text !== second[i]);
      if (at !== -1) throw new Error(`these are not the same bytes:\n${first[at]}\n\n${second[at]}`);
    }
  }

  const results: Result[] = [];
  for (const comparison of comparisons) results.push(resultOf(comparison, await measured(comparison)));
  for (const result of results) console.log(`\n${tableOf(result)}`);
  if (!write) return;
  await writeSections(new Map(results.map((result) => [result.comparison.name, tableOf(result)])));
  await writePicture(field.picture, picture(field.title, results));
}
