import { assertEquals } from "@std/assert";
import { readSources } from "../support/sources.ts";

/** Ambiguous words, with the words to use instead: CONTRIBUTING.md, "Words". */
const REFUSED: readonly (readonly [word: RegExp, instead: string])[] = [
  [/^answer(s|ed|ing)?$/, "response or respond; a store replies"],
  [/^place[sd]?$/, "slot, index, order or slice, whichever it is"],
  [/^odd$/, "cold fields, or what is unusual about it"],
  [/^surroundings?$/, "host"],
  [/^takeovers?$/, "shim"],
];

/** The words in a name, in lower case. */
function wordsOf(name: string): string[] {
  return (name.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g) ?? []).map((word) => word.toLowerCase());
}

Deno.test("no name of a file or in code has a word with several meanings", async () => {
  const sources = [
    ...await readSources("src/"),
    ...await readSources("limiting/"),
    ...await readSources("shared/"),
    ...await readSources("advanced/src/"),
    ...await readSources("middleware/src/"),
    ...await readSources("openapi/src/"),
  ];
  const found = sources.flatMap(({ path, code }) => {
    const names = new Set([path.split("/").at(-1)!, ...code.match(/[A-Za-z_$][\w$]*/g) ?? []]);
    return [...names].flatMap((name) =>
      wordsOf(name).flatMap((word) =>
        REFUSED.filter(([refused]) => refused.test(word)).map(([, instead]) => `${path}: ${name} (${instead})`)
      )
    );
  });
  assertEquals(found, []);
});

Deno.test("the glossary has at most 20 words, each once", async () => {
  const text = await Deno.readTextFile(new URL("../../CONTRIBUTING.md", import.meta.url));
  const [, section] = /## Words\n([\s\S]*?)\n## /.exec(text)!;
  const words = [...section!.matchAll(/^\| ([a-z ]+?) +\|/gm)].map(([, word]) => word!).filter((word) =>
    word !== "word"
  );
  assertEquals(words.length, new Set(words).size);
  assertEquals([words.length > 10, words.length <= 20], [true, true]);
});
