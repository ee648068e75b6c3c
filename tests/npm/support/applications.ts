/** npm applications for Express, and the requests they get on both frameworks. */
import { table } from "../../ecosystem/support/page.ts";
import type { Ask, Difference } from "../../ecosystem/support/program.ts";

/** An application's port. */
const PORT = /(?<=127\.0\.0\.1:)\d+/g;

/** Entity tags, which the frameworks compute differently. */
const TAGS = /^(?:W\/)?"[\w+/=-]+"$/;

/** Known differences. */
const KNOWN = {
  noContent: {
    parts: ["content-length"],
    why: "the `Content-Length: 0` that cors sets on a 204 is not sent, as RFC 9110 (section 8.6) demands",
  },
  files: { parts: ["content-type"], why: "the types of files are spelled as by Express 5" },
  onePiece: {
    parts: ["content-length"],
    why: "an answer ended in one piece has a `Content-Length`, where Express sends chunks",
  },
} satisfies Record<string, Difference>;

/** Depends on the installation time. */
const INSTALLED = { ignore: ["last-modified"] };

/** An application: a package with a command that starts a server. */
export interface Application {
  /** Package version. */
  readonly version: string;
  /** The Express versions it depends on. */
  readonly madeFor: string;
  /** The command with its arguments, given a port. */
  command(port: string): [string, ...string[]];
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
  differs: KNOWN.noContent,
});
const ask = (query: string): Ask => ({ ...json("POST", "/", { query }), differs: KNOWN.onePiece });

/** The applications by package name. */
export const APPLICATIONS: Readonly<Record<string, Application>> = {
  "json-server": {
    version: "0.17.4",
    madeFor: "^4.17.1",
    command: (port) => ["node_modules/.bin/json-server", "db.json", "--host", "127.0.0.1", "--port", port],
    files: {
      "db.json": JSON.stringify({
        posts: [{ id: 1, title: "first", authorId: 1 }, { id: 2, title: "second", authorId: 2 }],
        authors: [{ id: 1, name: "Ada" }, { id: 2, name: "Brendan" }],
        profile: { name: "somebody" },
      }),
    },
    asks: [
      get("/", { ...INSTALLED, differs: KNOWN.files }),
      get("/style.css", { ...INSTALLED, differs: KNOWN.files }),
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
    masks: [PORT, TAGS],
  },
  "peer": {
    version: "1.0.2",
    madeFor: "^4.17.1",
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
    masks: [PORT, TAGS, /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g],
  },
  "json-graphql-server": {
    version: "3.3.0",
    madeFor: "^4.21.2",
    command: (port) => ["node_modules/.bin/json-graphql-server", "db.cjs", "--host", "127.0.0.1", "--port", port],
    files: {
      "db.cjs": 'module.exports = { posts: [{ id: 1, title: "first", user_id: 1 }], users: [{ id: 1, name: "Ada" }] };',
    },
    asks: [
      get("/", { differs: KNOWN.onePiece }),
      get("/?query=%7BallUsers%7Bid%7D%7D", { differs: KNOWN.onePiece }),
      get("/nothing", { differs: KNOWN.onePiece }),
      get("/", { method: "HEAD", differs: KNOWN.onePiece }),
      ask("{ Post(id: 1) { id title User { name } } }"),
      ask("{ allPosts { id } }"),
      ask('mutation { createPost(title: "second", user_id: 1) { id title } }'),
      ask("{ broken"),
      { ...json("POST", "/", "{broken"), differs: KNOWN.onePiece },
      { ...json("PUT", "/", {}), differs: KNOWN.onePiece },
      preflight("/"),
    ],
    masks: [PORT, TAGS],
  },
};

/**
 * Writes their section in docs/ecosystem.md.
 *
 * @returns The section in Markdown, formatted like `deno fmt`
 */
export function applicationsSection(): string {
  const rows = Object.entries(APPLICATIONS).map(([name, { version, madeFor, asks }]) => {
    const known = asks.flatMap(({ differs }) => differs === undefined ? [] : [differs.why]);
    const notes = [...new Set(known)].map((why) => `${known.filter((one) => one === why).length}: ${why}`);
    const same = known.length === 0 ? "all" : String(asks.length - known.length);
    return [name, version, madeFor, String(asks.length), same, notes.join("; ")];
  });
  return table(["application", "version", "made for Express", "answers", "the same", "note"], rows);
}
