/** Programs that use npm packages: each gets the same requests on Express and on Sluice. */
import { fileURLToPath } from "node:url";
import { linesOf } from "../../../scripts/lines.ts";
import { run } from "../../../scripts/process.ts";
import { askAll, type Exchanged } from "../../ecosystem/support/ask_all.ts";
import { compare } from "../../ecosystem/support/compare.ts";
import type { Difference, Program as Asked } from "../../ecosystem/support/program.ts";
import { FIELD } from "./folder.ts";
import type { Framework } from "./frameworks.ts";
import { replaceExpress } from "./replace_express.ts";

/** Requests to a program. */
export interface Program extends Pick<Asked, "title" | "requests" | "masks"> {
  /** Its packages and their versions; the first is under test. */
  readonly packages: Readonly<Record<string, string>>;
}

/** A program's results. */
export interface Compared {
  /** Number of compared responses. */
  readonly asked: number;
  /** Known differences. */
  readonly known: readonly Difference[];
  /** Unexpected differences, one line each. */
  readonly unexpected: readonly string[];
}

/** The programs; the requests to each are in the file with that name in `requests/`. */
const SOURCES = new URL("../programs/", import.meta.url);
const FOLDER = new URL("programs/", FIELD);
const LIMIT_MS = 180_000;

/** Entity tags, which the frameworks compute differently. */
const TAGS = /^(?:W\/)?"[\w+/=-]+"$/;
/** Stacks on error pages, with file names. */
const STACKS = /<pre>[^]*<\/pre>/g;
const ADDRESSES = /127\.0\.0\.1:\d+/g;

/** The programs, by name. */
export async function programs(): Promise<ReadonlyMap<string, Program>> {
  const names = Array.from(Deno.readDirSync(SOURCES), ({ name }) => name.replace(/\.mjs$/, "")).sort();
  const loaded = names.map(async (name) => [name, await import(`../requests/${name}.js`)] as const);
  return new Map(await Promise.all(loaded));
}

/**
 * Installs all programs' packages if they are missing.
 *
 * @param all The programs
 * @throws {Error} If npm fails
 */
export async function installPrograms(all: ReadonlyMap<string, Program>): Promise<void> {
  await Deno.mkdir(FOLDER, { recursive: true });
  const beside = new URL("program_runner.mjs", import.meta.url);
  await Deno.copyFile(beside, new URL("runner.mjs", FOLDER));
  for (const name of all.keys()) await Deno.copyFile(new URL(`${name}.mjs`, SOURCES), new URL(`${name}.mjs`, FOLDER));
  const dependencies = Object.assign({ express: "5.2.1" }, ...Array.from(all.values(), ({ packages }) => packages));
  const manifest = JSON.stringify({ private: true, dependencies }, null, 2);
  const done = new URL("installed.json", FOLDER);
  if (await Deno.readTextFile(done).catch(() => "") === manifest) return;
  const folder = fileURLToPath(FOLDER);
  await Deno.remove(`${folder}node_modules`, { recursive: true }).catch(() => undefined);
  await Deno.writeTextFile(`${folder}package.json`, manifest);
  const args = ["install", "--no-audit", "--no-fund", "--no-package-lock", "--legacy-peer-deps", "--prefer-offline"];
  const { code, output } = await run("npm", args, { limitMs: 900_000, quiet: true, cwd: folder });
  if (code !== 0) throw new Error(`The packages of the programs cannot be installed: ${output}`);
  await Deno.writeTextFile(done, manifest);
}

/**
 * Runs a program on Express and on Sluice.
 *
 * @param name Its name
 * @param program Its requests
 * @returns The differences
 * @throws {Error} If it does not run
 */
export async function runProgram(name: string, program: Program): Promise<Compared> {
  const theirs = await answers(name, program, "its own");
  const ours = await answers(name, program, "sluice");
  const masks = [...program.masks ?? [], TAGS, STACKS, ADDRESSES];
  const known = program.requests.flatMap((one) => typeof one === "object" && one.differs ? [one.differs] : []);
  const unexpected = ours.exchanged.flatMap((mine, index) => {
    const { method = "GET", path, differs } = mine.ask;
    const found = compare(mine, theirs.exchanged[index]!, { masks }, "Node");
    const gone = differs?.parts.filter((part) => !found.some((one) => one.part === part)) ?? [];
    return [
      ...found.filter(({ part }) => !differs?.parts.includes(part))
        .map(({ part, sluice, express }) => `${method} ${path}: ${part} ${shown(sluice)}, not ${shown(express)}`),
      ...gone.map((part) => `${method} ${path}: ${part} is the same now`),
    ];
  });
  for (const [index, mine] of ours.seen.entries()) {
    const [one, other] = [mine, theirs.seen[index]].map((value) => JSON.stringify(value));
    if (one !== other) unexpected.push(`its client saw ${one}, not ${other}`);
  }
  return { asked: ours.exchanged.length + ours.seen.length, known, unexpected };
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? "nothing").slice(0, 300);
}

async function answers(
  name: string,
  program: Program,
  framework: Framework | "its own",
): Promise<{ exchanged: readonly Exchanged[]; seen: readonly unknown[] }> {
  await replaceExpress(fileURLToPath(FOLDER), framework);
  await using running = new Running(name, framework);
  const { port } = await running.answer<{ port: number }>();
  const exchanged = await askAll(port, program.requests);
  await running.finish();
  const { seen } = await running.answer<{ seen: readonly unknown[] }>();
  return { exchanged, seen };
}

/** A program's process, see `program_runner.mjs`. */
class Running {
  readonly #name: string;
  readonly #child: Deno.ChildProcess;
  readonly #lines: AsyncGenerator<string>;
  readonly #errors: Promise<string>;
  readonly #timer: ReturnType<typeof setTimeout>;

  constructor(name: string, framework: string) {
    this.#name = `${name} on ${framework}`;
    this.#child = new Deno.Command("node", {
      args: ["runner.mjs", `./${name}.mjs`],
      cwd: FOLDER,
      env: { NODE_ENV: "production", NEXT_TELEMETRY_DISABLED: "1" },
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    this.#lines = linesOf(this.#child.stdout);
    this.#errors = new Response(this.#child.stderr).text();
    this.#timer = setTimeout(() => this.#child.kill("SIGKILL"), LIMIT_MS);
  }

  /** The next line with a result; packages print other lines. */
  async answer<T>(): Promise<T> {
    for (;;) {
      const { done, value } = await this.#lines.next();
      if (done) throw new Error(`${this.#name} ended:\n${(await this.#errors).slice(-4000)}`);
      if (value.startsWith("answer ")) return JSON.parse(value.slice("answer ".length));
    }
  }

  /** Reports that all requests were made. */
  async finish(): Promise<void> {
    await this.#child.stdin.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#child.stdin.close().catch(() => undefined);
    for await (const _ of this.#lines);
    await this.#child.status;
    clearTimeout(this.#timer);
  }
}
