/**
 * Applications from npm that were made for Express, moved by two lines of their `package.json`: the same requests to
 * both, and what differs is listed.
 */
import { assertEquals } from "@std/assert";
import { askAll, type Exchanged } from "../ecosystem/support/ask_all.ts";
import { compare } from "../ecosystem/support/compare.ts";
import type { Ask } from "../ecosystem/support/program.ts";
import { askUntil } from "../support/node_servers.ts";
import { installWithNpm, makeProject, type Project } from "./support/project.ts";
import { startRegistry } from "./support/registry.ts";
import { inFull } from "./support/tools.ts";

/** Where an application listens. */
const PORT = /(?<=127\.0\.0\.1:)\d+/g;

/** Headers that docs/express-differences.md tells apart. */
const KNOWN = {
  // another hash, and the time of the installation
  always: ["etag", "last-modified"],
  // RFC 9110 section 8.6 forbids it in a 204
  noContent: ["content-length"],
  // Express 4 writes it in capitals, Express 5 does not
  files: ["content-type"],
  // an answer that is ended in one piece has a length
  onePiece: ["content-length"],
};

/** An application: a package with a command that serves. */
interface Application {
  /** Name and version of the package. */
  readonly version: string;
  /** The command, and its arguments for a port. */
  command(port: string): [string, ...string[]];
  /** Its files. */
  readonly files?: Readonly<Record<string, string>>;
  /** The requests, in order. */
  readonly asks: readonly Ask[];
  /** Random values, and the port. */
  readonly masks: readonly RegExp[];
}

const json = (method: string, path: string, body: unknown): Ask => ({
  method,
  path,
  headers: { "content-type": "application/json" },
  body: typeof body === "string" ? body : JSON.stringify(body),
});
const get = (path: string, more: Partial<Ask> = {}): Ask => ({ path, ...more });
const preflight = (path: string): Ask => ({
  method: "OPTIONS",
  path,
  headers: { origin: "http://page.example", "access-control-request-method": "POST" },
  ignore: KNOWN.noContent,
});
const ask = (query: string): Ask => ({ ...json("POST", "/", { query }), ignore: KNOWN.onePiece });

const APPLICATIONS: Readonly<Record<string, Application>> = {
  "json-server": {
    version: "0.17.4",
    command: (port) => ["node_modules/.bin/json-server", "db.json", "--host", "127.0.0.1", "--port", port],
    files: {
      "db.json": JSON.stringify({
        posts: [{ id: 1, title: "first", authorId: 1 }, { id: 2, title: "second", authorId: 2 }],
        authors: [{ id: 1, name: "Ada" }, { id: 2, name: "Brendan" }],
        profile: { name: "somebody" },
      }),
    },
    asks: [
      get("/", { ignore: KNOWN.files }),
      get("/style.css", { ignore: KNOWN.files }),
      get("/posts"),
      get("/posts", { headers: { "accept-encoding": "gzip" } }),
      get("/posts/1"),
      get("/posts/9"),
      get("/posts?title=second"),
      get("/posts?_sort=title&_order=desc&_page=1&_limit=1"),
      get("/posts?_expand=author"),
      get("/authors?_embed=posts"),
      get("/posts?q=first"),
      get("/posts?id_gte=2&id_ne=3"),
      get("/authors/1/posts"),
      get("/profile"),
      get("/db"),
      get("/nothing"),
      get("/posts", { headers: { origin: "http://page.example" } }),
      get("/posts", { method: "HEAD" }),
      json("POST", "/posts", { title: "third" }),
      json("POST", "/authors/2/posts", { title: "fourth" }),
      json("PUT", "/posts/1", { title: "changed" }),
      json("PATCH", "/posts/2", { title: "patched" }),
      json("PUT", "/profile", { name: "somebody else" }),
      json("DELETE", "/posts/1", ""),
      get("/posts"),
      preflight("/posts"),
    ],
    masks: [PORT],
  },
  "peer": {
    version: "1.0.2",
    command: (port) => [
      "node_modules/.bin/peerjs",
      "--port",
      port,
      "--host",
      "127.0.0.1",
      "--path",
      "/app",
      "--allow_discovery",
    ],
    asks: [
      get("/app"),
      get("/app/"),
      get("/app/peerjs/id"),
      get("/app/peerjs/peers"),
      get("/app/peerjs/nothing"),
      get("/"),
      get("/app", { method: "HEAD" }),
      json("POST", "/app/peerjs/id", {}),
      preflight("/app/peerjs/id"),
    ],
    masks: [PORT, /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g],
  },
  "json-graphql-server": {
    version: "3.3.0",
    command: (port) => ["node_modules/.bin/json-graphql-server", "db.cjs", "--host", "127.0.0.1", "--port", port],
    files: {
      "db.cjs": 'module.exports = { posts: [{ id: 1, title: "first", user_id: 1 }], users: [{ id: 1, name: "Ada" }] };',
    },
    asks: [
      get("/", { ignore: KNOWN.onePiece }),
      get("/?query=%7BallUsers%7Bid%7D%7D", { ignore: KNOWN.onePiece }),
      get("/nothing", { ignore: KNOWN.onePiece }),
      get("/", { method: "HEAD", ignore: KNOWN.onePiece }),
      ask("{ Post(id: 1) { id title User { name } } }"),
      ask("{ allPosts { id } }"),
      ask('mutation { createPost(title: "second", user_id: 1) { id title } }'),
      ask("{ broken"),
      { ...json("POST", "/", "{broken"), ignore: KNOWN.onePiece },
      { ...json("PUT", "/", {}), ignore: KNOWN.onePiece },
      preflight("/"),
    ],
    masks: [PORT],
  },
};

const rows: string[] = [];

if (inFull) {
  const registry = await startRegistry();
  globalThis.addEventListener("unload", () => {
    void registry.stop();
    console.log(rows.join("\n"));
  });

  for (const [name, application] of Object.entries(APPLICATIONS)) {
    const { asks, masks, version } = application;
    Deno.test(`${name}, moved by its package.json alone, answers as on Express`, async () => {
      const dependencies = { [name]: version };
      const original = await makeProject(registry, { dependencies });
      const moved = await makeProject(registry, {
        dependencies: { express: "npm:@sluice/sluice@^0.1.0", ...dependencies },
        overrides: { express: "$express" },
      });
      const theirs = await answersOf(original, application);
      const ours = await answersOf(moved, application);
      assertEquals(JSON.parse(await moved.read("node_modules/express/package.json")).name, "@sluice/sluice");
      const { output } = await moved.run("npm", "ls", "express", "--all");
      assertEquals(output.match(/express@(?!npm:@sluice)\S*/g), null, output);
      const found = ours.flatMap((mine, at) =>
        compare(mine, theirs[at]!, { masks })
          .filter(({ part }) => !KNOWN.always.includes(part))
          .map(({ part, sluice, express }) =>
            `${asks[at]!.method ?? "GET"} ${asks[at]!.path} ${part}: ${sluice}, not ${express}`
          )
      );
      rows.push(`${name} ${version}: ${ours.length} requests, ${found.length} answers differ`);
      assertEquals(found, []);
    });
  }
}

/** Installs an application, starts it on Node, asks it everything, and ends it. */
async function answersOf(project: Project, { command, files = {}, asks }: Application): Promise<Exchanged[]> {
  await installWithNpm(project);
  for (const [file, text] of Object.entries(files)) await project.write(file, text);
  const port = freePort();
  const [program, ...args] = command(String(port));
  const served = new Deno.Command("node", {
    args: [program, ...args],
    cwd: project.path,
    env: { NODE_ENV: "development" },
    stdin: "null",
    stdout: "null",
    stderr: "inherit",
  }).spawn();
  try {
    await askUntil(() => answers(`http://127.0.0.1:${port}/`), (isUp) => isUp);
    return await askAll(port, asks);
  } finally {
    served.kill("SIGKILL");
    await served.status;
  }
}

async function answers(url: string): Promise<boolean> {
  try {
    await (await fetch(url)).body?.cancel();
    return true;
  } catch {
    return false;
  }
}

function freePort(): number {
  using listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  return listener.addr.port;
}
