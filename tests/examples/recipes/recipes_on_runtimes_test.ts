/** The documented recipes on Deno, Node, Bun and workerd, all with the same cases. */
import { assertEquals } from "@std/assert";
import { newKey } from "../../../examples/recipes/tokens.ts";
import { outcomesOf } from "../../contracts/app_contract.ts";
import { bundled } from "../../contracts/bundled.ts";
import { type Serving, startServing } from "../../contracts/serving.ts";
import { packageFlags, skipNode } from "../../support/node_program.ts";
import { placeCopy } from "../../support/put_file.ts";
import { until } from "../../support/until.ts";
import { Behind } from "./behind.ts";
import { accounts } from "./cases/accounts.ts";
import { background, order } from "./cases/background.ts";
import { cors } from "./cases/cors.ts";
import { proxy } from "./cases/proxy.ts";
import { securityHeaders } from "./cases/security_headers.ts";
import { providedTokens, tokens } from "./cases/tokens.ts";
import type { Setting } from "./setting.ts";

const ENTRIES = "tests/examples/recipes/entries/";
const RUNTIMES = Deno.env.get("SLUICE_RUNTIMES");

/** Starts the program on each runtime. */
const STARTS: Readonly<Record<string, (env: Record<string, string>) => Promise<Serving>>> = {
  async Deno(env) {
    const flags = ["-A", ...await packageFlags("recipes_on_runtimes")];
    return await startServing(Deno.execPath(), ["run", ...flags, `${ENTRIES}listen.ts`], env);
  },
  Node: async (env) => await startServing("node", [await bundled(`${ENTRIES}node.ts`, "deno")], env),
  Bun: async (env) =>
    await startServing(`${RUNTIMES}node_modules/.bin/bun`, [await bundled(`${ENTRIES}listen.ts`, "deno")], env),
  async workerd(env) {
    const host = `${RUNTIMES}workerd.mjs`;
    await placeCopy(new URL("../../contracts/hosts/workerd.mjs", import.meta.url), host);
    const bindings = { BINDINGS: JSON.stringify(env) };
    return await startServing("node", [host, await bundled(`${ENTRIES}worker.ts`, "deno")], bindings);
  },
};

/** Whether nothing listens on a port. */
async function refuses(port: number): Promise<boolean> {
  try {
    (await Deno.connect({ hostname: "127.0.0.1", port })).close();
    return false;
  } catch (error) {
    if (error instanceof Deno.errors.ConnectionRefused) return true;
    throw error;
  }
}

for (const [name, start] of Object.entries(STARTS)) {
  const ignore = (name !== "Deno" && skipNode) || (["Bun", "workerd"].includes(name) && RUNTIMES === undefined);
  Deno.test({ name: `the recipes on ${name}`, ignore, sanitizeOps: false, sanitizeResources: false }, async (t) => {
    const keys = [await newKey(), await newKey()] as const;
    const behind = new Behind(keys);
    const server = behind.app.listen({ port: 0, hostname: "127.0.0.1" });
    behind.origin = `http://127.0.0.1:${server.port}`;
    const setting: Setting = { keys, behind: behind.origin };
    const serving = await start({
      RECIPES: JSON.stringify(setting),
      // better-auth does not check origins in tests
      NODE_ENV: "production",
    });
    let stopped: Promise<void> | undefined;
    const stop = () => stopped ??= serving.stop();
    try {
      const chapters = [
        tokens(setting),
        providedTokens(setting),
        securityHeaders,
        cors,
        proxy(behind),
        background(behind),
        accounts,
      ];
      const outcomes = await outcomesOf(chapters, {
        name,
        gaps: {},
        ...serving,
        noticesResets: name === "workerd",
      });
      for (const { title, cases } of chapters) {
        for (const one of cases) {
          await t.step(`${title}: ${one.name}`, () => {
            const { error } = outcomes.get(one)!;
            if (error !== null) throw error;
          });
        }
      }
      // the program does not own workerd's server: the signal does not reach the Worker
      if (name !== "workerd") {
        await t.step("background work: closing waits for it, also for another attempt", async () => {
          const id = await order(serving.ask, { flag: "closing", statuses: [503, 200], isHeld: true });
          await behind.wait("told closing 1");
          const ended = stop();
          const { port } = new URL(serving.origin);
          await until(() => refuses(Number(port)), "the server no longer listens");
          behind.happens("release closing");
          await behind.wait("responded closing 2");
          assertEquals(behind.keys("closing"), [id, id]);
          await ended;
        });
      }
    } finally {
      await stop();
      await behind.app.close({ timeoutMs: 0 });
    }
  });
}
