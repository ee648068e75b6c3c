/** The tutorial: the tests of every step pass, its pages print its files, and its server sends what they show. */
import { assert, assertEquals } from "@std/assert";
import { fileURLToPath } from "node:url";
import { run } from "../../scripts/process.ts";
import { stdFlags } from "../../scripts/std.ts";
import { startProgram } from "../support/program.ts";
import { curl } from "./support/curl.ts";
import { isAsShown, printedFiles, requestsOf } from "./support/page_programs.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const STEPS = `${ROOT}examples/tutorial/`;
const DOCS = `${ROOT}docs/tutorial/`;

const pages = [...Deno.readDirSync(DOCS)].map(({ name }) => name).filter((name) => /^\d/.test(name)).sort();
const { flags } = await stdFlags();

Deno.test("the tutorial has seven steps, each with a page", () => {
  const steps = [...Deno.readDirSync(STEPS)].map(({ name }) => name).sort();
  assertEquals(steps, pages.map((name) => `step-${name[0]}`));
  assertEquals(steps.length, 7);
});

Deno.test("the tests of every step pass", async () => {
  const options = { limitMs: 120_000, quiet: true, cwd: ROOT, env: { NODE_ENV: "test" } };
  const { code, output } = await run(
    Deno.execPath(),
    ["test", "-A", "--no-check", ...flags, "examples/tutorial/"],
    options,
  );
  assertEquals(code, 0, output);
  for (const page of pages) assert(output.includes(`/step-${page[0]}/app.test.ts`), `step ${page[0]} was not tested`);
});

/** The lines of a text; the formatter moves a part of a file to the left margin. */
function unindented(text: string): string {
  return text.trim().replaceAll(/^ +/gm, "");
}

for (const page of pages) {
  const folder = `${STEPS}step-${page[0]}/`;
  const text = Deno.readTextFileSync(DOCS + page);

  Deno.test(`docs/tutorial/${page} prints the files of its step`, () => {
    const printed = printedFiles(text);
    assert(printed.length > 1, "hardly a file is printed");
    for (const { path, content } of printed) {
      const file = Deno.readTextFileSync(folder + path);
      assert(unindented(file).includes(unindented(content)), `${folder}${path} has not\n${content}`);
    }
  });

  Deno.test(`docs/tutorial/${page} shows what the server of its step sends`, async () => {
    const requests = requestsOf(text);
    assert(requests.length > 0, "no request is shown");
    const env = {
      PORT: "0",
      DATABASE: ":memory:",
      SECRET: "of a test, with 32 characters or more",
      NODE_ENV: "production",
    };
    const args = ["run", "-A", "--no-check", "--quiet", ...flags, `${folder}server.ts`];
    await using server = await startProgram(Deno.execPath(), args, { cwd: ROOT, env });
    const jar = new Map<string, string>();
    for (const { command, output } of requests) {
      const came = await curl(command, server.line.replace("localhost", "127.0.0.1"), output, jar);
      assert(isAsShown(came, output), `${command}\n--- shown\n${output}\n--- came\n${came}`);
    }
  });
}
