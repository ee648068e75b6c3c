/** Figures repeated on pages for users equal the measured ones. */
import { assertEquals, assertStringIncludes } from "@std/assert";

const DOCS = new URL("../../docs/", import.meta.url);

function cellsOf(row: string): string[] {
  return row.split("|").slice(1, -1).map((cell) => cell.replaceAll("*", "").trim());
}

Deno.test("what a request costs, in the comparison, is what docs/performance.md says of bare headers", async () => {
  const page = await Deno.readTextFile(new URL("start/index.md", DOCS));
  const measured = await Deno.readTextFile(new URL("performance.md", DOCS));
  const [, table] = page.match(/<!-- figures -->\n\n(.*?)\n\n<!-- \/figures -->/s)!;
  const [head, , ...rows] = table!.split("\n").map(cellsOf);
  const expected = rows.map(([runtime]) => {
    const [, section] = measured.match(new RegExp(`<!-- bench:${runtime!.toLowerCase()} -->(.*?)<!-- /bench`, "s"))!;
    const [names] = section!.trim().split("\n").map(cellsOf);
    const means = cellsOf(section!.split("\n").find((line) => line.includes("geometric mean"))!);
    return head!.map((name) => {
      if (name === "") return runtime;
      const i = names!.findIndex((one) => one.toLowerCase() === name.toLowerCase());
      return i === -1 ? "–" : means[i]!.split(" · ")[0];
    });
  });
  assertEquals(rows, expected);
  assertEquals(rows.map(([runtime]) => runtime), ["Node", "Deno", "Bun"]);
});

Deno.test("the figures of the first page are those of docs/performance.md and docs/ecosystem.md", async () => {
  const [first, measured, ecosystem] = await Promise.all(
    ["index.md", "performance.md", "ecosystem.md"].map((path) => Deno.readTextFile(new URL(path, DOCS))),
  );
  const prose = first!.replaceAll(/\s+/g, " ");
  const [, node] = measured!.match(/<!-- bench:node -->(.*?)<!-- \/bench/s)!;
  const [, ratio, interval] = node!.match(/^\| Sluice over Express +\| ([\d.]+) \(([\d.–]+)\)/m)!;
  assertStringIncludes(
    prose,
    `**${Number(ratio).toFixed(1)} ×** <span>as fast as Express, in processor time</span>`,
  );
  assertStringIncludes(prose, `${ratio} times, with a 95 % interval of ${interval} (`);
  const [, , , passing, own, share] = cellsOf(ecosystem!.match(/^\| Express 5, .*\| Node \d.*$/m)![0]);
  assertStringIncludes(prose, `**${share}** <span>of Express's own tests pass</span>`);
  assertStringIncludes(prose, `${own} of the ${passing} that pass on Express, unchanged, on Node`);
});
