/** Repositories at their pinned commits, with the npm packages their tests need. */
import { fileURLToPath } from "node:url";
import { run } from "../../../scripts/process.ts";
import { tool } from "../../npm/support/tools.ts";
import { FIELD } from "./folder.ts";
import type { Suite } from "./suite.ts";

/** Suites without a lock file get the registry's packages as of this date. */
const BEFORE = "2026-11-01";

/**
 * Checks out a suite's repository, and installs its packages. An existing checkout is reused.
 *
 * @param suite The suite
 * @returns Path of its folder, with a trailing slash
 * @throws {Error} If the repository or commit does not exist, or npm cannot install
 */
export async function checkOut(suite: Suite): Promise<string> {
  const folder = folderOf(suite);
  if (await isCheckedOut(suite)) return folder;
  await Deno.remove(folder, { recursive: true }).catch(() => undefined);
  await Deno.mkdir(folder, { recursive: true });
  await git(folder, "init", "--quiet");
  await git(folder, "fetch", "--quiet", "--depth=1", await sourceOf(suite), suite.commit);
  if (suite.without !== undefined) await git(folder, "sparse-checkout", "set", "--no-cone", "/*", ...suite.without);
  await git(folder, "checkout", "--quiet", "FETCH_HEAD");
  await install(folder, suite);
  for (const [path, to] of Object.entries(suite.links ?? {})) await Deno.symlink(to, folder + path);
  await Deno.writeTextFile(folder + DONE, wantedOf(suite));
  return folder;
}

/**
 * Whether a suite can be checked out without GitHub.
 *
 * @param suite The suite
 */
export async function isAtHand(suite: Suite): Promise<boolean> {
  if (await isCheckedOut(suite)) return true;
  return Deno.env.has("FIELD_REPOS") && await sourceOf(suite).then(() => true, () => false);
}

/** Records the checkout once its packages are installed. */
const DONE = ".git/field.json";

async function isCheckedOut(suite: Suite): Promise<boolean> {
  return await Deno.readTextFile(folderOf(suite) + DONE).catch(() => "") === wantedOf(suite);
}

function folderOf({ repository, checkout }: Suite): string {
  const name = repository.replace("/", "+") + (checkout === undefined ? "" : `+${checkout}`);
  return fileURLToPath(new URL(`suites/${name}/`, FIELD));
}

function wantedOf({ commit, packages, links, without, ignoresLock }: Suite): string {
  return JSON.stringify([commit, packages, links, without, ...ignoresLock ? ["no lock"] : []]);
}

async function sourceOf({ repository, commit }: Suite): Promise<string> {
  const given = Deno.env.get("FIELD_REPOS");
  if (given === undefined) return `https://github.com/${repository}`;
  const [owner, name] = repository.split("/");
  for (const path of [`${given}/${owner}+${name}`, `${given}/${name}`]) {
    for (const inside of ["", "/repo"]) {
      const { code } = await run("git", ["-C", path + inside, "cat-file", "-e", commit], {
        limitMs: 20_000,
        quiet: true,
      });
      if (code === 0) return path + inside;
    }
  }
  throw new Error(`${given}, which FIELD_REPOS names, has no ${owner}+${name} or ${name} with the commit ${commit}`);
}

async function git(folder: string, ...args: string[]): Promise<void> {
  const { code, output } = await run("git", ["-C", folder, ...args], { limitMs: 600_000, quiet: true });
  if (code !== 0) throw new Error(`git ${args.join(" ")}: ${output}`);
}

async function install(folder: string, suite: Suite): Promise<void> {
  if (suite.installer === "pnpm") return await pnpm(folder);
  // hooks build, or set up tools only authors need
  const common = ["--no-audit", "--no-fund", "--prefer-offline", "--ignore-scripts", "--legacy-peer-deps"];
  const rest = ["--no-package-lock", `--before=${BEFORE}`];
  const isLocked = suite.ignoresLock !== true &&
    await Deno.stat(`${folder}package-lock.json`).then(() => true, () => false);
  if (!isLocked) {
    await changeManifest(`${folder}package.json`, suite.packages);
    return await npm(folder, ["install", ...common, ...rest]);
  }
  await npm(folder, ["ci", ...common]);
  const added = Object.entries(suite.packages ?? {}).map(([name, version]) => `${name}@${version}`);
  if (added.length > 0) await npm(folder, ["install", "--no-save", ...common, ...rest, ...added]);
}

/** Source analysis tools, which make up most of many installations; the tests do not need them. */
const TOOLS =
  /eslint|^jsdoc|nyc|standard|prettier|husky|typedoc|semantic-release|lint-staged|^gulp|istanbul|^xo$|^oxfmt$|cspell|mintlify|@express-rate-limit\/tsconfig/;

async function changeManifest(path: string, packages: Readonly<Record<string, string>> | undefined): Promise<void> {
  const manifest = JSON.parse(await Deno.readTextFile(path));
  const wanted = Object.entries(manifest.devDependencies ?? {}).filter(([name]) => !TOOLS.test(name));
  manifest.devDependencies = { ...Object.fromEntries(wanted), ...packages };
  await Deno.writeTextFile(path, JSON.stringify(manifest, null, 2));
}

/** Installs from the lock file, but into one folder, where each `express` can be replaced. */
async function pnpm(folder: string): Promise<void> {
  const settings = ["node-linker=hoisted", "manage-package-manager-versions=false", "confirm-modules-purge=false"];
  const flags = ["--frozen-lockfile", "--ignore-scripts", ...settings.map((one) => `--config.${one}`)];
  await finish(await tool("pnpm"), ["install", ...flags], folder);
}

const npm = (folder: string, args: string[]) => finish("npm", args, folder);

async function finish(program: string, args: string[], cwd: string): Promise<void> {
  const { code, output } = await run(program, args, { limitMs: 900_000, quiet: true, cwd, env: { CI: "true" } });
  if (code !== 0) throw new Error(`${program} ${args.join(" ")}, in ${cwd}: ${output.slice(-4000)}`);
}
