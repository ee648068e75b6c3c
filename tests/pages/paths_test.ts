/** The paths in the routing guide match every listed request and no excluded one. */
import { assertEquals } from "@std/assert";
import sluice from "../../mod.ts";

const GUIDE = new URL("../../docs/guide/routing.md", import.meta.url);

const codeIn = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, code]) => code!);
const valueOf = (code: string): unknown => code === "undefined" ? undefined : JSON.parse(code);

/** The table's rows: a path, the requests that it does or does not match, and its parameters in each match. */
async function rowsOfPaths(): Promise<[path: string, requests: string, params: string][]> {
  const [, table] = (await Deno.readTextFile(GUIDE)).match(/\| path .*\n\|[ |-]+\n((?:\|.*\n)+)/)!;
  return table!.trim().split("\n").map((row) => {
    const [path, requests, params] = row.split(" | ");
    return [codeIn(path!)[0]!, requests!, params!];
  });
}

async function paramsFor(path: string | RegExp, url: string): Promise<Record<string, unknown> | null> {
  const app = sluice();
  let params: Record<string, unknown> | null = null;
  app.get(path, (req, res) => {
    params = { ...req.params };
    res.end();
  });
  await app.fetch(new Request(`http://localhost${url}`));
  return params;
}

const rows = await rowsOfPaths();

for (const [text, requests, params] of rows) {
  Deno.test(`docs/guide/routing.md: ${text} matches as its row says`, async () => {
    const path = text.startsWith("/^") ? new RegExp(text.slice(1, -1)) : text;
    const [matching, excluded = ""] = requests.split(", not ");
    const expected = [...params.matchAll(/`(\w+)` is (`[^`]+`(?:, `[^`]+`(?! is))*)/g)]
      .map(([, name, values]) => [name!, codeIn(values!).map(valueOf)] as const);
    for (const [i, url] of codeIn(matching!).entries()) {
      const found = await paramsFor(path, url);
      assertEquals(expected.map(([name]) => found?.[name]), expected.map(([, values]) => values[i]), url);
      assertEquals(new Set(Object.keys(found!)).difference(new Set(expected.map(([name]) => name))), new Set(), url);
    }
    for (const url of codeIn(excluded)) assertEquals(await paramsFor(path, url), null, url);
  });
}

Deno.test("docs/guide/routing.md lists paths of each kind", () => {
  assertEquals(rows.length, 6);
});
