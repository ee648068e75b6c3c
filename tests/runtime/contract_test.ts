/** The application's contract on every runtime. What was found out becomes docs/runtimes.md. */
import { assert, assertEquals } from "@std/assert";
import { APP_CONTRACT, type Outcome, outcomeOf } from "../contracts/app_contract.ts";
import { runtimesPage } from "../contracts/page.ts";
import { SUBJECTS } from "../contracts/subjects.ts";
import { skipNode } from "../support/node_program.ts";

const PAGE = new URL("../../docs/runtimes.md", import.meta.url);

const outcomes = new Map<string, Map<string, Outcome>>();
const skipped = {
  nothing: false,
  Node: skipNode,
  runtimes: skipNode || !Deno.env.has("SLUICE_RUNTIMES"),
};

for (const kind of SUBJECTS) {
  Deno.test(`the contract on ${kind.name}`, { ignore: skipped[kind.needs] }, async (t) => {
    const serving = await kind.start();
    const seen = new Map<string, Outcome>();
    try {
      for (const { title, cases } of APP_CONTRACT) {
        for (const one of cases) {
          const outcome = await outcomeOf(one, { ...kind, ...serving });
          seen.set(one.name, outcome);
          // a gap is no test; the page names it
          if (outcome !== "passed" && !(outcome instanceof Error)) continue;
          await t.step(`${title}: ${one.name}`, () => {
            if (outcome instanceof Error) throw outcome;
          });
        }
      }
    } finally {
      await serving.stop();
    }
    outcomes.set(kind.name, seen);
    const failed = [...seen.values()].filter((outcome) => outcome instanceof Error).length;
    assert(failed <= 0.02 * seen.size, `${failed} of ${seen.size} cases fail on ${kind.name}`);
  });
}

Deno.test(
  "docs/runtimes.md says what this run found out",
  { ignore: Object.values(skipped).includes(true) },
  async () => {
    assertEquals([...outcomes.keys()], SUBJECTS.map(({ name }) => name), "every subject must have run to its end");
    const page = runtimesPage(APP_CONTRACT, SUBJECTS, outcomes);
    if (Deno.env.get("SLUICE_WRITE_DOCS") === "1") await Deno.writeTextFile(PAGE, page);
    const committed = await Deno.readTextFile(PAGE).catch(() => "");
    assertEquals(
      committed,
      page,
      "write it with SLUICE_WRITE_DOCS=1 deno task test --only=tests/runtime/contract_test.ts",
    );
  },
);
