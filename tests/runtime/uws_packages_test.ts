/**
 * npm's Express middleware on uWebSockets.js: the programs in tests/ecosystem/ that need only Node, compared with real
 * Express.
 */
import { fileURLToPath } from "node:url";
import { assertEquals } from "@std/assert";
import { bundled } from "../contracts/bundled.ts";
import { askAll } from "../ecosystem/support/ask_all.ts";
import { compare } from "../ecosystem/support/compare.ts";
import { startExpressHost } from "../ecosystem/support/express_host.ts";
import { Host } from "../ecosystem/support/host.ts";
import { NPM_FOLDER } from "../ecosystem/support/npm_folder.ts";
import type { Program } from "../ecosystem/support/program.ts";
import { assertSeen } from "../ecosystem/support/sees.ts";
import { startUpstream } from "../ecosystem/support/upstream.ts";
import { skipUws, UWS_ENV } from "../support/uws_engine.ts";

/** The ten packages; several are built on packages such as on-headers. */
const NAMES = [
  ...["body-parser", "compression", "cookie-session", "cors", "express-session", "helmet", "http-proxy-middleware"],
  ...["morgan", "multer", "passport", "response-time"],
];

Deno.test({
  name: "npm's middleware does on uWebSockets.js what it does on Express",
  ignore: skipUws,
  // the processes outlive the steps that started them
  sanitizeOps: false,
  sanitizeResources: false,
  async fn(t) {
    const programs = new Map<string, Program>();
    for (const name of NAMES) programs.set(name, await import(`../ecosystem/programs/${name}.js`));
    const upstream = startUpstream();
    const scratch = await Deno.makeTempDir();
    const express = await startExpressHost([...programs].flatMap(([name, { packages }]) => packages ?? [name]));
    const bundle = await bundled("tests/ecosystem/support/sluice_on_uws.ts", "deno");
    const args = ["support/runner.mjs", bundle];
    const sluice = new Host({ name: "Sluice on uWebSockets.js", program: "node", args, cwd: NPM_FOLDER, env: UWS_ENV });
    const tools = async (side: string) => {
      const files = fileURLToPath(new URL("../ecosystem/files", import.meta.url));
      const folder = await Deno.makeTempDir({ dir: scratch });
      return { side, scratch: folder, files, redis: "", upstream: upstream.url, nobody: "http://127.0.0.1:1" };
    };
    try {
      for (const [name, program] of programs) {
        await t.step(program.title, async () => {
          const asked = async (host: Host, side: string) =>
            await askAll(await host.open(name, await tools(side)), program.requests);
          const [theirs, ours] = await Promise.all([asked(express, "Express"), asked(sluice, "uWebSockets.js")]);
          for (const [i, mine] of ours.entries()) {
            assertSeen(mine);
            const { method = "GET", path, differs } = mine.ask;
            const known = differs !== undefined && (differs.on ?? ["Node"]).includes("Node") ? differs.parts : [];
            const found = compare(mine, theirs[i]!, program, "Node").filter(({ part }) => part !== "uwebsockets");
            assertEquals(
              found.map(({ part }) => part).sort(),
              [...known].sort(),
              `${method} ${path}: ${JSON.stringify(found)}`,
            );
          }
          for (const host of [express, sluice]) await host.close(name);
        });
      }
    } finally {
      for (const host of [express, sluice]) await host.stop();
      await upstream.stop();
      await Deno.remove(scratch, { recursive: true });
    }
  },
});
