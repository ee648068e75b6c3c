/** Commands that need `@sluice/openapi`: typed clients, and checks against the document. */
import { fileURLToPath } from "node:url";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { packageFlags } from "../support/node_program.ts";
import { PATIENCE_MS } from "../support/patience.ts";
import { until } from "../support/until.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const NOTES = "tests/cli/programs/notes.ts";

/** The command's exit code and output. */
interface Ended {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
}

async function sluice(...args: readonly string[]): Promise<Ended> {
  const flags = ["run", "-A", "--quiet", "--no-check", ...await packageFlags("openapi_commands")];
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [...flags, "cli.ts", ...args],
    cwd: ROOT,
    env: { NO_COLOR: "1" },
    signal: AbortSignal.timeout(PATIENCE_MS),
  }).output();
  return { code, output: new TextDecoder().decode(stdout), errors: new TextDecoder().decode(stderr) };
}

Deno.test("sluice client prints a client of an exported application, and says nothing else", async () => {
  const { code, output, errors } = await sluice("client", NOTES);
  assertEquals([code, errors], [0, ""]);
  assertMatch(output, /^\/\/ Written by `sluice client tests\/cli\/programs\/notes\.ts`/m);
  assertMatch(output, /^export interface Note \{\n {2}id: number;\n {2}text: string;\n\}$/m);
  assertMatch(output, /^ {2}"\/notes\/:id": \{$/m);
});

Deno.test("sluice client loads a program that listens without listening, and says so; no schema is needed", async () => {
  const { code, output, errors } = await sluice("client", "tests/cli/programs/listening.ts");
  assertEquals(code, 0, errors);
  assertStringIncludes(errors, "listening.ts calls listen, which was skipped; see --help");
  assertMatch(output, /^ {2}"\/api\/users\/:id": \{$/m);
  assertMatch((await sluice("client", "--help")).output, /export the application from a file that only creates it/);
});

Deno.test("sluice client writes a file once, and never over another one", async () => {
  const folder = await Deno.makeTempDir();
  const file = `${folder}/client.ts`;
  try {
    const first = await sluice("client", NOTES, "-o", file);
    assertEquals([first.code, first.output, first.errors], [0, "", `client: ${file} was written\n`]);
    const { mtime } = await Deno.stat(file);
    assertStringIncludes((await sluice("client", NOTES, "-o", file)).errors, "has not changed");
    assertEquals((await Deno.stat(file)).mtime, mtime);
    await Deno.writeTextFile(file, "export const mine = 1;\n");
    const refused = await sluice("client", NOTES, "-o", file);
    assertEquals(refused.code, 1);
    assertStringIncludes(refused.errors, "was not written by sluice client: remove it, or name another file");
    assertEquals(await Deno.readTextFile(file), "export const mine = 1;\n");
    assertEquals(Array.from(Deno.readDirSync(folder), ({ name }) => name), ["client.ts"]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("sluice client takes the document that the application serves", async () => {
  const { code, output, errors } = await sluice("client", NOTES, "--document", "/docs/openapi.json");
  assertEquals(code, 0, errors);
  assertMatch(output, /^ {2}"\/v1\/notes": \{$/m);
  const none = await sluice("client", NOTES, "--document", "/notes");
  assertEquals(none.code, 1);
  assertMatch(none.errors, /\/notes is not an OpenAPI document: 200/);
});

Deno.test("sluice client --watch writes again at each save, survives mistakes, and watches new folders", async () => {
  // inside the repository, where deno.json maps the imports
  const folder = await Deno.makeTempDir({ dir: `${ROOT}.cache/`, prefix: "watched_" });
  const program = (path: string) =>
    `import sluice from "@sluice/sluice";\nimport "./more/part.ts";\nexport const app = sluice();\napp.get("${path}", () => {});\n`;
  await Deno.mkdir(`${folder}/more`);
  await Deno.writeTextFile(`${folder}/more/part.ts`, "export const part = 1;\n");
  await Deno.writeTextFile(`${folder}/app.ts`, program("/first"));
  const flags = ["run", "-A", "--quiet", "--no-check", ...await packageFlags("openapi_commands")];
  const child = new Deno.Command(Deno.execPath(), {
    args: [...flags, "cli.ts", "client", `${folder}/app.ts`, "-o", `${folder}/client.ts`, "--watch"],
    cwd: ROOT,
    env: { NO_COLOR: "1" },
    stdout: "null",
    stderr: "piped",
  }).spawn();
  let said = "";
  const heard = (async () => {
    for await (const text of child.stderr.pipeThrough(new TextDecoderStream())) said += text;
  })();
  const has = (path: string) =>
    until(
      async () => (await Deno.readTextFile(`${folder}/client.ts`).catch(() => "")).includes(`"${path}"`),
      `a client with ${path}`,
    );
  try {
    await has("/first");
    await Deno.writeTextFile(`${folder}/app.ts`, "export const broken = ;");
    await until(() => said.includes("app.ts failed"), "what is wrong is said");
    assertStringIncludes(await Deno.readTextFile(`${folder}/client.ts`), '"/first"');
    await Deno.writeTextFile(`${folder}/app.ts`, program("/second"));
    await has("/second");
    await Deno.writeTextFile(`${folder}/more/part.ts`, "export const part = 2;\n");
    await until(() => said.includes("has not changed"), "a change in a folder is seen");
  } finally {
    child.kill();
    await child.status;
    await heard;
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("sluice check exits with 1 for what it finds, and says how to repeat it", async () => {
  const { code, output } = await sluice("check", NOTES, "--seed", "3");
  assertEquals(code, 1);
  assertMatch(output, /^GET \/notes\/\{id\} responds with what the document does not have$/m);
  assertMatch(output, /the body of 200 is not as in the document: \/id/);
  const [, path] = output.match(/sluice request \S+ (\S+) -X GET/) ?? [];
  assert(path !== undefined, output);
  const repeated = await sluice("request", NOTES, path);
  assertStringIncludes(repeated.output, '"id":"seven"');
  assertMatch(output, /^2 operations, \d+ requests, seed 3: 1 finding$/m);
});

Deno.test("sluice check exits with 0 for nothing found, prints JSON, and takes one operation alone", async () => {
  const { code, output, errors } = await sluice("check", NOTES, "--only", "GET /notes", "--json");
  assertEquals(code, 0, errors);
  const report = JSON.parse(output);
  assertEquals([report.operations, report.findings, report.seed], [1, [], 1]);
});

Deno.test("both commands refuse wrong arguments with 2, and a program that fails with 1", async () => {
  const failing: [string[], number, RegExp][] = [
    [["client"], 2, /the file of one program, not 0/],
    [["client", NOTES, "--watch"], 2, /--watch needs a file to write/],
    [["client", NOTES, "--app", "2"], 2, /one application, so --app must be 1 to 1/],
    [["client", "tests/cli/programs/failing.ts"], 1, /failing\.ts failed\nError: no database/],
    [["check", NOTES, "--seed", "x"], 2, /--seed must be a number, not x/],
    [["check", NOTES, "-H", "none"], 2, /a header must be "Name: value", not none/],
    [["check"], 2, /the file of one program/],
  ];
  for (const [args, expected, message] of failing) {
    const { code, output, errors } = await sluice(...args);
    assertEquals([code, output], [expected, ""], errors);
    assertMatch(errors, message);
  }
});
