import { FOLDERS, LIBRARY_FOLDERS } from "../../scripts/packages.ts";
import { assertEquals } from "@std/assert";

async function manifest(path: string): Promise<Record<string, unknown>> {
  return JSON.parse(await Deno.readTextFile(new URL(`../../${path}`, import.meta.url)));
}

for (const folder of FOLDERS) {
  Deno.test(`${folder}jsr.json agrees with ${folder}deno.json, which publishing reads`, async () => {
    const deno = await manifest(`${folder}deno.json`);
    const { name, version, license, exports } = deno;
    assertEquals(await manifest(`${folder}jsr.json`), { name, version, license, exports });
  });
}

Deno.test("all packages include the license", async () => {
  const license = (folder: string) => Deno.readTextFile(new URL(`../../${folder}LICENSE`, import.meta.url));
  for (const folder of FOLDERS) assertEquals(await license(folder), await license(""));
  for (const path of FOLDERS.map((folder) => `${folder}deno.json`)) {
    const { publish } = await manifest(path) as { publish: { include: string[] } };
    assertEquals(publish.include.includes("LICENSE"), true, path);
  }
});

Deno.test("every entry is published", async () => {
  for (const folder of LIBRARY_FOLDERS) {
    const { exports, publish } = await manifest(`${folder}deno.json`) as {
      exports: Record<string, string>;
      publish: { include: string[] };
    };
    const missing = Object.values(exports).filter((path) => !publish.include.includes(path.slice("./".length)));
    assertEquals(missing, [], folder);
  }
});

Deno.test("the changelog has a section for each version, with its date, its kinds of changes and its address", async () => {
  const text = await Deno.readTextFile(new URL("../../CHANGELOG.md", import.meta.url));
  const [first, ...released] = Array.from(text.matchAll(/^## (.*)$/gm), ([, heading]) => heading!);
  assertEquals(first, "[Unreleased]");
  const versions = released.map((heading) => heading.match(/^\[(\d+\.\d+\.\d+(?:-[\w.]+)?)\] - \d{4}-\d\d-\d\d$/)?.[1]);
  assertEquals(versions.includes(undefined), false, `a section is "[1.2.3] - 2027-01-31", not one of ${released}`);
  for (const version of ["Unreleased", ...versions]) {
    const address = `\n[${version}]: https://github.com/sluicejs/sluice/`;
    assertEquals(text.includes(address), true, `the end of the file has no ${address.trim()}…`);
  }
  const kinds = Array.from(text.matchAll(/^### (.*)$/gm), ([, kind]) => kind!);
  const known = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"];
  assertEquals(kinds.filter((kind) => !known.includes(kind)), []);
  const { version } = await manifest("deno.json");
  // raised, but not released yet
  const isNext = text.slice(0, text.indexOf("\n## ", text.indexOf("## [Unreleased]") + 1)).includes(`${version}`);
  assertEquals(versions[0] === version || isNext, true, `the changelog does not know ${version}, which deno.json has`);
});

Deno.test("all packages have the same version", async () => {
  const { version } = await manifest("deno.json");
  for (const folder of FOLDERS) {
    assertEquals((await manifest(`${folder}deno.json`))["version"], version);
  }
});
