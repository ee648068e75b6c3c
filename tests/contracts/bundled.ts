import { fileURLToPath } from "node:url";
import { run } from "../../scripts/process.ts";
import { packageFlags, workerdFlags } from "../support/node_program.ts";
import { putFile } from "../support/put_file.ts";

const ROOT = new URL("../../", import.meta.url);

const bundles = new Map<string, Promise<string>>();

/** Bundle target: `browser` if it must not need any Node API, `workerd` as in the npm package. */
export type BundledFor = "browser" | "deno" | "workerd";

/**
 * Bundles a program, once, for runtimes that support neither TypeScript nor import maps.
 *
 * @param path Its path relative to the root
 * @param platform The target
 * @returns Path of the bundle
 */
export function bundled(path: string, platform: BundledFor = "browser"): Promise<string> {
  const key = `${path} ${platform}`;
  const known = bundles.get(key) ?? bundle(path, platform);
  bundles.set(key, known);
  return known;
}

async function bundle(path: string, platform: BundledFor): Promise<string> {
  const folder = new URL(".cache/contracts/", ROOT);
  const name = `${path.replace(/[^a-z0-9]+/g, "_")}_${platform}`;
  const file = (extension: string) => fileURLToPath(new URL(`${name}.${extension}`, folder));
  await Deno.mkdir(folder, { recursive: true });
  const source = fileURLToPath(new URL(path, ROOT));
  const lock = `contracts_${name}`;
  const flags = platform === "workerd"
    ? await workerdFlags(lock)
    : [...await packageFlags(lock), "--platform", platform];
  await putFile(file("mjs"), async (to) => {
    const { code, output } = await run(Deno.execPath(), ["bundle", "--quiet", ...flags, "-o", to, source], {
      limitMs: 60_000,
      quiet: true,
      cwd: fileURLToPath(ROOT),
    });
    if (code !== 0) throw new Error(`${path} could not be bundled: ${output}`);
  });
  return file("mjs");
}
