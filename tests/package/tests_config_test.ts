/** `tests/deno.json` and its lock file, which stand beside those of the packages. */
import { assertEquals } from "@std/assert";
import { manifestOf } from "../../scripts/packages.ts";

const ROOT = new URL("../../", import.meta.url);
const FOLDERS = ["./", "./advanced/", "./create/"];

interface Lock {
  readonly specifiers: Readonly<Record<string, string>>;
}

async function readJson<T>(path: string): Promise<T> {
  return JSON.parse(await Deno.readTextFile(new URL(path, ROOT)));
}

const own = await readJson<{ imports: Record<string, string>; compilerOptions: unknown }>("tests/deno.json");

Deno.test("tests import every entry of the packages by the name that users import", async () => {
  const entries: Record<string, string> = {};
  for (const folder of FOLDERS) {
    const { name, exports } = await manifestOf(folder);
    for (const [entry, path] of Object.entries(exports)) {
      entries[`${name}${entry.slice(1)}`] = `../${folder.slice(2)}${path.slice(2)}`;
    }
  }
  const mapped = Object.entries(own.imports).filter(([, target]) => target.startsWith("."));
  assertEquals(Object.fromEntries(mapped), entries, "tests/deno.json has to map the entries that deno.json exports");
});

Deno.test("tests are compiled with the options of the packages, and import what they import in the same range", async () => {
  assertEquals(own.compilerOptions, (await readJson<{ compilerOptions: unknown }>("deno.json")).compilerOptions);
  for (const folder of FOLDERS) {
    for (const [name, range] of Object.entries((await manifestOf(folder)).imports)) {
      assertEquals(
        own.imports[name] ?? range,
        range,
        `tests/deno.json and ${folder}deno.json disagree about "${name}"`,
      );
    }
  }
});

Deno.test("tests run with the versions that users start the demo with, and that are published", async () => {
  const { specifiers: packages } = await readJson<Lock>("deno.lock");
  const { specifiers: tests } = await readJson<Lock>("tests/deno.lock");
  // the chosen peer dependencies follow an underscore
  const plain = (version: string | undefined) => version?.split("_")[0];
  for (const [specifier, version] of Object.entries(packages)) {
    const advice = `${specifier} differs between deno.lock and tests/deno.lock: deno task lock writes both`;
    assertEquals(plain(tests[specifier]), plain(version), advice);
  }
});
