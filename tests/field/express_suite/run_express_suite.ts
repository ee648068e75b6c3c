/** Runs one of Express's own suites on a runtime, with Express and with `@sluice/express` as npm installs it. */
import { cp } from "node:fs/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { RuntimeName } from "../../../reliability/support/children.ts";
import { alone } from "../../../scripts/alone.ts";
import { run, TOO_LATE } from "../../../scripts/process.ts";
import { installRuntimes } from "../../../scripts/runtimes.ts";
import type { Built } from "../../../scripts/build_npm.ts";
import { npmPackages } from "../../../scripts/shared_builds.ts";
import { checkOut } from "../support/checkout.ts";
import { FIELD } from "../support/folder.ts";
import { byTitle } from "../support/run_suite.ts";
import type { Results, Written } from "../support/suite.ts";
import { compare, type Judged } from "./compare.ts";
import { type Major, SUITES } from "./suite.ts";

const LIMIT_MS = 300_000;
const REPORTER = fileURLToPath(new URL("../support/mocha_reporter.cjs", import.meta.url));

/** Replaces `lib/express.js`, which `index.js`, all tests and all examples load. */
const SLUICE = `module.exports = require("@sluice/express");\n`;

/** The tested library: Express's `lib/express.js`, or Sluice instead. */
type Library = "express" | "sluice";

/** The suite in its own folder, so several processes can run it at once. `await using` removes it. */
export class ExpressSuite implements AsyncDisposable {
  readonly #folder: string;
  readonly #major: Major;

  private constructor(folder: string, major: Major) {
    this.#folder = folder;
    this.#major = major;
  }

  /**
   * Checks out the suite and installs Sluice next to it.
   *
   * @param major Express's major
   * @throws {Error} If git or npm fails
   */
  static async prepare(major: Major): Promise<ExpressSuite> {
    const checkout = await alone(new URL("express.lock", FIELD), () => checkOut(SUITES[major]));
    const { libraries: [sluice], express } = await npmPackages();
    const alias = express.find(({ version }) => version.startsWith(`${major}.`))!;
    const suite = new ExpressSuite(await Deno.makeTempDir({ dir: fileURLToPath(FIELD) }), major);
    try {
      await suite.#install(sluice!, alias);
      for (const library of ["express", "sluice"] as const) await suite.#copy(checkout, library);
      await Deno.writeTextFile(`${suite.#folder}/sluice/lib/express.js`, SLUICE);
    } catch (error) {
      await suite[Symbol.asyncDispose]();
      throw error;
    }
    return suite;
  }

  /**
   * Runs the suite with both libraries, and compares Sluice's failures with `failing.ts`.
   *
   * @param runtime The runtime
   * @throws {Error} If the suite does not finish
   */
  async on(runtime: RuntimeName): Promise<Judged> {
    const command = await commandOf(runtime);
    const theirs = await this.#run(command, "express");
    let judged = await this.#judge(runtime, command, theirs.results);
    // some tests measure time, and the machine may be busy
    if (judged.unexpected.length > 0) judged = await this.#judge(runtime, command, theirs.results);
    return judged;
  }

  async #judge(runtime: RuntimeName, command: readonly string[], theirs: Results): Promise<Judged> {
    const ours = await this.#run(command, "sluice");
    const version = await versionOf(command[0]!);
    return { version, ...compare(this.#major, runtime, theirs, ours.results, ours.output) };
  }

  async #install(...packages: readonly Built[]): Promise<void> {
    const files = packages.map(({ name, tarball }) => [name, `file:${fileURLToPath(tarball)}`]);
    const dependencies = Object.fromEntries(files);
    await Deno.writeTextFile(`${this.#folder}/package.json`, JSON.stringify({ private: true, dependencies }));
    const args = ["install", "--no-audit", "--no-fund", "--no-package-lock", "--prefer-offline"];
    const { code, output } = await run("npm", args, { limitMs: LIMIT_MS, quiet: true, cwd: this.#folder });
    if (code !== 0) throw new Error(`npm cannot install Sluice: ${output}`);
  }

  async #copy(checkout: string, library: Library): Promise<void> {
    const to = `${this.#folder}/${library}/`;
    await Deno.mkdir(to);
    for (const name of ["examples", "lib", "test", "index.js", "package.json"]) {
      await cp(checkout + name, to + name, { recursive: true });
    }
    await Deno.symlink(`${checkout}node_modules`, `${to}node_modules`);
  }

  async #run(
    [program, ...args]: readonly string[],
    library: Library,
  ): Promise<{ results: Results; output: string }> {
    const file = await Deno.makeTempFile({ dir: this.#folder });
    const cwd = `${this.#folder}/${library}`;
    const bin = JSON.parse(await Deno.readTextFile(`${cwd}/node_modules/mocha/package.json`)).bin.mocha;
    const mocha = [`node_modules/mocha/${bin}`, "--exit", "--reporter", REPORTER, ...SUITES[this.#major].tests];
    const { code, output } = await run(program!, [...args, ...mocha], {
      limitMs: LIMIT_MS,
      quiet: true,
      cwd,
      env: { FIELD_RESULTS: file, NO_COLOR: "1" },
    });
    if (code === TOO_LATE) throw new Error(`${library} on ${program} took more than ${LIMIT_MS / 60_000} minutes`);
    const text = await Deno.readTextFile(file);
    if (text === "") throw new Error(`${library} on ${program} wrote no results:\n${output.slice(-4000)}`);
    const results = byTitle(JSON.parse(text) as Written[]);
    if (results.size === 0) throw new Error(`${library} on ${program} ran no test:\n${output.slice(-4000)}`);
    return { results, output };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(pathToFileURL(this.#folder), { recursive: true });
  }
}

async function commandOf(runtime: RuntimeName): Promise<readonly string[]> {
  if (runtime === "Node") return ["node"];
  if (runtime === "Deno") return [Deno.execPath(), "run", "-A", "--node-modules-dir=manual"];
  const runtimes = await installRuntimes();
  if (typeof runtimes === "string") throw new Error(`Bun is missing: ${runtimes}`);
  // Mocha's shebang line requires Node
  return [`${runtimes.folder}node_modules/.bin/bun`, "--bun"];
}

async function versionOf(program: string): Promise<string> {
  const { output } = await run(program, ["--version"], { limitMs: 20_000, quiet: true });
  return /\d+\.\d+\.\d+/.exec(output)![0];
}
