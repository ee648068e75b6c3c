import { assertEquals } from "@std/assert";
import { descriptionOf, titleOf, withLinks } from "../../scripts/site/markdown.ts";

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
