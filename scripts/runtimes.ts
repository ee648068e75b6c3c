/** Runtimes and their tools from npm, installed once into `.cache/runtimes/`. */
import { fileURLToPath } from "node:url";
import { run } from "./process.ts";

const FOLDER = new URL("../.cache/runtimes/", import.meta.url);

const PACKAGES = {
  // uWebSockets.js with binaries, for Node 20; its own binaries are in no registry
  "@trufflesuite/uws-js-unofficial": "20.30.0-unofficial.0",
  // runs functions as `vercel dev` does
  "@vercel/node": "24.0.0",
  "bun": "1.4.5",
  "edge-runtime": "4.0.1",
  "esbuild": "0.27.3",
  "miniflare": "4.20260730.0",
  // newer than miniflare's own, which does not cancel a stream when the client disconnects (workerd issue 6832), keeps
  // an object awake whose connections were opened at the same time (6862) and does not report how much a connection has
  // buffered
  "workerd": "1.20261117.1",
  // newer versions require Node 22
  "wrangler": "4.86.0",
};
const OVERRIDES = { "workerd": "$workerd" };

/** Path to a different Bun: nightly test runs use the newest version. */
const OTHER_BUN = Deno.env.get("SLUICE_BUN");

/** AWS's own client for the Lambda runtime. Its install script builds a native HTTP client, which the tests replace. */
const UNBUILT = { "aws-lambda-ric": "3.3.0" };

/**
 * Installs the runtimes, unless they are installed.
 *
 * @returns Their folder, or why they are missing
 */
export async function installRuntimes(): Promise<{ folder: string } | string> {
  const manifest = JSON.stringify(
    { private: true, type: "module", dependencies: PACKAGES, overrides: OVERRIDES },
    null,
    2,
  );
  const wanted = manifest + JSON.stringify([UNBUILT, OTHER_BUN]);
  const installed = new URL("installed.json", FOLDER);
  const bun = fileURLToPath(new URL("node_modules/.bin/bun", FOLDER));
  if (await Deno.readTextFile(installed).catch(() => "") !== wanted) {
    await Deno.mkdir(FOLDER, { recursive: true });
    await Deno.writeTextFile(new URL("package.json", FOLDER), manifest);
    const unbuilt = Object.entries(UNBUILT).map(([name, version]) => `${name}@${version}`);
    const failed = await install() ?? await install("--no-save", "--ignore-scripts", ...unbuilt);
    if (failed !== undefined) return failed;
    if (OTHER_BUN !== undefined) {
      await Deno.remove(bun);
      await Deno.symlink(OTHER_BUN, bun);
    }
    const { code: starts } = await run(bun, ["--version"], { limitMs: 10_000, quiet: true });
    if (starts !== 0) return "Bun was installed but does not start";
    await Deno.writeTextFile(installed, wanted);
  }
  return { folder: fileURLToPath(FOLDER) };
}

async function install(...args: string[]): Promise<string | undefined> {
  const flags = ["--prefer-offline", "--no-audit", "--no-fund", "--no-package-lock"];
  const { code, output } = await run("npm", ["install", ...flags, ...args], {
    limitMs: 300_000,
    quiet: true,
    cwd: fileURLToPath(FOLDER),
  });
  if (code === 0) return undefined;
  // the last line only points to a log
  return `npm install failed: ${output.split("\n").filter((line) => line.startsWith("npm error")).join("\n")}`;
}
