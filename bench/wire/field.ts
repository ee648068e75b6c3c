/** Measures contestants over the network and reports the results as tables and as a picture. */
import { flags, refuseToWrite } from "../../scripts/flags.ts";
import { type Client, CLIENTS } from "../service/clients.ts";
import type { Exchange } from "../service/exchange.ts";
import { FOLDER, writeFiles } from "../service/files.ts";
import { APPLICATIONS, exchangesOf, REPEATED, type Scenario } from "../service/scenarios.ts";
import { buildOther, buildOwn, type Packages } from "../support/packages.ts";
import { writePicture, writeSections } from "../support/page.ts";
import { type Server, type ServerCommand, withServers } from "../support/server.ts";
import { writeTraffic } from "../support/traffic.ts";
import { checkAnswers, checkSameBytes, overTheWire } from "./check.ts";
import type { Start } from "./commands.ts";
import { CHANGES, contestantOf, FLOOR, hasScenario, isBefore, SAME_BYTES } from "./comparison.ts";
import { picture } from "./picture.ts";
import { changesTable, compactTable, goalsTable, limitedByLoad, repeatedTable, type Row, tableOf } from "./result.ts";
import { type Effort, measureRounds } from "./rounds.ts";

/** The contestants and scenarios that a run measures. */
export interface Field {
  /** Name of the page's section. */
  readonly section: string;
  /** The runtime's name. */
  readonly runtime: string;
  /** Its contestants. */
  readonly contestants: readonly string[];
  /** The scenarios. */
  readonly scenarios: readonly Scenario[];
  /** The program that serves a contestant. */
  readonly program: string;
  /** How to start it. */
  readonly start: Start;
  /** The page for the results; by default the page for all runtimes, which also has a picture. */
  readonly page?: string;
  /** Seconds of load on each contestant before measuring it; see `Effort`. */
  readonly leadSeconds?: number;
}

/** The comparison: this checkout with all other contestants, or with a second checkout. */
interface Plan {
  readonly contestants: readonly string[];
  /** Where a contestant's packages come from. */
  packagesOf(contestant: string): Packages;
}

/**
 * Runs a field with the command line's flags: `--only`, `--headers`, `--contestants`, `--against`, `--rounds`,
 * `--seconds` and `--write`.
 *
 * @param field The contestants and scenarios
 */
export async function runField(field: Field): Promise<void> {
  const { only, headers, contestants, against, rounds, seconds, write } = flags({
    only: field.scenarios.map(({ name }) => name),
    headers: CLIENTS.map(({ name }) => name),
    contestants: field.contestants,
    against: "",
    rounds: 0,
    seconds: 1,
    write: false,
  });
  if (write && against !== "") refuseToWrite("against");
  const plan = against === "" ? await planField(contestants) : await planChange(against, contestants, field);
  // a change needs fifteen rounds, comparisons with peers need fewer
  const effort = { rounds: rounds || (against === "" ? 5 : 15), seconds, leadSeconds: field.leadSeconds };
  const scenarios = field.scenarios.filter(({ name }) => only.includes(name));
  const clients = CLIENTS.filter(({ name }) => headers.includes(name));

  await writeFiles();
  const rows: Row[] = [];
  for (const application of APPLICATIONS) {
    const asked = scenarios.filter((one) => one.application === application);
    if (asked.length > 0) rows.push(...await measured(field, plan, asked, clients, effort));
  }
  // by application, then in list order
  const rowsOf = (client: Client, of: readonly Scenario[]) =>
    of.flatMap((scenario) => rows.filter((row) => row.scenario === scenario && row.client === client));
  const byClient = clients.map((client) => rowsOf(client, scenarios.filter((one) => one !== REPEATED)));
  const repeated = clients.flatMap((client) => rowsOf(client, [REPEATED]));
  report(byClient, repeated);
  if (write) await writeResults(field, byClient, repeated);
}

async function planField(contestants: readonly string[]): Promise<Plan> {
  const packages = await buildOwn();
  return { contestants: [FLOOR, ...contestants.filter((name) => name !== FLOOR)], packagesOf: () => packages };
}

async function planChange(against: string, chosen: readonly string[], { contestants }: Field): Promise<Plan> {
  const [now, before] = [await buildOwn(), await buildOther(against)];
  const some = chosen.length < contestants.length ? chosen : CHANGES.map(([own]) => own);
  return {
    contestants: some.flatMap((name) => [name, ...CHANGES.filter(([own]) => own === name).map(([, other]) => other)]),
    packagesOf: (name) => isBefore(name) ? before : now,
  };
}

/** Measures one application's scenarios. */
async function measured(
  { start, program }: Field,
  { contestants, packagesOf }: Plan,
  scenarios: readonly Scenario[],
  clients: readonly Client[],
  effort: Effort,
): Promise<Row[]> {
  const commands = new Map<string, ServerCommand>();
  for (const name of contestants) {
    const args = [contestantOf(name), scenarios[0]!.application, FOLDER];
    commands.set(name, await start(packagesOf(name), program, ...args));
  }
  return await withServers(commands, async (all) => {
    const rows: Row[] = [];
    for (const scenario of scenarios) {
      const servers = new Map([...all].filter(([name]) => hasScenario(name, scenario)));
      for (const client of clients) {
        console.log(`measuring ${scenario.title}, ${client.title}`);
        const exchanges = exchangesOf(scenario, client);
        await check(servers, exchanges);
        const asked = exchanges.map((one) => one.asked);
        const traffic = await writeTraffic(`${scenario.name}-${client.name}`, asked, exchanges[0]!.answer.status);
        rows.push({ scenario, client, rounds: await measureRounds(servers, traffic, effort) });
      }
    }
    return rows;
  });
}

async function check(servers: ReadonlyMap<string, Server>, exchanges: readonly Exchange[]): Promise<void> {
  for (const [name, { port }] of servers) await checkAnswers(name, overTheWire(port), exchanges);
  for (const pair of SAME_BYTES) {
    const [one, other] = pair.map((name) => servers.get(name)?.port);
    if (one === undefined || other === undefined) continue;
    await checkSameBytes(pair, [overTheWire(one), overTheWire(other)], exchanges);
  }
}

function report(byClient: readonly (readonly Row[])[], repeated: readonly Row[]): void {
  for (const rows of byClient.filter((rows) => rows.length > 0)) {
    console.log(`\n${rows[0]!.client.title}:\n\n${tableOf(rows)}`);
  }
  if (repeated.length > 0) console.log(`\n${REPEATED.title}:\n\n${repeatedTable(repeated)}`);
  const all = byClient.filter((rows) => rows.length > 0);
  for (const text of [goalsTable(all), changesTable(all)]) if (text !== null) console.log(`\n${text}`);
  const limited = limitedByLoad([...all.flat(), ...repeated]);
  if (limited.length > 0) {
    console.log(
      `\nThe load had no time left, so that rates are its own (processor times are not affected): ${
        limited.join("; ")
      }`,
    );
  }
}

async function writeResults(
  { section, runtime, page }: Field,
  byClient: readonly (readonly Row[])[],
  repeated: readonly Row[],
): Promise<void> {
  const goals = goalsTable(byClient);
  const results = new Map([[section, `${compactTable(byClient)}${goals === null ? "" : `\n\n${goals}`}`]]);
  await writeSections(results, page);
  if (page !== undefined) return;
  if (repeated.length > 0) {
    await writeSections(new Map([["repeated", repeatedTable(repeated)]]), "measurements/details.md");
  }
  await writePicture(`performance-${section}.svg`, picture(`Processor time on ${runtime}`, byClient));
}
