import { assertEquals } from "@std/assert";
import { descriptionOf, titleOf, withLinks, withTabs, withWholeFiles } from "../../scripts/site/markdown.ts";

Deno.test("a page's title is that of its front matter, or its first heading outside of code", () => {
  assertEquals(titleOf('---\ntitle: "One"\n---\n\n# Two\n'), "One");
  assertEquals(titleOf("```sh\n# a comment\n```\n\n# The `name` of [it](x.md)\n"), "The name of it");
  assertEquals(titleOf("No heading\n"), undefined);
});

Deno.test("a page's description is its first paragraph, without code, lists and marks, and not longer than fits", () => {
  const page =
    "# Title\n\n```ts\ncode();\n```\n\n- a list of things, which is no paragraph\n\nWhat `it` is **about**, in one line.\n\nMore.\n";
  assertEquals(descriptionOf(page), "What it is about, in one line.");
  assertEquals(
    descriptionOf("---\ndescription: As said.\n---\n\n# T\n\nA paragraph that is long enough.\n"),
    "As said.",
  );
  const long = `# T\n\nThe first sentence of it. ${"word ".repeat(50)}.\n`;
  assertEquals(descriptionOf(long), "The first sentence of it.");
  assertEquals(descriptionOf("# T\n\n| a | b |\n"), undefined);
});

Deno.test("links in prose are replaced, and those in blocks of code are not", () => {
  const text = "[a](a.md) ![b](b.svg)\n\n```md\n[a](a.md)\n```\n";
  assertEquals(withLinks(text, (target) => `x/${target}`), "[a](x/a.md) ![b](x/b.svg)\n\n```md\n[a](a.md)\n```\n");
});

Deno.test("blocks that follow one another and name runtimes become tabs, and files do not", () => {
  const [node, bun, file] = [
    "```sh [Node]\nnode a.ts\n```\n",
    "```sh [Bun]\nbun a.ts\n```\n",
    "```ts [a.ts]\n1;\n```\n",
  ];
  assertEquals(
    withTabs(`Run it:\n\n${node}\n${bun}\nThen\n\n${file}\n${file}`),
    `Run it:\n\n::: code-group\n\n${node}\n${bun}\n:::\n\nThen\n\n${file}\n${file}`,
  );
  assertEquals(withTabs(`${bun}\n${file}`), `::: code-group\n\n${bun}\n:::\n\n${file}`);
});

Deno.test("a link to a whole file becomes the file, in a block that opens", async () => {
  const text = "Before\n\n[The whole of app.ts](../step-1/app.ts)\n\nSee [the whole of it](../step-1/app.ts).\n";
  const read = (target: string) => Promise.resolve(`// ${target}\n`);
  assertEquals(
    await withWholeFiles(text, read),
    'Before\n\n<details class="details custom-block">\n<summary>The whole of <code>app.ts</code></summary>\n\n' +
      "```ts [app.ts]\n// ../step-1/app.ts\n```\n\n</details>\n\nSee [the whole of it](../step-1/app.ts).\n",
  );
});
