/** The store contract on Bun, with Bun's own SQLite. */
import { assertEquals } from "@std/assert";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { run } from "../../../scripts/process.ts";
import { PATIENCE_MS } from "../../../tests/support/patience.ts";

const ROOT = new URL("../../../", import.meta.url);
const at = (path: string) => fileURLToPath(new URL(path, ROOT));

const PROGRAM = `
import { Database } from "bun:sqlite";
import { SqliteStore } from ${JSON.stringify(at("advanced/sqlite.ts"))};
import { storeContract } from ${JSON.stringify(at("advanced/testing.ts"))};

const tests = [];
const make = async (clock) => {
  const store = new SqliteStore({ database: new Database(":memory:"), clock: clock.read });
  return { store, dispose: async () => store.close() };
};
storeContract({ name: "SqliteStore", make }, (name, body) => tests.push({ name, body }), { operations: 1000 });
for (const { name, body } of tests) {
  await body().catch((error) => console.log(name + ": " + error.message));
}
console.log(tests.length > 20 ? "all were run" : "there are too few");
`;

Deno.test("SqliteStore passes the contract of stores on Bun, over bun:sqlite", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${folder}/program.js`, PROGRAM);
    const bundle = await rolldown({
      input: `${folder}/program.js`,
      resolve: {
        alias: { "@sluice/shared": at("shared/mod.ts"), "@sluice/limiting": at("limiting/mod.ts") },
      },
      external: ["bun:sqlite"],
      platform: "neutral",
    });
    await bundle.write({ format: "es", file: `${folder}/bundle.mjs` });
    await bundle.close();
    const bun = `${Deno.env.get("SLUICE_RUNTIMES")!}/node_modules/.bin/bun`;
    const { code, output } = await run(bun, [`${folder}/bundle.mjs`], { limitMs: PATIENCE_MS, quiet: true });
    assertEquals([output.trim(), code], ["all were run", 0]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
