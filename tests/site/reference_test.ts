import { assertEquals, assertThrows } from "@std/assert";
import { CATEGORIES, categoryOf } from "../../scripts/site/reference/categories.ts";
import { docMarkdown } from "../../scripts/site/reference/doc_markdown.ts";
import { readModules } from "../../scripts/site/reference/doc_nodes.ts";
import type { PublicSymbol } from "../../scripts/site/reference/symbols.ts";
import { typeText } from "../../scripts/site/reference/type_text.ts";

/** Types as the reference must show them. */
const TYPES: Readonly<Record<string, string>> = {
  Literal: '"a" | 1 | true | null | undefined',
  Lists: "readonly string[] | [string, number?, ...Date[]]",
  Fn: "(a: string, b?: number, ...rest: unknown[]) => void",
  Made: "new (a: string) => Date",
  Generic: "<T extends string = string>(value: T) => asserts value is T",
  Members: "{ [name: string]: unknown; readonly a?: string; go(n: number): void }",
  Keys: "keyof { a: 1 } & string",
  Indexed: '{ a: 1 }["a"]',
  Mapped: "{ readonly [K in keyof Date]?: Date[K] }",
  Picked: "string extends infer U extends string ? U : never",
  Queried: "typeof globalThis",
  Template: "`/${string}/${number}`",
  Nested: "Map<string, (() => Promise<void>)[]>",
};

Deno.test("types are shown as they were written", async () => {
  const file = ".cache/types_of_the_reference.ts";
  const declared = Object.entries(TYPES).map(([name, type]) => `export type ${name} = ${type};`);
  await Deno.writeTextFile(new URL(`../../${file}`, import.meta.url), declared.join("\n"));
  const { symbols } = (await readModules([file])).get(file)!;
  const shown = symbols.map(({ name, declarations: [one] }) => [name, typeText(one!.def.tsType)]);
  assertEquals(Object.fromEntries(shown), TYPES);
});

Deno.test("a symbol is where its folder or its comment says, and an error where neither does", () => {
  const symbol = (file: string, category?: string) => {
    const tags = category === undefined ? [] : [{ kind: "category", doc: category }];
    return { name: "x", kind: "function", file, key: file, doc: { tags }, declarations: [] } satisfies PublicSymbol;
  };
  const all = CATEGORIES["@sluice/sluice"]!;
  assertEquals(categoryOf("@sluice/sluice", symbol("src/routing/x.ts"), all).slug, "routing");
  assertEquals(categoryOf("@sluice/sluice", symbol("src/routing/x.ts", "Views"), all).slug, "views");
  assertThrows(() => categoryOf("@sluice/sluice", symbol("src/elsewhere/x.ts"), all), Error, "has no category");
});

Deno.test("links of comments lead to the reference, and nothing in prose becomes a tag", () => {
  const method = {
    kind: "interface",
    location: { filename: "", line: 1 },
    def: { methods: [{ name: "go" }] },
  } as const;
  const known: PublicSymbol = { name: "Known", kind: "interface", file: "", key: "", doc: {}, declarations: [method] };
  const places = { find: (name: string) => name === "Known" ? { path: "reference/x.md", symbol: known } : undefined };
  const shown = (doc: string) => docMarkdown(doc, places);
  assertEquals(shown("See {@linkcode Known}."), "See [`Known`](/reference/x.md#Known).");
  assertEquals(
    shown("{@linkcode Known.go} and {@link Known.other}"),
    "[`Known.go`](/reference/x.md#Known-go) and [Known.other](/reference/x.md#Known)",
  );
  assertEquals(
    shown("{@linkcode Unknown} and {@link https://a.example | a page}"),
    "`Unknown` and [a page](https://a.example)",
  );
  assertEquals(shown("a <b> and `<b>`\n```ts\n<b>\n```"), "a &lt;b> and `<b>`\n```ts\n<b>\n```");
});
