/** A project's files. */
import type { Choice, Runtime, Template } from "./choices.ts";
import { readTemplate } from "./templates.ts";
import { RANGES } from "./versions.ts";

/** Commands that users run in a project. */
export interface Commands {
  /** Installs the packages. */
  readonly install: string;
  /** Runs the tests. */
  readonly test: string;
  /** Starts the project, and restarts it whenever a file changes. */
  readonly dev: string;
}

/** A template's contents. */
interface Parts {
  /** Its files. */
  readonly files: readonly string[];
  /** Folders whose files it reads at run time. */
  readonly assets: readonly string[];
  /** Packages it imports. */
  readonly packages: readonly string[];
  /** Packages with types for them. */
  readonly types: readonly string[];
}

const APP = ["src/app.ts", "src/app.test.ts"];

const PARTS: Readonly<Record<Template, Parts>> = {
  api: { files: APP, assets: [], packages: ["@sluice/sluice"], types: [] },
  views: {
    files: [...APP, "views/index.ejs", "public/style.css"],
    assets: ["views", "public"],
    packages: ["@sluice/sluice", "ejs"],
    types: ["@types/ejs"],
  },
  websocket: { files: [...APP, "public/index.html"], assets: ["public"], packages: ["@sluice/sluice"], types: [] },
  worker: {
    files: ["src/index.ts", "test/index.test.js", "wrangler.jsonc"],
    assets: [],
    packages: ["@sluice/rate-limit", "@sluice/sluice"],
    types: [],
  },
};

const RUNTIME_FILES: Readonly<Record<Runtime, readonly string[]>> = {
  node: [".gitignore", "Dockerfile", "tsconfig.json"],
  deno: [".gitignore", "Dockerfile"],
  bun: [".gitignore", "Dockerfile", "tsconfig.json"],
  workers: [".gitignore", "tsconfig.json"],
};

/** Where a model finds the API, with examples. */
const DOCS = {
  npm: "`node_modules/@sluice/sluice/llms-small.txt`: the API by example. Read it before you program.",
  jsr: "`deno doc jsr:@sluice/sluice`: the API with examples. Read it before you program.",
} as const;

const COMMANDS: Readonly<Record<Runtime, Commands>> = {
  node: { install: "npm install", test: "npm test", dev: "npm run dev" },
  deno: { install: "deno install", test: "deno task test", dev: "deno task dev" },
  bun: { install: "bun install", test: "bun test", dev: "bun run dev" },
  workers: { install: "npm install", test: "npm test", dev: "npm run dev" },
};

/** The commands for projects on a runtime. */
export function commandsOf(runtime: Runtime): Commands {
  return COMMANDS[runtime];
}

/**
 * Assembles a project.
 *
 * @param name Its name
 * @param choice The user's choices
 * @returns Contents of its files, by path
 */
export async function filesOf(
  name: string,
  { runtime, template }: Pick<Choice, "runtime" | "template">,
): Promise<Map<string, string>> {
  const { files, assets } = PARTS[template];
  const app = `apps/${template}/`;
  const own = `runtimes/${runtime}/`;
  const filled = async (path: string) => {
    const text = await readTemplate(path);
    const copies = assets.map((folder) => `COPY ${folder} ./${folder}\n`).join("");
    return text.replaceAll("{{name}}", name).replace("{{assets}}\n", copies);
  };
  const sources: [string, string][] = [
    ...RUNTIME_FILES[runtime].map((file): [string, string] => [file, own + file]),
    ...files.map((file): [string, string] => [file, app + file]),
    ...(runtime === "workers" ? [] : [["src/server.ts", "server/src/server.ts"] as [string, string]]),
  ];
  const joined = async (paths: readonly string[]) =>
    [`# ${name}\n`, ...await Promise.all(paths.map(filled))].join("\n");
  const readme = await joined([`${app}README.md`, `${own}README.md`]);
  const forAgents = await joined([`${app}AGENTS.md`, `${own}AGENTS.md`, "AGENTS.md"]);
  const [manifest, value] = runtime === "deno"
    ? ["deno.json", denoManifest(template)] as const
    : ["package.json", packageManifest(name, runtime, template)] as const;
  const texts = await Promise.all(sources.map(async ([file, path]): Promise<[string, string]> => {
    return [file, await filled(path)];
  }));
  return new Map([
    ["README.md", readme],
    ["AGENTS.md", forAgents.replace("{{docs}}", DOCS[runtime === "deno" ? "jsr" : "npm"])],
    [manifest, `${JSON.stringify(value, null, 2)}\n`],
    ...texts,
  ]);
}

function denoManifest(template: Template): unknown {
  const specifiers = PARTS[template].packages.map((name) => {
    const registry = name.startsWith("@sluice/") ? "jsr" : "npm";
    return [name, `${registry}:${name}@${RANGES[name]}`];
  });
  const permissions = "--allow-net --allow-env --allow-read";
  return {
    tasks: {
      dev: `deno run --watch ${permissions} src/server.ts`,
      start: `deno run ${permissions} src/server.ts`,
      test: `deno test ${permissions}`,
    },
    imports: Object.fromEntries(specifiers),
    // as the templates are formatted
    fmt: { lineWidth: 120 },
  };
}

/** Scripts for a `package.json`, and the packages they need. */
function toolsOf(runtime: Exclude<Runtime, "deno">, template: Template): { scripts: object; packages: string[] } {
  if (runtime === "workers") {
    return {
      scripts: { dev: "wrangler dev", deploy: "wrangler deploy", test: "node --test", check: "tsc" },
      packages: ["typescript", "wrangler"],
    };
  }
  if (runtime === "bun") {
    return {
      scripts: { dev: "bun --watch src/server.ts", start: "bun src/server.ts", test: "bun test", check: "tsc" },
      packages: ["@types/bun", "typescript"],
    };
  }
  // before version 22, Node has WebSocket clients behind this flag
  const sockets = template === "websocket" ? "--experimental-websocket " : "";
  return {
    scripts: {
      dev: "tsx watch src/server.ts",
      build: "tsc",
      start: "node dist/server.js",
      test: `node ${sockets}--import tsx --test src/app.test.ts`,
    },
    packages: ["@types/node", "tsx", "typescript"],
  };
}

function packageManifest(name: string, runtime: Exclude<Runtime, "deno">, template: Template): unknown {
  const { scripts, packages } = toolsOf(runtime, template);
  const ranges = (names: readonly string[]) => Object.fromEntries(names.map((one) => [one, RANGES[one]]));
  return {
    name,
    private: true,
    type: "module",
    scripts,
    ...(runtime === "node" ? { engines: { node: ">=20.19" } } : {}),
    dependencies: ranges(PARTS[template].packages),
    devDependencies: ranges([...PARTS[template].types, ...packages].sort()),
  };
}
