/** Monitoring agents from npm: each makes the same observations in a program on `@sluice/express` as on Express. */
import { assert, assertEquals } from "@std/assert";
import { withSection } from "../../scripts/section.ts";
import { table } from "../ecosystem/support/page.ts";
import { type Agent, AGENTS, runAgent, type Seen, summary, versionOf } from "./support/agents.ts";
import { collect } from "./support/collector.ts";
import { installWithNpm, makeProject, type Project } from "./support/project.ts";
import { startRegistry } from "./support/registry.ts";

const registry = await startRegistry();
globalThis.addEventListener("unload", () => void registry.stop());

const PAGE = new URL("../../docs/monitoring.md", import.meta.url);

/** The package used as `express`, and the major it follows. */
const PLACES: Readonly<Record<string, { readonly express: string; readonly major: number | null }>> = {
  "Express 5": { express: "^5.0.0", major: 5 },
  "`@sluice/express@5`": { express: "npm:@sluice/express@^5.0.0", major: 5 },
  "Express 4": { express: "^4.22.0", major: 4 },
  "`@sluice/express@4`": { express: "npm:@sluice/express@^4.22.0", major: 4 },
  "Sluice": { express: "npm:@sluice/sluice@^0.1.0", major: null },
};

const projects = new Map<string, Promise<Project>>();

function projectOf(place: string): Promise<Project> {
  const known = projects.get(place);
  if (known !== undefined) return known;
  const made = makeProject(registry, { dependencies: { express: PLACES[place]!.express } }).then(async (project) => {
    await installWithNpm(project);
    return project;
  });
  projects.set(place, made);
  return made;
}

/** Each agent's observations, by agent and place. */
const found = new Map<string, Map<string, Seen[]>>(AGENTS.map(({ name }) => [name, new Map()]));

async function seenBy(agent: Agent, place: string): Promise<Seen[]> {
  await using collector = collect();
  const reported = await runAgent(await projectOf(place), agent, PLACES[place]!.major, collector.url);
  const seen = agent.read(reported, collector.sent);
  found.get(agent.name)!.set(place, seen);
  return seen;
}

/** Every request is reported with its route, and every failure with its message. */
const ALL = "9 of 9, 3 of 3";

for (const major of [5, 4]) {
  for (const agent of AGENTS) {
    if (agent.majors?.includes(major) === false) continue;
    Deno.test(`${agent.name} sees on @sluice/express ${major} what it sees on Express ${major}`, async () => {
      const [theirs, ours] = await Promise.all([
        seenBy(agent, `Express ${major}`),
        seenBy(agent, `\`@sluice/express@${major}\``),
      ]);
      if (agent.seesMore) assertEquals([summary(theirs), summary(ours)], ["0 of 9, 0 of 3", ALL]);
      else assertEquals(ours, theirs);
      assert(summary(ours).startsWith("9 of 9"), JSON.stringify(ours));
    });
  }
}

for (const agent of AGENTS) {
  Deno.test(`${agent.name} names the routes of plain Sluice, with what docs/monitoring.md says`, async () => {
    const seen = await seenBy(agent, "Sluice");
    assert(summary(seen).startsWith("9 of 9"), JSON.stringify(seen));
  });
}

Deno.test("docs/monitoring.md says how many routes and errors each agent sees", async () => {
  const places = Object.keys(PLACES);
  const rows = AGENTS.map((agent) => {
    const seen = found.get(agent.name)!;
    return [agent.name, versionOf(agent), ...places.map((place) => seen.has(place) ? summary(seen.get(place)!) : "")];
  });
  const committed = await Deno.readTextFile(PAGE);
  const page = withSection(committed, "agents", table(["agent", "version", ...places], rows));
  if (Deno.env.get("SLUICE_WRITE_DOCS") === "1") await Deno.writeTextFile(PAGE, page);
  else {assertEquals(
      committed,
      page,
      "write it with SLUICE_WRITE_DOCS=1 deno task test --only=tests/npm/agents_test.ts",
    );}
});
