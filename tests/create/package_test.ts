/** Contents of the npm package `create-sluice`. */
import { fileURLToPath } from "node:url";
import { assertEquals, assertMatch } from "@std/assert";
import type { Built } from "../../scripts/build_npm.ts";
import { run } from "../../scripts/process.ts";
import { npmPackages } from "../../scripts/shared_builds.ts";
import { done } from "../examples/deploy/packages.ts";
import { tool } from "../npm/support/tools.ts";
import { skipNode } from "../support/node_program.ts";
import { PATIENCE_MS } from "../support/patience.ts";

const ROOT = new URL("../../", import.meta.url);
const REPOSITORY = "https://github.com/sluicejs/sluice";

async function built(): Promise<Built> {
  return (await npmPackages()).program;
}

Deno.test("publint finds nothing in create-sluice", { ignore: skipNode }, async () => {
  const { folder } = await built();
  const args = ["run", "--strict", fileURLToPath(folder)];
  const { code, output } = await run(await tool("publint"), args, { limitMs: PATIENCE_MS, quiet: true });
  assertEquals(code, 0, output);
  assertMatch(output, /All good/);
});

Deno.test("it is one program, which names no machine and has all templates inside", { ignore: skipNode }, async () => {
  const { folder, tarball } = await built();
  const list = await done("tar", ["-tzf", fileURLToPath(tarball)], fileURLToPath(folder));
  const files = ["LICENSE", "README.md", "dist/create.js", "package.json"];
  assertEquals(list.trim().split("\n").sort(), files.map((name) => `package/${name}`));
  const code = await Deno.readTextFile(new URL("dist/create.js", folder));
  assertMatch(code, /^#!\/usr\/bin\/env node\n/);
  assertEquals([fileURLToPath(ROOT), "import.meta"].filter((text) => code.includes(text)), []);
});

Deno.test("it says what it needs and where it comes from", { ignore: skipNode }, async () => {
  const { folder } = await built();
  const manifest = JSON.parse(await Deno.readTextFile(new URL("package.json", folder)));
  const { imports, version } = JSON.parse(await Deno.readTextFile(new URL("create/deno.json", ROOT)));
  const specifiers = Object.entries(manifest.dependencies).map(([name, range]) => [name, `npm:${name}@${range}`]);
  assertEquals(Object.fromEntries(specifiers), imports);
  assertEquals(manifest.version, version);
  assertEquals(manifest.bin, { "create-sluice": "dist/create.js" });
  assertEquals(manifest.engines, { node: ">=20.19" });
  assertEquals(manifest.repository, { type: "git", url: `git+${REPOSITORY}.git` });
});
