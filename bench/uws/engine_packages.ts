import { fileURLToPath } from "node:url";
import { run } from "../../scripts/process.ts";

const FOLDER = new URL("../../.cache/bench/uws/", import.meta.url);

/** ultimate-express with the engine that the tests use: its own newer engine is in no registry. */
const MANIFEST = {
  private: true,
  dependencies: {
    "uWebSockets.js": "npm:@trufflesuite/uws-js-unofficial@20.30.0-unofficial.0",
    "ultimate-express": "2.2.1",
    "ws": "8.21.0",
  },
  overrides: { "uWebSockets.js": "$uWebSockets.js" },
};

/**
 * Installs the contestants, if needed.
 *
 * @returns A file from which programs can require them
 * @throws {Error} If installing fails
 */
export async function enginePackages(): Promise<string> {
  const file = new URL("package.json", FOLDER);
  const text = JSON.stringify(MANIFEST, null, 2);
  const done = new URL("installed.json", FOLDER);
  if (await Deno.readTextFile(done).catch(() => "") !== text) {
    await Deno.mkdir(FOLDER, { recursive: true });
    await Deno.writeTextFile(file, text);
    const { code, output } = await run("npm", ["install", "--prefer-offline", "--no-audit", "--no-fund"], {
      limitMs: 600_000,
      quiet: true,
      cwd: fileURLToPath(FOLDER),
    });
    if (code !== 0) throw new Error(`npm install failed: ${output}`);
    await Deno.writeTextFile(done, text);
  }
  return fileURLToPath(file);
}
