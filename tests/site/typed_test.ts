/**
 * Code typed from the built site works as the site says. The tests read only the rendered pages. They write the files a
 * page names, run the commands in its tabs and send its requests, on Node, Deno and Bun. The built packages come from
 * the tests' own registry.
 */
import { assert, assertEquals } from "@std/assert";
import { builtSite } from "../../scripts/site/shared_site.ts";
import { builtPages } from "../../scripts/site/links.ts";
import { makeSite } from "../create/support/project.ts";
import { skipTools } from "../examples/deploy/packages.ts";
import { startRegistry } from "../npm/support/registry.ts";
import { nodeForTypeScript } from "../npm/support/tools.ts";
import { skipNode } from "../support/node_program.ts";
import { type BuiltBlock, builtBlocks, type BuiltTabs } from "./support/built_blocks.ts";
import { Typist } from "./support/typist.ts";

const ignore = skipNode || skipTools;

/** The tabs that a reader opens, by runtime; each group uses the first tab it has. */
const RUNTIMES: Readonly<Record<string, readonly string[]>> = { Node: ["Node", "npm"], Deno: ["Deno"], Bun: ["Bun"] };

/** Commands that need more than this machine provides; other tests cover them. */
const NOT_TYPED = /^docker /m;

const { dist } = await builtSite();
const pages = new Map((await builtPages(dist)).map(({ url, html }) => [url, builtBlocks(html)]));

/** A page's blocks. */
function page(url: string): (BuiltBlock | BuiltTabs)[] {
  const blocks = pages.get(url);
  assert(blocks !== undefined, `the site has no page ${url}`);
  return blocks.filter((block) => "tabs" in block || !NOT_TYPED.test(block.code));
}

/** Addresses of subpages that name a file, in name order. */
function below(url: string): string[] {
  const found = [...pages].filter(([one, blocks]) => one.startsWith(url) && one !== url && blocks.some(isFile));
  return found.map(([one]) => one).sort();
}

function isFile(block: BuiltBlock | BuiltTabs): boolean {
  return "path" in block;
}

let env: Readonly<Record<string, string>> = {};
let path = "";
if (!ignore) {
  const registry = await startRegistry();
  globalThis.addEventListener("unload", () => void registry.stop());
  ({ path, env } = await makeSite(registry));
  await Deno.symlink(await nodeForTypeScript(), `${path}bin/node`);
}

/** An unused port that no system assigns to programs that request any free port. */
function quietPort(): number {
  for (;;) {
    const port = 28_000 + Math.floor(Math.random() * 1000);
    try {
      Deno.listen({ hostname: "127.0.0.1", port }).close();
      return port;
    } catch (error) {
      if (!(error instanceof Deno.errors.AddrInUse)) throw error;
    }
  }
}

for (const [runtime, tabs] of Object.entries(RUNTIMES)) {
  const typist = async (name: string, start?: string) => {
    const folder = `${path}${name}-on-${runtime}/`;
    await Deno.mkdir(folder);
    return new Typist({ tabs, folder, env, port: quietPort(), ...start === undefined ? {} : { start } });
  };

  Deno.test(`on ${runtime}, the first page can be typed`, { ignore }, async () => {
    await using reader = await typist("first");
    await reader.type(page("/"));
    assertEquals(reader.typed, { files: 1, commands: 1, requests: 1, prints: 0 });
  });

  Deno.test(`on ${runtime}, the quick start can be typed`, { ignore }, async () => {
    await using reader = await typist("start");
    await reader.type(page("/start/quick-start"));
    const { commands, requests } = reader.typed;
    // Node has no command that serves an exported application
    assertEquals(
      { commands, requests },
      runtime === "Node" ? { commands: 3, requests: 1 } : { commands: 4, requests: 2 },
    );
  });

  Deno.test(`on ${runtime}, the tutorial can be typed, step by step`, { ignore }, async (t) => {
    await using reader = await typist("tutorial");
    await reader.type(page("/tutorial/"));
    const steps = below("/tutorial/");
    assertEquals(steps.length, 7);
    for (const url of steps) {
      await t.step(url, async () => {
        const before = { ...reader.typed };
        await reader.type(page(url));
        const { files, commands, requests } = reader.typed;
        assert(files > before.files && commands >= before.commands + 2 && requests > before.requests);
      });
    }
  });

  Deno.test(`on ${runtime}, the programs of the guides can be typed`, { ignore }, async (t) => {
    const [prepare, start] = page("/guide/");
    assert(prepare !== undefined && start !== undefined && "tabs" in start);
    await using reader = await typist("guide", start.tabs.get(runtime)?.code);
    await reader.type([prepare]);
    for (const url of below("/guide/")) await t.step(url, async () => await reader.type(page(url)));
    const { files, commands, requests, prints } = reader.typed;
    assert(files > 40 && commands > 40 && requests > 60 && prints > 5, JSON.stringify(reader.typed));
  });
}
