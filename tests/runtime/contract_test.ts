/** The application's contract on every runtime. The results are written to docs/runtimes.md. */
import { assert, assertEquals } from "@std/assert";
import { APP_CONTRACT, isOpen, type Outcome, outcomesOf } from "../contracts/app_contract.ts";
import type { Case } from "../contracts/case.ts";
import { runtimesPage } from "../contracts/page.ts";
import { SUBJECTS } from "../contracts/subjects.ts";
import { formatted } from "../support/formatted.ts";
import { skipNode } from "../support/node_program.ts";
import { PATIENCE_MS } from "../support/patience.ts";

const PAGE = new URL("../../docs/runtimes.md", import.meta.url);

const outcomes = new Map<string, ReadonlyMap<Case, Outcome>>();
const skipped = {
  nothing: false,
  Node: skipNode,
  runtimes: skipNode || !Deno.env.has("SLUICE_RUNTIMES"),
};

for (const kind of SUBJECTS) {
  Deno.test(`the contract on ${kind.name}`, { ignore: skipped[kind.needs] }, async (t) => {
    const serving = await kind.start();
    let seen: ReadonlyMap<Case, Outcome>;
    try {
      seen = await outcomesOf(APP_CONTRACT, { ...kind, ...serving });
      await t.step("attempting what it cannot do has not broken it", async () => {
        assertEquals(await (await serving.ask("/", { signal: AbortSignal.timeout(PATIENCE_MS) })).text(), "home");
      });
    } finally {
      await serving.stop();
    }
    outcomes.set(kind.name, seen);
    for (const { title, cases } of APP_CONTRACT) {
      for (const one of cases) {
        const { gaps, error } = seen.get(one)!;
        // a gap is not a test; the page lists it
        if (gaps.length > 0) continue;
        await t.step(`${title}: ${one.name}`, () => {
          if (error !== null) throw error;
        });
      }
    }
    for (const [feature, reason] of Object.entries(kind.gaps)) {
      await t.step(`no ${feature}: ${reason}`, () => {
        assert(isOpen(feature, seen), "the gap is closed: take it out of tests/contracts/subjects.ts");
      });
    }
    const failed = [...seen.values()].filter(({ gaps, error }) => gaps.length === 0 && error !== null).length;
    assert(failed <= 0.02 * seen.size, `${failed} of ${seen.size} cases fail on ${kind.name}`);
  });
}

Deno.test("no two cases of a chapter have the same name, and no two chapters", () => {
  const names = APP_CONTRACT.flatMap(({ title, cases }) => [title, ...cases.map(({ name }) => `${title}: ${name}`)]);
  assertEquals(names.length, new Set(names).size);
});

Deno.test(
  "docs/runtimes.md matches the results of this run",
  { ignore: Object.values(skipped).includes(true) },
  async () => {
    assertEquals([...outcomes.keys()], SUBJECTS.map(({ name }) => name), "every subject must have run to its end");
    const page = await formatted(runtimesPage(APP_CONTRACT, SUBJECTS, outcomes));
    if (Deno.env.get("SLUICE_WRITE_DOCS") === "1") await Deno.writeTextFile(PAGE, page);
    const committed = await Deno.readTextFile(PAGE).catch(() => "");
    assertEquals(
      committed,
      page,
      "write it with SLUICE_WRITE_DOCS=1 deno task test --only=tests/runtime/contract_test.ts",
    );
  },
);
