/** The limiters for Elysia and Hono on a real Bun, whose server provides the client's address. */
import { assertEquals } from "@std/assert";
import { fileURLToPath } from "node:url";
import { run } from "../../../scripts/process.ts";
import { packageFlags } from "../../../tests/support/node_program.ts";
import { PATIENCE_MS } from "../../../tests/support/patience.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const GOT = "200 hello 2, 200 hello 1, 200 0 of 127.0.0.1 0, 429 too many 0";

Deno.test("on Bun, Elysia and Hono limit clients by the addresses that its server tells, and by the routes of its router", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const args = [
      ...["bundle", "--quiet", ...await packageFlags("frameworks_on_bun")],
      ...["--external", "bun", "--output", `${folder}/program.mjs`, "advanced/tests/frameworks/bun_program.ts"],
    ];
    const bundled = await run(Deno.execPath(), args, { limitMs: PATIENCE_MS, quiet: true, cwd: ROOT });
    assertEquals(bundled.code, 0, bundled.output);
    const bun = `${Deno.env.get("SLUICE_RUNTIMES")!}/node_modules/.bin/bun`;
    const { code, output } = await run(bun, [`${folder}/program.mjs`], { limitMs: PATIENCE_MS, quiet: true });
    // Elysia's own router finds no route if the host is short
    const routes = ["Elysia's routes, with Bun's router: 2", "Elysia's routes: 1", "Hono's routes: 2"];
    const expected = [`Elysia: ${GOT}`, `Hono: ${GOT}`, ...routes.map((line) => `${line} of 2 hosts`)];
    assertEquals([output.trim().split("\n"), code], [expected, 0]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
