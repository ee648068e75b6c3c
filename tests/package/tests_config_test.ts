/** `tests/deno.json` and its lock file, compared with the packages' own. */
import { assertEquals } from "@std/assert";
import { join } from "node:path/posix";
import { packageFolders } from "../../scripts/tests_config.ts";

const ROOT = new URL("../../", import.meta.url);

/** The compared part of a `deno.json`. */
interface Config {
  readonly name: string;
  readonly exports: Readonly<Record<string, string>>;
  readonly imports?: Readonly<Record<string, string>>;
  readonly compilerOptions?: unknown;
}

interface Lock {
  readonly specifiers: Readonly<Record<string, string>>;
}

async function readJson<T>(path: string): Promise<T> {
  return JSON.parse(await Deno.readTextFile(new URL(path, ROOT)));
}

const own = await readJson<Config & { imports: Record<string, string> }>("tests/deno.json");
const folders = await packageFolders();

Deno.test("tests import every entry of the packages by the name that users import", async () => {
  const entries: Record<string, string> = {};
  for (const folder of folders) {
    const { name, exports } = await readJson<Config>(`${folder}/deno.json`);
    for (const [entry, path] of Object.entries(exports)) entries[`${name}${entry.slice(1)}`] = join("..", folder, path);
  }
  const mapped = Object.entries(own.imports).filter(([, target]) => target.startsWith("."));
  assertEquals(Object.fromEntries(mapped), entries, "tests/deno.json has to map the entries that deno.json exports");
});

Deno.test("tests are compiled with the options of the packages, and import what they import in the same range", async () => {
  assertEquals(own.compilerOptions, (await readJson<Config>("deno.json")).compilerOptions);
  for (const folder of folders) {
    const { imports = {} } = await readJson<Config>(`${folder}/deno.json`);
    for (const [name, range] of Object.entries(imports)) {
      assertEquals(
        own.imports[name] ?? range,
        range,
        `tests/deno.json and ${folder}/deno.json disagree about "${name}"`,
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
