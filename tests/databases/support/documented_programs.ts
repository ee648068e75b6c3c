/** Documented programs that use a database, prepared so a test can start them and send them requests. */

const ROOT = new URL("../../../", import.meta.url);
const FOLDERS = [
  "docs/",
  "src/",
  "limiting/",
  "shared/",
  "advanced/",
  "middleware/",
  "openapi/",
  "create/",
  "examples/",
];

/** Code that makes a program one that uses a database. */
const USES = /from "(?:redis|ioredis|pg|postgres)"|new (?:RedisStore|PostgresStore|RedisSessionStore)\(|redisTopics\(/;

/** A limit for all requests, or for those under a path. */
const LIMITED = /app\.use\(\s*(?:"([^"]*)",\s*)?rateLimit\(/;

/** How a program uses its database, and how a test triggers that. */
export type Use = "limiters" | "limited app" | "topics" | "events" | "sessions";

/** Database addresses. */
export interface Databases {
  readonly redis: string;
  readonly postgres: string;
}

export interface DocumentedProgram {
  /** The file that shows the program, and its index there. */
  readonly name: string;
  /** The code as documented. */
  readonly code: string;
  /** How the program uses its database. */
  readonly use: Use;
  /** The path that uses the database, relative to the limit's path. */
  readonly path: string;
}

/**
 * All programs that use a database: TypeScript blocks with an import, in pages and in source comments. Blocks that
 * import their own files are parts of `examples/`, where stores connect on their own.
 *
 * @throws {Error} If it is unknown how a program uses its database
 */
export async function documentedPrograms(): Promise<DocumentedProgram[]> {
  const programs: DocumentedProgram[] = [];
  for (const path of await documents()) {
    const text = await Deno.readTextFile(new URL(path, ROOT));
    const plain = path.endsWith(".ts") ? text.replaceAll(/^ *\* ?/gm, "") : text;
    const found = [...plain.matchAll(/^```ts(?: ignore| \[[^\]\n]+\])?\n(.*?)^```$/gms)].map(([, code]) => code!);
    const using = found.filter((code) => /^import /m.test(code) && !/ from "\./.test(code) && USES.test(code));
    using.forEach((code, i) => {
      const name = `${path} ${i + 1}`;
      programs.push({ name, code, use: useOf(name, code), path: `${LIMITED.exec(code)?.[1] ?? ""}/use` });
    });
  }
  return programs;
}

async function documents(): Promise<string[]> {
  const found: string[] = [];
  async function walk(folder: string): Promise<void> {
    for await (const { name, isDirectory } of Deno.readDir(new URL(folder || "./", ROOT))) {
      const path = folder + name;
      if (isDirectory) {
        if (folder !== "" && name !== "tests" && name !== "node_modules") await walk(`${path}/`);
      } else if (/\.(?:md|ts)$/.test(name) && path !== "CHANGELOG.md") found.push(path);
    }
  }
  for (const folder of ["", ...FOLDERS]) await walk(folder);
  return found.sort();
}

function useOf(name: string, code: string): Use {
  if (/redisTopics\(/.test(code)) return "topics";
  if (/RedisSessionStore\(/.test(code)) return "sessions";
  if (LIMITED.test(code)) return "limited app";
  if (/const (?:limit|another|limiter|store) = /.test(code)) return "limiters";
  if (/\bsse\(/.test(code)) return "events";
  throw new Error(`${name}: say here how this program uses its database`);
}

/** Code added to a program before it listens, by how it uses its database. */
const SERVED: Readonly<Record<Use, (path: string) => string>> = {
  // undecided limits are decided without the store
  limiters: () => `
served.get("/use", async (_req, res) => {
  for (const one of limiters) {
    const { decidedLocally, failedOpen, failedClosed } = one.counters;
    await one.consume("probe " + crypto.randomUUID());
    const { counters } = one;
    const without = counters.decidedLocally + counters.failedOpen + counters.failedClosed;
    if (without !== decidedLocally + failedOpen + failedClosed) return void res.sendStatus(503);
  }
  res.sendStatus(200);
});`,
  "limited app": (path) => `served.get("${path}", (_req, res) => res.sendStatus(200));`,
  topics: () => `
const got = [];
const member = { send: (message) => void got.push(message), close() {} };
served.get("/use", (_req, res) => {
  served.connections.add(member);
  served.connections.subscribe("probe", member);
  res.json(got);
});`,
  events: () => "",
  sessions: () => `
served.get("/use", (req, res) => {
  req.session.probe = true;
  res.sendStatus(200);
});`,
};

/**
 * A program that serves requests, and prints its port once it does.
 *
 * @param program The documented program
 * @param databases Addresses of the databases
 * @throws {Error} If it would use a database at a different address
 */
export function servedProgram({ name, code, use, path }: DocumentedProgram, databases: Databases): string {
  const url = JSON.stringify(databases.redis);
  const placed = code
    .replaceAll(/"redis:\/\/(?:localhost|127\.0\.0\.1):6379"/g, url)
    .replaceAll("createClient()", `createClient({ url: ${url} })`)
    .replaceAll(/createClient\(\{ (?!url)/g, `createClient({ url: ${url}, `)
    .replaceAll(/"postgres:\/\/localhost(?::5432)?\/app"/g, JSON.stringify(databases.postgres))
    .replaceAll("new Pool()", `new Pool({ connectionString: ${JSON.stringify(databases.postgres)} })`)
    .replaceAll("process.env.REDIS_URL", url)
    .replace(/^const \{ REDIS \} = process\.env;$/m, `const REDIS = ${url};`);
  const ending = /^(?:await [\w.]+\.(?:close|end)\(\)|\w+\.disconnect\(\)|app\.listen\(3000\));.*\n/gm;
  const running = placed.replaceAll(ending, "");
  const addresses = running.match(/createClient\(|new Redis\(|Pool\(|RedisStore\(\{ url/g)?.length ?? 0;
  const known = running.split(url).length + running.split(JSON.stringify(databases.postgres)).length - 2;
  if (addresses > known) throw new Error(`${name}: not every address is known:\n${running}`);
  const limiters = [...running.matchAll(/^const (limit|another|limiter) = /gm)].map(([, own]) =>
    own === "limiter" ? own : `${own}.limiter`
  );
  const isOwnStore = use === "limiters" && limiters.length === 0;
  return [
    /^import sluice /m.test(running) ? "" : 'import sluice from "@sluice/sluice";',
    isOwnStore ? 'import { Limiter as ProbeLimiter } from "@sluice/rate-limit";' : "",
    /^const app = /m.test(running) ? "" : "const app = sluice();",
    running,
    isOwnStore ? "const limiters = [new ProbeLimiter({ limit: 100, store })];" : `const limiters = [${limiters}];`,
    "const served = app;",
    SERVED[use](path),
    'served.get("/alive", (_req, res) => res.send("alive"));',
    'const probed = served.listen({ port: 0, hostname: "127.0.0.1" }, () => console.log(probed.port));',
    "",
  ].join("\n");
}
