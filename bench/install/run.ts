/**
 * `deno task bench:install`: the time from an empty folder and empty caches to the first response from an application
 * with a limit, and the disk space it needs. Sluice's packages come from a registry on this machine, all other packages
 * from the real registry. Under two minutes.
 *
 * `--only=node,bun,deno-npm,deno-jsr,node-express --rounds=3`; `--write` puts the results into
 * `docs/measurements/details.md`.
 */
import { rm } from "node:fs/promises";
import { flags } from "../../scripts/flags.ts";
import { run } from "../../scripts/process.ts";
import { installRuntimes } from "../../scripts/runtimes.ts";
import { startRegistry } from "../../tests/npm/support/registry.ts";
import { writeSections } from "../support/page.ts";
import { median, table } from "../support/table.ts";

/** A way to install. */
interface Way {
  /** Its name in the table. */
  readonly title: string;
  /** The commands, each a program and its arguments; the last runs `main.mjs`. */
  readonly commands: readonly (readonly string[])[];
  /** The program's imports. */
  readonly imports: string;
}

const NPM = ["npm", "install", "--no-audit", "--no-fund"];
const OURS = `import sluice, { rateLimit } from "@sluice/sluice";`;
const THEIRS = `import sluice from "express"; import { rateLimit } from "express-rate-limit";`;

const runtimes = await installRuntimes();
if (typeof runtimes === "string") throw new Error(runtimes);
const bun = `${runtimes.folder}node_modules/.bin/bun`;
const deno = [Deno.execPath(), "run", "-A", "--quiet", "--no-check", "main.mjs"];

const WAYS: Readonly<Record<string, Way>> = {
  "node": { title: "Node, npm", imports: OURS, commands: [[...NPM, "@sluice/sluice"], ["node", "main.mjs"]] },
  "bun": { title: "Bun, bun add", imports: OURS, commands: [[bun, "add", "@sluice/sluice"], [bun, "main.mjs"]] },
  "deno-npm": { title: "Deno, npm:", imports: OURS.replace("@sluice", "npm:@sluice"), commands: [deno] },
  "deno-jsr": { title: "Deno, jsr:", imports: OURS.replace("@sluice", "jsr:@sluice"), commands: [deno] },
  "node-express": {
    title: "for comparison: Express and express-rate-limit, Node, npm",
    imports: THEIRS,
    commands: [[...NPM, "express@5", "express-rate-limit@8"], ["node", "main.mjs"]],
  },
};

const { only, rounds, write } = flags({ only: Object.keys(WAYS), rounds: 3, write: false });
const registry = await startRegistry();

/** An application with a limit, which sends itself a request and exits. */
const program = (imports: string) =>
  `${imports}
const app = sluice();
app.use(rateLimit({ windowMs: 60_000, limit: 10 }));
app.get("/", (req, res) => res.json({ running: true }));
const server = app.listen(0, async () => {
  const response = await fetch(\`http://127.0.0.1:\${server.address().port}/\`);
  console.log(response.status, await response.text());
  (globalThis.Deno ?? process).exit();
});
`;

async function once({ commands, imports }: Way): Promise<{ seconds: number; bytes: number }> {
  const folder = `${await Deno.makeTempDir()}/`;
  try {
    await Deno.writeTextFile(`${folder}main.mjs`, program(imports));
    const caches = {
      npm_config_cache: `${folder}.npm`,
      BUN_INSTALL_CACHE_DIR: `${folder}.bun`,
      DENO_DIR: `${folder}.deno`,
    };
    const env = { ...registry.env, ...caches, NO_COLOR: "1" };
    const begin = performance.now();
    let printed = "";
    for (const [name, ...args] of commands) {
      const { code, output } = await run(name!, args, { limitMs: 120_000, quiet: true, cwd: folder, env });
      if (code !== 0) throw new Error(output);
      printed = output;
    }
    const seconds = (performance.now() - begin) / 1000;
    if (printed.trim() !== '200 {"running":true}') throw new Error(`unexpected answer: ${printed}`);
    return { seconds, bytes: await sizeOf(folder, [".npm", ".bun"]) };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Total bytes of the files below a folder; caches with copies of these files do not count. */
async function sizeOf(folder: string, without: readonly string[]): Promise<number> {
  let bytes = 0;
  for await (const { name, isDirectory, isFile } of Deno.readDir(folder)) {
    if (without.includes(name)) continue;
    if (isDirectory) bytes += await sizeOf(`${folder}${name}/`, without);
    else if (isFile) bytes += (await Deno.stat(`${folder}${name}`)).size;
  }
  return bytes;
}

try {
  const seen = new Map(only.map((name) => [name, [] as { seconds: number; bytes: number }[]]));
  for (let round = 0; round < rounds; round++) {
    for (const [name, results] of seen) results.push(await once(WAYS[name]!));
  }
  const rows = [...seen].map(([name, results]) => [
    WAYS[name]!.title,
    median(results.map(({ seconds }) => seconds)).toFixed(1),
    (median(results.map(({ bytes }) => bytes)) / 1e6).toFixed(1),
  ]);
  const text =
    `From an empty folder and empty caches to the answer of an application with a limit, median of ${rounds}, and \
what is on disk then. Packages of ours came from this machine, so their download takes no time; they have \
${await packedSizes()} as tarballs.

${table(["way", "seconds", "MB"], rows)}`;
  console.log(text);
  if (write) await writeSections(new Map([["install", text]]), "measurements/details.md");
} finally {
  await registry.stop();
}

async function packedSizes(): Promise<string> {
  const sizes = await Promise.all(registry.packages.map(async ({ name, tarball }) => {
    return `${((await Deno.stat(tarball)).size / 1e6).toFixed(1)} MB (\`${name}\`)`;
  }));
  return sizes.join(" and ");
}
