/**
 * The tutorial's pages show each step's files, whole or in explained parts. `tests/site/typed_test.ts` checks that they
 * can be typed and work as described.
 */
import { assert, assertEquals } from "@std/assert";
import { fileURLToPath } from "node:url";
import { printedFiles } from "./support/page_programs.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const STEPS = `${ROOT}examples/tutorial/`;
const DOCS = `${ROOT}docs/tutorial/`;

const pages = [...Deno.readDirSync(DOCS)].map(({ name }) => name).filter((name) => /^\d/.test(name)).sort();

Deno.test("the tutorial has seven steps, each with a page", () => {
  const steps = [...Deno.readDirSync(STEPS)].map(({ name }) => name).sort();
  assertEquals(steps, pages.map((name) => `step-${name[0]}`));
  assertEquals(steps.length, 7);
});

/** A string's lines; the formatter moves part of a file to the left margin. */
function unindented(text: string): string {
  return text.trim().replaceAll(/^ +/gm, "");
}

for (const page of pages) {
  const step = `step-${page[0]}`;
  const text = Deno.readTextFileSync(DOCS + page);
  const files = new Map(
    Array.from(Deno.readDirSync(STEPS + step), ({ name }) => [name, Deno.readTextFileSync(`${STEPS}${step}/${name}`)]),
  );
  const linked = Array.from(
    text.matchAll(/^\[The whole of (\S+)\]\((\S+)\)$/gm),
    ([, name, target]) => ({ name, target }),
  );

  Deno.test(`docs/tutorial/${page} prints whole files of its step under their names, and links to the others`, () => {
    const printed = printedFiles(text);
    for (const { path, content } of printed) assertEquals(content, files.get(path), path);
    for (const { name, target } of linked) assertEquals(target, `../../examples/tutorial/${step}/${name}`);
    assert(printed.length + linked.length > 1, "hardly a file is printed");
  });

  Deno.test(`docs/tutorial/${page} has all that is new in its step`, () => {
    const before = `${STEPS}step-${Number(page[0]) - 1}/`;
    const shown = new Set([...printedFiles(text).map(({ path }) => path), ...linked.map(({ name }) => name)]);
    for (const [name, content] of files) {
      const isSame = page[0] !== "1" && readIfThere(before + name) === content;
      assertEquals(shown.has(name), !isSame, name);
    }
  });

  Deno.test(`docs/tutorial/${page} explains with parts of these files`, () => {
    for (const [, part] of text.matchAll(/^```ts\n(.*?)^```$/gms)) {
      const isPart = [...files.values()].some((file) => unindented(file).includes(unindented(part!)));
      assert(isPart, `no file of ${step} has\n${part}`);
    }
  });
}

function readIfThere(path: string): string | undefined {
  try {
    return Deno.readTextFileSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
