/** Facts for `package.json` that are missing from `deno.json`. */
import { entriesOf, type Manifest } from "./packages.ts";

/** A package's command. */
export interface NpmCommand {
  /** Its name. */
  readonly name: string;
  /** Its module. */
  readonly entry: string;
  /** Name of the exported function that runs it; it gets the arguments. */
  readonly run: string;
}

/** Facts about one package. */
export interface NpmFacts {
  /** Description on npm. */
  readonly description: string;
  /** Search keywords. */
  readonly keywords: readonly string[];
  /** Further packages to bundle, because CommonJS modules cannot load them, or only its command needs them. */
  readonly included: readonly string[];
  /** Packages that it loads, always or for some programs only. */
  readonly dependencies: readonly string[];
  /** Packages it uses if the program has installed them. */
  readonly optionalPeers: readonly string[];
  /** Versions of optional peers that it never imports. No `deno.json` has their ranges. */
  readonly peerRanges?: Readonly<Record<string, string>>;
  /**
   * Packages from which some entry points import only types: also optional peers, but only for types, at the tested
   * versions, as on JSR. On npm any version is a valid peer: otherwise, programs with a different version that do not
   * use that entry point could not install the package. They are in no `deno.json` in the repository, so that starting
   * the demo downloads no frameworks.
   */
  readonly typesOf?: Readonly<Record<string, string>>;
  /** A command, whose entry module only this command loads. */
  readonly command?: NpmCommand;
  /** Whether it exports a function that creates applications, which listen on Node through its own adapter. */
  readonly listensOnNode: boolean;
  /** Whether it contains `llms-small.txt`, generated from the documentation, for users to pass to a model. */
  readonly isForModels?: boolean;
  /** Files published unchanged, for programs and editors to read. */
  readonly files?: readonly string[];
}

/** The oldest Node we support, and the first whose `require` loads ES modules. */
const OLDEST_NODE = ">=20.19";

/** The repository's URL; the release workflow passes its own. */
export const REPOSITORY = "https://github.com/sluicejs/sluice";

/** Name of the declarations for the value that `require` returns from a package with a default export. */
export const REQUIRED = "required";

/** Name of the ES module that is the framework, with applications that listen on Node. */
export const ON_NODE = "mod_on_node";

/** Facts about all packages, by name. */
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
    // reads the command's policies
    included: ["yaml"],
    dependencies: [],
    optionalPeers: ["redis"],
    // for its entry points with the same names
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
    // generates the requests for ./check
    included: ["fast-check", "pure-rand"],
    // validates responses; without a license file, it cannot be bundled
    dependencies: ["@cfworker/json-schema", "@standard-schema/spec"],
    // for its types, and for its pages
    optionalPeers: ["@sluice/sluice", "swagger-ui-dist"],
    // served as files; starting the demo should not require downloading 12 MB
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
 * Creates a `package.json`.
 *
 * @param manifest The package's `deno.json`
 * @param facts Facts missing from it
 * @param repository The repository's URL
 * @param ranges Versions of its dependencies and peers
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
    // for resolvers without support for exports
    ...("." in manifest.exports ? { main: "./node/mod.cjs", types: requiredTypes("mod", facts) } : {}),
    exports: {
      ...Object.fromEntries(entriesByName.map(([name, entry]) => [name, conditionsOf(entry, facts)])),
      ...Object.fromEntries((facts.files ?? []).map((file) => [`./${file}`, `./${file}`])),
      "./package.json": "./package.json",
    },
    // they make applications listen on Node
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
 * Returns a command's file.
 *
 * @param name The command
 */
export function commandFile(name: string): string {
  return `bin/${name}.js`;
}

/** The program behind `npm create sluice`, which finds it by this name. */
export const PROGRAM = {
  name: "create-sluice",
  description: "Starts a project with Sluice on Node, Deno, Bun or Cloudflare Workers: npm create sluice",
  keywords: ["create", "sluice", "express", "web", "framework", "starter", "template"],
};

/**
 * Creates the program's `package.json`.
 *
 * @param manifest Its `deno.json`
 * @param repository The repository's URL
 * @param ranges Versions of its dependencies
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

/** Fields shared by all packages: description, origin, and supported runtimes. */
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
 * The first matching condition wins: types come before code, and runtimes that also claim to be Node come before Node.
 *
 * One runtime gets one module format, however a program loads it: docs/decisions/0080-one-instance.md explains these
 * conditions.
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
