/** Documentation comments, as shown by editors, JSR and the reference. */
import { assert, assertEquals } from "@std/assert";
import { type PublicSymbol, readPackages, tagsOf } from "../../scripts/site/reference/symbols.ts";

const packages = await readPackages();
const entries = packages.flatMap(({ entries }) => entries);

/** The checked symbols, each once, from the first of several entries. */
const symbols = new Map(
  entries.flatMap(({ specifier, symbols }) =>
    symbols.map((symbol) => [`${symbol.name}, in ${symbol.file}`, { ...symbol, specifier }] as const)
  ).reverse(),
);

/** Whether programs call a symbol or pass it to a function they call. */
function isUsed({ name, kind, specifier }: PublicSymbol & { specifier: string }): boolean {
  // that entry is for packages such as @sluice/express
  if (specifier === "@sluice/sluice/profile") return false;
  // that entry has only types
  const isValue = specifier !== "@sluice/sluice/types" && ["class", "function", "variable"].includes(kind);
  return isValue || name.endsWith("Options");
}

function examplesOf({ declarations }: PublicSymbol): string[] {
  return declarations.flatMap(({ jsDoc }) => tagsOf(jsDoc, "example").map(({ doc = "" }) => doc));
}

Deno.test("every public symbol has a description, and every entry has one with an example", () => {
  const silent = [...symbols].filter(([, { doc }]) => (doc.doc ?? "").trim() === "").map(([name]) => name);
  assertEquals(silent, []);
  for (const { specifier, doc } of entries) {
    assert((doc.doc ?? "").length > 20, `${specifier} does not say what it is`);
  }
});

Deno.test("whatever programs call has an example with a title: functions, classes and objects of options", () => {
  const used = [...symbols].filter(([, symbol]) => isUsed(symbol));
  const without = used.filter(([, symbol]) => examplesOf(symbol).length === 0).map(([name]) => name);
  const untitled = used.filter(([, symbol]) => examplesOf(symbol).some((doc) => doc.trimStart().startsWith("```")));
  assertEquals([without, untitled.map(([name]) => name)], [[], []]);
  console.log(`${symbols.size} symbols, ${used.length} of them called`);
});

Deno.test("what is declared several times begins with what it is, whichever declaration an editor shows first", () => {
  for (const [name, { declarations }] of symbols) {
    for (const { jsDoc } of declarations) {
      assert(!/^(?:Properties that|The verbs|Verbs)\b/.test(jsDoc?.doc ?? ""), `${name} begins with "${jsDoc?.doc}"`);
    }
  }
});
