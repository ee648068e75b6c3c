/** The workflows of `.github/workflows/`, which nobody can run before they count. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { parse } from "yaml";

const ROOT = new URL("../../", import.meta.url);

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Job {
  readonly needs?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
}

interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

async function readText(path: string): Promise<string> {
  return await Deno.readTextFile(new URL(path, ROOT));
}

async function workflows(): Promise<Map<string, Workflow>> {
  const found = new Map<string, Workflow>();
  for await (const { name } of Deno.readDir(new URL(".github/workflows/", ROOT))) {
    found.set(name, parse(await readText(`.github/workflows/${name}`), { strict: true }));
  }
  return found;
}

function stepsOf({ jobs }: Workflow): Step[] {
  return Object.values(jobs).flatMap(({ steps }) => steps);
}

Deno.test("workflows run only what this repository has, with the Deno that .ci/run names", async () => {
  const { tasks } = JSON.parse(await readText("deno.json"));
  const [deno] = (await readText(".ci/run")).match(/npx -y deno@[\d.]+ task/)!;
  const all = await workflows();
  assertEquals([...all.keys()].sort(), ["ci.yml", "nightly.yml", "release.yml"]);
  for (const [name, workflow] of all) {
    const commands = stepsOf(workflow).flatMap(({ run }) => run === undefined ? [] : [run]);
    assert(commands.length > 0, `${name} runs nothing`);
    for (const command of commands) {
      if (command === ".ci/run") continue;
      assert(command.startsWith(`${deno} `), `${name}: ${command}`);
      const task = command.slice(deno.length + 1).split(" ")[0]!;
      assert(task in tasks, `${name} runs "deno task ${task}", which deno.json does not have`);
    }
  }
});

Deno.test("actions are pinned to commits, and keep no credentials", async () => {
  for (const [name, workflow] of await workflows()) {
    const text = await readText(`.github/workflows/${name}`);
    for (const [, action] of text.matchAll(/uses: (.*)/g)) {
      assertMatch(action!, /^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    }
    for (const { uses, with: options } of stepsOf(workflow)) {
      if (uses?.startsWith("actions/checkout@")) assertEquals(options?.["persist-credentials"], false, name);
    }
  }
});

Deno.test("only the job that publishes may prove who it is, and it waits for the tests", async () => {
  for (const [name, { permissions, jobs }] of await workflows()) {
    assertEquals(permissions, { contents: "read" }, name);
    for (const [job, { permissions, needs, steps }] of Object.entries(jobs)) {
      if (permissions === undefined) continue;
      assertEquals([name, job, needs], ["release.yml", "publish", "test"]);
      assertEquals(permissions, { "contents": "read", "id-token": "write" });
      assert(steps.some(({ run }) => run?.includes('task release --tag="$GITHUB_REF_NAME"')));
      assertEquals(jobs["test"]!.steps.at(-1)!.run, ".ci/run");
    }
  }
});
