/**
 * `deno task release --tag=v1.2.3` publishes that version of all packages on npm and on JSR. `--tag=express-v5.2.1`
 * publishes that version of `@sluice/express`, which is only on npm and has its own versions.
 *
 * It stops at the first package that fails to publish. When run again, it skips what a registry already has.
 * `--dry-run` does everything but publish. In the workflow, both registries authenticate it by the identity that GitHub
 * vouches for. They record the commit and the run that built the packages (RELEASING.md).
 */
import { fileURLToPath } from "node:url";
import { buildPackages } from "./build.ts";
import { buildExpress, buildNpm, buildProgram, type Built } from "./build_npm.ts";
import { expressMajors } from "./express_package.ts";
import { flags } from "./flags.ts";
import { REPOSITORY } from "./npm_manifest.ts";
import { FOLDERS } from "./packages.ts";
import { run } from "./process.ts";

const ROOT = new URL("../", import.meta.url);
const FOLDER = new URL(".cache/release/", ROOT);

/** One package to publish on one registry. */
interface Step {
  /** The package and its version. */
  readonly name: string;
  /** The registry. */
  readonly registry: "npm" | "JSR";
  /** URL that returns 200 if the registry has this version, and 404 if not. */
  readonly address: string;
  /** The program that publishes. */
  readonly program: string;
  /** Its arguments. */
  readonly args: readonly string[];
  /** Its working directory. */
  readonly cwd: URL;
  /** Variables added to its environment. */
  readonly env: Record<string, string>;
}

const { tag, repository, changelog, npm, jsr, "dry-run": isDry } = flags({
  tag: "",
  repository: REPOSITORY,
  changelog: "CHANGELOG.md",
  npm: "https://registry.npmjs.org",
  jsr: "https://jsr.io",
  "dry-run": false,
});
const expressVersion = tag.match(/^express-v(.*)$/)?.[1];
const steps = expressVersion === undefined
  ? await stepsForAll(await versionOf(tag))
  : await stepsForExpress(expressVersion);
for (const step of steps) await take(step);

/**
 * Returns the version in a tag. All packages must have this version, and the changelog must have a section for it.
 *
 * @throws {Error} If a package has a different version, or the changelog has no section
 */
async function versionOf(tag: string): Promise<string> {
  const [, named] = tag.match(/^v(\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?)$/) ?? [];
  if (named === undefined) throw new Error(`--tag names the version, as in --tag=v1.2.3; it is "${tag}"`);
  for (const path of FOLDERS) {
    for (const file of ["deno.json", "jsr.json"]) {
      const { version } = await readJson(new URL(path + file, ROOT));
      if (version !== named) throw new Error(`The tag is ${tag}, and ${path}${file} says ${version}`);
    }
  }
  const changes = await Deno.readTextFile(new URL(changelog, ROOT));
  if (!changes.includes(`## [${named}] - `)) {
    throw new Error(`The tag is ${tag}, and ${changelog} has no section "## [${named}] - " with its date`);
  }
  return named;
}

async function stepsForAll(version: string): Promise<Step[]> {
  const to = new URL("npm/", FOLDER);
  const built = [...await buildNpm(to, repository), await buildProgram(to, repository)];
  // npm requires a tag where "latest" would be wrong
  const args = version.includes("-") ? ["--tag=next"] : [];
  return [...built.map((one) => npmStep(one, args)), ...await stepsForJsr(version)];
}

/**
 * Steps to publish one version of `@sluice/express`.
 *
 * @throws {Error} If no major has that version
 */
async function stepsForExpress(version: string): Promise<Step[]> {
  const majors = await expressMajors();
  if (!majors.some((one) => one.version === version)) {
    const versions = majors.map((one) => one.version).join(" and ");
    throw new Error(`The tag is ${tag}, and express/versions.json says ${versions}`);
  }
  const built = (await buildExpress(new URL("npm/", FOLDER), repository)).find((one) => one.version === version)!;
  // `npm install @sluice/express` installs the newest major, not the latest one published
  return [npmStep(built, version === majors.at(-1)!.version ? [] : [`--tag=latest-${version.split(".")[0]}`])];
}

function npmStep({ name, version, folder, tarball }: Built, args: readonly string[]): Step {
  return {
    name: `${name}@${version}`,
    registry: "npm",
    address: `${npm}/${name}/${version}`,
    program: "npm",
    args: [
      "publish",
      fileURLToPath(tarball),
      `--registry=${npm}`,
      ...args,
      ...(isDry ? ["--dry-run"] : ["--provenance"]),
    ],
    cwd: folder,
    env: {},
  };
}

async function stepsForJsr(version: string): Promise<Step[]> {
  const built = new URL("jsr/", FOLDER);
  await buildPackages(built);
  return await Promise.all(FOLDERS.map(async (path): Promise<Step> => {
    const { name } = await readJson(new URL(`${path}deno.json`, ROOT));
    return {
      name: `${name}@${version}`,
      registry: "JSR",
      address: `${jsr}/${name}/${version}_meta.json`,
      program: Deno.execPath(),
      // the published files are built, and not in the repository
      args: ["publish", "--allow-dirty", ...(isDry ? ["--dry-run"] : [])],
      cwd: new URL(path, built),
      env: { JSR_URL: `${jsr}/` },
    };
  }));
}

/**
 * Publishes a package, unless the registry has it.
 *
 * @throws {Error} If the registry's status is unclear, or publishing fails
 */
async function take({ name, registry, address, program, args, cwd, env }: Step): Promise<void> {
  if (await exists(address)) return console.log(`${registry} has ${name}`);
  const options = { limitMs: 600_000, quiet: true, cwd: fileURLToPath(cwd), env };
  const { code, output } = await run(program, [...args], options);
  if (code !== 0) throw new Error(`${name} was not published on ${registry}: ${output}`);
  console.log(`${registry} ${isDry ? "would get" : "got"} ${name}`);
}

async function exists(address: string): Promise<boolean> {
  const response = await fetch(address);
  await response.body?.cancel();
  if (response.ok) return true;
  if (response.status !== 404) throw new Error(`${address} answered ${response.status}`);
  return false;
}

async function readJson(file: URL): Promise<Record<string, unknown>> {
  return JSON.parse(await Deno.readTextFile(file));
}
