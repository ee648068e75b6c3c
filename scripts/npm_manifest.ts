/** What a `package.json` says that a `deno.json` does not. */
import { entriesOf, type Manifest } from "./packages.ts";

/** A command of a package. */
export interface NpmCommand {
  /** Its name. */
  readonly name: string;
  /** Its module. */
  readonly entry: string;
  /** The function of that module that runs it; it gets the arguments. */
  readonly run: string;
}

/** Facts of one package. */
export interface NpmFacts {
  /** What npm shows of it. */
  readonly description: string;
  /** What it is found by. */
  readonly keywords: readonly string[];
  /** Further packages that become part of it: modules of CommonJS cannot load them, or only its command needs them. */
  readonly included: readonly string[];
  /** Packages that it loads, those it needs and those that only some programs have. */
  readonly dependencies: readonly string[];
  /** Packages of which it uses what the program has installed, if it has. */
  readonly optionalPeers: readonly string[];
  /** Versions of optional peers that it imports nothing of, whose ranges no `deno.json` has. */
  readonly peerRanges?: Readonly<Record<string, string>>;
  /**
   * Packages of which some of its entries import types, and nothing that runs: optional peers as well, but for types
   * alone, and the versions that are tested, which JSR has. For npm any version is a peer: whoever has another one, and
   * uses it without the entry for it, could not install the package otherwise. No `deno.json` in the repository names
   * them, so that nobody downloads frameworks to start the demo.
   */
  readonly typesOf?: Readonly<Record<string, string>>;
  /** A command, whose entry is a module that only this command loads. */
  readonly command?: NpmCommand;
  /** Whether it has applications, which listen on Node by an adapter of its own, and is a function that makes them. */
  readonly listensOnNode: boolean;
  /** Whether it has `llms-small.txt`, which is made of the documentation: whoever installs it can show it to a model. */
  readonly isForModels?: boolean;
  /** Files that are published as they are, which programs and editors read. */
  readonly files?: readonly string[];
}

/** The oldest Node that gets fixes from us, and the first whose `require` takes ES modules. */
const OLDEST_NODE = ">=20.19";

/** Where the repository is; the workflow that releases passes its own. */
export const REPOSITORY = "https://github.com/sluicejs/sluice";

/** Name of the declarations of what `require` returns for a package with a default export. */
export const REQUIRED = "required";

/** Name of the ES module that is the framework, and makes applications listen on Node. */
export const ON_NODE = "mod_on_node";

/** Facts of all packages, by their names. */
export const NPM_FACTS: Readonly<Record<string, NpmFacts>> = {
  "@sluice/sluice": {
    description:
      "Express's API on a pure Fetch core, with a rate limiter: one import to change, on Node, Deno, Bun and Workers",
    keywords: [
      "express",
      "web",
      "framework",
      "router",
      "middleware",
      "fetch",
      "rate-limit",
      "websocket",
      "bun",
      "deno",
      "workers",
    ],
    included: ["srvx"],
    dependencies: ["ws"],
    optionalPeers: [],
    command: { name: "sluice", entry: "cli", run: "runCli" },
    listensOnNode: true,
    isForModels: true,
  },
  "@sluice/rate-limit": {
    description:
      "A rate limiter that never admits more than it promises: six algorithms, in memory, Redis, PostgreSQL, SQLite and more, for Sluice, Express, Hono, Fastify, Elysia, h3, Koa and fetch handlers",
    keywords: [
      "rate-limit",
      "ratelimit",
      "throttle",
      "express",
      "hono",
      "fastify",
      "elysia",
      "koa",
      "h3",
      "middleware",
      "redis",
      "postgres",
      "sqlite",
      "cloudflare-workers",
      "sliding-window",
      "token-bucket",
    ],
    // reads the policies of the command
    included: ["yaml"],
    dependencies: [],
    optionalPeers: ["redis"],
    // for its entries of the same names
    typesOf: {
      "@types/koa": "^3.0.0",
      elysia: "^1.4.0",
      fastify: "^5.0.0",
      h3: "^2.0.0",
      hono: "^4.0.0",
      koa: "^3.0.0",
    },
    files: ["policies.schema.json"],
    command: { name: "sluice-simulate", entry: "simulate", run: "runSimulation" },
    listensOnNode: false,
  },
  "@sluice/openapi": {
    description: "Validation by Standard Schema, and an OpenAPI document, from the same routes, for Sluice",
    keywords: ["openapi", "validation", "standard-schema", "zod", "valibot", "arktype", "sluice", "express"],
    // makes the requests of ./check
    included: ["fast-check", "pure-rand"],
    // judges them; without a license file it cannot be passed on
    dependencies: ["@cfworker/json-schema", "@standard-schema/spec"],
    // for its types, and for its pages
    optionalPeers: ["@sluice/sluice", "swagger-ui-dist"],
    // served as files; whoever starts the demo should not have to wait for 12 MB
    peerRanges: { "swagger-ui-dist": "^5.0.0" },
    listensOnNode: false,
  },
  "@sluice/middleware": {
    description:
      "What a service needs on day one, on every runtime: server-sent events, uploads, compression, sessions, CSRF protection, logs, health, metrics, for Sluice",
    keywords: [
      "middleware",
      "sluice",
      "express",
      "session",
      "csrf",
      "compression",
      "multipart",
      "upload",
      "server-sent-events",
      "health",
      "metrics",
    ],
    included: [],
    dependencies: [],
    // for its types
    optionalPeers: ["@sluice/sluice"],
    listensOnNode: false,
  },
};

/**
 * Makes a `package.json`.
 *
 * @param manifest The package's `deno.json`
 * @param facts What that does not say
 * @param repository Address of the repository
 * @param ranges Versions of other packages that it works with
 */
export function npmManifest(
  manifest: Manifest,
  facts: NpmFacts,
  repository: string,
  ranges: Readonly<Record<string, string>>,
): Record<string, unknown> {
  const files = Object.keys(entriesOf(manifest));
  const entriesByName = Object.keys(manifest.exports).map((name, i) => [name, files[i]!] as const)
    .filter(([, entry]) => entry !== facts.command?.entry);
  const typesOf = Object.keys(facts.typesOf ?? {});
  const all = { ...ranges, ...facts.peerRanges, ...Object.fromEntries(typesOf.map((one) => [one, "*"])) };
  const rangesOf = (names: readonly string[]) => Object.fromEntries(names.map((one) => [one, all[one]]));
  const optional = [...facts.optionalPeers, ...typesOf];
  return {
    name: manifest.name,
    ...commonFields(manifest, facts, repository),
    // for resolvers that know no exports
    ...("." in manifest.exports ? { main: "./node/mod.cjs", types: requiredTypes("mod", facts) } : {}),
    exports: {
      ...Object.fromEntries(entriesByName.map(([name, entry]) => [name, conditionsOf(entry, facts)])),
      ...Object.fromEntries((facts.files ?? []).map((file) => [`./${file}`, `./${file}`])),
      "./package.json": "./package.json",
    },
    // what makes applications listen on Node
    sideEffects: !facts.listensOnNode ? false : [
      ...["mod", "node"].flatMap((name) => [`./node/${name}.js`, `./node/${name}.cjs`]),
      "./dist/node.js",
      `./dist/${ON_NODE}.js`,
      "./workerd/node.js",
    ],
    ...(facts.command === undefined ? {} : { bin: { [facts.command.name]: commandFile(facts.command.name) } }),
    files: [
      ...(facts.command === undefined ? [] : ["bin/"]),
      "dist/",
      ...(facts.listensOnNode ? ["workerd/"] : []),
      "node/",
      "types/",
      ...facts.files ?? [],
      ...facts.isForModels === true ? ["llms-small.txt"] : [],
      "CHANGELOG.md",
      "LICENSES.txt",
    ],
    ...(facts.dependencies.length > 0 ? { dependencies: rangesOf(facts.dependencies) } : {}),
    ...(optional.length > 0
      ? {
        peerDependencies: rangesOf(optional),
        peerDependenciesMeta: Object.fromEntries(optional.map((one) => [one, { optional: true }])),
      }
      : {}),
  };
}

/**
 * File of a command.
 *
 * @param name The command
 */
export function commandFile(name: string): string {
  return `bin/${name}.js`;
}

/** The program that `npm create sluice` runs; npm finds it by this name. */
export const PROGRAM = {
  name: "create-sluice",
  description: "Starts a project with Sluice on Node, Deno, Bun or Cloudflare Workers: npm create sluice",
  keywords: ["create", "sluice", "express", "web", "framework", "starter", "template"],
};

/**
 * Makes the `package.json` of the program.
 *
 * @param manifest Its `deno.json`
 * @param repository Address of the repository
 * @param ranges Versions of other packages that it works with
 */
export function programManifest(
  manifest: Manifest,
  repository: string,
  ranges: Readonly<Record<string, string>>,
): Record<string, unknown> {
  return {
    name: PROGRAM.name,
    ...commonFields(manifest, PROGRAM, repository),
    bin: { [PROGRAM.name]: "dist/create.js" },
    files: ["dist/"],
    dependencies: Object.fromEntries(Object.keys(manifest.imports).map((one) => [one, ranges[one]])),
  };
}

/** What all packages say alike: what they are, where they come from, and what runs them. */
export function commonFields(
  { name, version, license }: Manifest,
  { description, keywords }: Pick<NpmFacts, "description" | "keywords">,
  repository: string,
): Record<string, unknown> {
  return {
    version,
    description,
    keywords,
    homepage: `https://jsr.io/${name}`,
    repository: { type: "git", url: `git+${repository}.git` },
    bugs: `${repository}/issues`,
    license,
    type: "module",
    engines: { node: OLDEST_NODE },
    publishConfig: { access: "public", provenance: true },
  };
}

/**
 * The first condition that holds counts: types before code, and before Node the runtimes that claim to be Node as well.
 *
 * One runtime gets one kind of modules, whichever way a program loads them: docs/decisions/0080-one-instance.md says why
 * these conditions.
 */
function conditionsOf(entry: string, facts: NpmFacts): Record<string, unknown> {
  const types = `./types/${entry}.d.ts`;
  const modules = { types, default: `./dist/${entry}.js` };
  const required = { types: requiredTypes(entry, facts), default: `./node/${entry}.cjs` };
  const onNode = { require: required, default: { types, default: `./node/${entry}.js` } };
  const onNodeModule = entry === "mod" && facts.listensOnNode ? ON_NODE : entry;
  return {
    deno: modules,
    bun: modules,
    workerd: facts.listensOnNode ? { types, default: `./workerd/${entry}.js` } : modules,
    node: {
      "node-addons": onNode,
      "module-sync": { types, default: `./dist/${onNodeModule}.js` },
      ...onNode,
    },
    default: modules,
  };
}

// only the framework has a default export
function requiredTypes(entry: string, { listensOnNode }: NpmFacts): string {
  return `./types/${entry === "mod" && listensOnNode ? REQUIRED : entry}.d.cts`;
}
