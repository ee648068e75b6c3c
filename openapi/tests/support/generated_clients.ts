/** Clients from generators, compiled and loaded. */
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import type { OpenApiDocument } from "@sluice/openapi";
import { alone } from "../../../scripts/alone.ts";
import { run } from "../../../scripts/process.ts";
import { lockedVersions } from "../../../scripts/locked_packages.ts";
import type { DraftRequest } from "./document_requests.ts";
import type { Generator } from "./generators.ts";

const FOLDER = new URL("../../../.cache/openapi_generators/", import.meta.url);

/** The generators; openapi-typescript and openapi-fetch are at the versions in the lock file. */
const PACKAGES = {
  // newer versions require Node 22
  "@hey-api/openapi-ts": "0.95.0",
  "@oazapfts/runtime": "1.2.0",
  "oazapfts": "7.5.0",
  "swagger-typescript-api": "13.13.0",
  // openapi-typescript does not accept 6
  "typescript": "5.9.3",
};

/** A generated client. */
export interface GeneratedClient {
  /** Functions that send the drafts through it, in their order; a client that writes no forms uses `toForm`. */
  calls(fetch: typeof globalThis.fetch, toForm: (body: object) => FormData): (() => Promise<unknown>)[];
  /** The operations that do not compile, and why. */
  readonly errors: ReadonlyMap<string, string>;
}

/** The packages' versions. */
export async function generatorVersions(): Promise<Readonly<Record<string, string>>> {
  const locked = await lockedVersions();
  const own = ["openapi-typescript", "openapi-fetch"].map((name) => [name, locked[name]!]);
  return { ...PACKAGES, ...Object.fromEntries(own) };
}

/**
 * Generates clients, and programs that send drafts through them.
 *
 * @param generators The generators
 * @param document The document
 * @param drafts The requests
 * @returns The clients by generator
 */
export async function generatedClients(
  generators: readonly Generator[],
  document: OpenApiDocument,
  drafts: readonly DraftRequest[],
): Promise<ReadonlyMap<Generator, GeneratedClient>> {
  await alone(new URL("lock", FOLDER), install);
  // the clients find their packages above them
  const folder = await Deno.makeTempDir({ dir: fileURLToPath(FOLDER) });
  try {
    await Deno.writeTextFile(`${folder}/document.json`, JSON.stringify(document));
    for (const generator of generators) {
      const own = `${folder}/${generator.name}`;
      await Deno.mkdir(own, { recursive: true });
      const [command, ...args] = generator.command(`${folder}/document.json`, own);
      await installed(command!, args, folder);
      await Deno.writeTextFile(`${own}/program.ts`, programOf(generator, drafts));
    }
    const config = {
      compilerOptions: {
        strict: true,
        target: "es2022",
        lib: ["es2022", "dom", "dom.iterable"],
        module: "nodenext",
        types: [],
        skipLibCheck: true,
        outDir: "js",
        rootDir: ".",
      },
      files: generators.map(({ name }) => `${name}/program.ts`),
    };
    await Deno.writeTextFile(`${folder}/tsconfig.json`, JSON.stringify(config));
    const { output } = await command("tsc", ["--pretty", "false"], folder);
    const errors = await errorsIn(folder, output);
    const require = createRequire(`${folder}/`);
    return new Map(generators.map((generator) => {
      const { calls } = require(`${folder}/js/${generator.name}/program.js`);
      return [generator, { calls, errors: errors.get(generator.name) ?? new Map() }];
    }));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** One call per line, so that an error names its operation. */
function programOf({ imports, connect, call }: Generator, drafts: readonly DraftRequest[]): string {
  const calls = drafts.map((draft) => `    () => ${call(draft)}, // ${draft.operation.operationId}`);
  return `${imports}
export function calls(
  fetch: typeof globalThis.fetch,
  toForm: (body: object) => FormData,
): (() => Promise<unknown>)[] {
  ${connect}
  return [
${calls.join("\n")}
  ];
}
`;
}

/** The operations with compiler errors, by generator. */
async function errorsIn(folder: string, output: string): Promise<Map<string, Map<string, string>>> {
  const all = new Map<string, Map<string, string>>();
  for (const line of output.split("\n")) {
    if (!/\berror TS/.test(line)) continue;
    const [, path, at, text] = /^(.+?)\((\d+),\d+\): error (.*)/.exec(line) ?? [];
    if (path === undefined) throw new Error(output);
    const lines = (await Deno.readTextFile(`${folder}/${path}`)).split("\n").slice(0, Number(at));
    // a call names its operation, and in a client its function does
    const operation = lines.findLast((one) => /\b(?:delete|get|patch|post|put)V1\w*/.test(one))
      ?.match(/.*\b((?:delete|get|patch|post|put)V1\w*)/)?.[1];
    const generator = path.slice(0, path.lastIndexOf("/"));
    const own = all.get(generator) ?? new Map<string, string>();
    all.set(generator, own.set(operation ?? path, text!));
  }
  return all;
}

async function install(): Promise<void> {
  const manifest = JSON.stringify({ private: true, dependencies: await generatorVersions() }, null, 2);
  const done = new URL("installed.json", FOLDER);
  if (await Deno.readTextFile(done).catch(() => "") === manifest) return;
  await Deno.writeTextFile(new URL("package.json", FOLDER), manifest);
  const args = ["install", "--prefer-offline", "--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts"];
  const { code, output } = await run("npm", args, { limitMs: 300_000, quiet: true, cwd: fileURLToPath(FOLDER) });
  if (code !== 0) throw new Error(`The generators cannot be installed: ${output}`);
  await Deno.writeTextFile(done, manifest);
}

function command(name: string, args: readonly string[], cwd: string): ReturnType<typeof run> {
  const path = fileURLToPath(new URL(`node_modules/.bin/${name}`, FOLDER));
  return run(path, [...args], { limitMs: 120_000, quiet: true, cwd, env: { NO_COLOR: "1" } });
}

async function installed(name: string, args: readonly string[], cwd: string): Promise<void> {
  const { code, output } = await command(name, args, cwd);
  if (code !== 0) throw new Error(`${name} failed: ${output}`);
}
