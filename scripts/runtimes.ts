/** Runtimes from npm, installed once into `.cache/runtimes/`. */
import { run } from "./process.ts";

const FOLDER = new URL("../.cache/runtimes/", import.meta.url);

const PACKAGES = { "bun": "1.4.5", "miniflare": "4.20260426.0", "edge-runtime": "4.0.1" };

/**
 * Installs the runtimes, unless they are there.
 *
 * @returns The folder they are in, or why there are none
 */
export async function installRuntimes(): Promise<{ folder: string } | string> {
  const manifest = JSON.stringify({ private: true, type: "module", dependencies: PACKAGES }, null, 2);
  const installed = new URL("installed.json", FOLDER);
  const bun = new URL("node_modules/.bin/bun", FOLDER).pathname;
  if (await Deno.readTextFile(installed).catch(() => "") !== manifest) {
    await Deno.mkdir(FOLDER, { recursive: true });
    await Deno.writeTextFile(new URL("package.json", FOLDER), manifest);
    const { code, output } = await run("npm", ["install", "--no-audit", "--no-fund", "--no-package-lock"], {
      limitMs: 300_000,
      quiet: true,
      cwd: FOLDER.pathname,
    });
    if (code !== 0) return `npm install failed: ${output.trim().split("\n").at(-1)}`;
    const { code: starts } = await run(bun, ["--version"], { limitMs: 10_000, quiet: true });
    if (starts !== 0) return "Bun was installed and does not start";
    await Deno.writeTextFile(installed, manifest);
  }
  return { folder: FOLDER.pathname };
}
