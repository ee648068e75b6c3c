import { cp } from "node:fs/promises";
import { assertEquals } from "@std/assert";
import { offlineImports } from "../../scripts/std.ts";
import { lockFlag } from "../support/node_program.ts";

const ROOT = new URL("../../", import.meta.url);

/** Modules loaded by the first request that needs them. */
const LOADED_LATER = ["src/response/file_transfer.ts", "src/websocket/accept.ts"];

// the modules loaded later, and everything they import, come from a copy of the sources
async function importMap(copy: URL): Promise<string> {
  const imports = await offlineImports();
  for (const path of LOADED_LATER) imports[new URL(path, ROOT).href] = new URL(path, copy).href;
  const map = new URL("imports.json", copy);
  await Deno.writeTextFile(map, JSON.stringify({ imports }));
  return `--import-map=${map.pathname}`;
}

Deno.test("files and WebSockets work if the modules loaded later import a second copy of the rest, as under tsx", async () => {
  const copy = new URL(`file://${await Deno.makeTempDir()}/`);
  try {
    await cp(new URL("src/", ROOT), new URL("src/", copy), { recursive: true });
    const args = ["run", "-A", "--quiet", "--no-config", "--no-check", await lockFlag("loaded_later")];
    const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [...args, await importMap(copy), "tests/fixtures/loaded_later.ts"],
      cwd: ROOT,
      env: { NODE_ENV: "test" },
    }).output();
    const printed = new TextDecoder().decode(stdout);
    assertEquals(
      printed.split("\n"),
      ["200 true", "200 true", "206 2", "404", "hello", ""],
      new TextDecoder().decode(stderr),
    );
  } finally {
    await Deno.remove(copy, { recursive: true });
  }
});
