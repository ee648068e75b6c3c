/** The tests' Deno version is defined in `.ci/run`, and repeated in several places. */
import { assert, assertEquals } from "@std/assert";
import { TESTED_VERSION } from "../../src/platform/deno/request_record.ts";

const ROOT = new URL("../../", import.meta.url);

/** The other places, and how they name it. */
const PLACES: readonly (readonly [path: string, named: RegExp])[] = [
  ["README.md", /deno@(\d+\.[\d.]+)/g],
  [".github/workflows/nightly.yml", /deno@(\d+\.[\d.]+)/g],
  [".github/workflows/release.yml", /deno@(\d+\.[\d.]+)/g],
  ["create/templates/runtimes/deno/Dockerfile", /deno:alpine-([\d.]+)/g],
  ["examples/tutorial/step-7/Dockerfile", /deno:alpine-([\d.]+)/g],
];

async function namedIn(path: string, named: RegExp): Promise<string[]> {
  const text = await Deno.readTextFile(new URL(path, ROOT));
  return [...new Set(Array.from(text.matchAll(named), ([, version]) => version!))];
}

const [version, ...others] = await namedIn(".ci/run", /deno@(\d+\.[\d.]+)/g);

Deno.test("one version of Deno runs the gate and the tests, and everything else names the same", async () => {
  assertEquals(others, [], ".ci/run names several versions of Deno");
  for (const [path, named] of PLACES) {
    const advice = `${path} names another Deno than .ci/run; "A new Deno" in CONTRIBUTING.md lists what to do`;
    assertEquals(await namedIn(path, named), [version], advice);
  }
});

Deno.test("Deno's internal records are trusted unseen only in the version that the tests run with", () => {
  assert(
    TESTED_VERSION === version,
    `TESTED_VERSION is ${TESTED_VERSION}, and .ci/run starts Deno ${version}. Until it is raised, the first request on the ` +
      `new Deno takes a twentieth longer, and nothing else is wrong. Run tests/platform/, tests/performance/ and ` +
      `tests/runtime/ with Deno ${version}: if they pass, set TESTED_VERSION to it; if not, leave it and mend what reads ` +
      `the records (docs/decisions/0014-denos-record-of-a-request.md)`,
  );
});
