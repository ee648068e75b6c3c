/** An application on Node as a guest of other code: both see each other as they would with Express. */
import { fileURLToPath } from "node:url";
import { assert, assertEquals } from "@std/assert";
import { installLocked } from "../../../scripts/locked_packages.ts";
import { run } from "../../../scripts/process.ts";
import { bundled } from "../../contracts/bundled.ts";
import { PATIENCE_MS } from "../../support/patience.ts";

const ROOT = new URL("../../../", import.meta.url);
const FOLDER = new URL(".cache/guests/", ROOT);
const PROGRAM = "guests.mjs";

async function seen(library: string): Promise<Record<string, string>> {
  const options = { limitMs: PATIENCE_MS, quiet: true, cwd: fileURLToPath(FOLDER) };
  const { code, output } = await run("node", [PROGRAM, library], options);
  assertEquals(code, 0, output);
  return JSON.parse(output.split("\n").find((line) => line.startsWith("{"))!);
}

Deno.test("code around an application and its handlers see of each other what they see with Express", async () => {
  await installLocked(FOLDER, ["express"]);
  // bare names resolve only next to their node_modules
  await Deno.copyFile(new URL(PROGRAM, import.meta.url), new URL(PROGRAM, FOLDER));
  const theirs = await seen("express");
  const ours = await seen(await bundled("tests/ecosystem/support/sluice_on_node.ts", "deno"));
  assert(Object.keys(theirs).length > 30);
  for (const [name, value] of Object.entries(theirs)) assertEquals(ours[name], value, name);
});
