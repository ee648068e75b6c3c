import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import express from "express";
import sluice, { type FrameworkApp, Router } from "@sluice/sluice";
import { fileURLToPath } from "node:url";

const THIS_FILE = fileURLToPath(import.meta.url);

/** An application in development that does not log errors. */
function developed(): FrameworkApp {
  return sluice().set("env", "development").on("error", () => {});
}

/** The page that an application sends. */
async function pageOf(app: FrameworkApp, path: string, init?: RequestInit): Promise<string> {
  return await (await app.inject(path, init)).text();
}

/** The page for an error that a handler throws. */
function pageOfError(error: unknown): Promise<string> {
  const app = developed().get("/", () => {
    throw error;
  });
  return pageOf(app, "/");
}

/** An error with a stack that some engine or program could have made. */
function withStack(message: string, ...frames: string[]): Error {
  return Object.assign(new Error(message), { stack: [`Error: ${message}`, ...frames].join("\n") });
}

/** The section of a page below a heading, as a string. */
function partOf(page: string, heading: string): string {
  const part = page.split(`<h2>${heading}</h2>`)[1]?.split("<h2>")[0] ?? "";
  return part.replaceAll("</td></tr>\n", "\n").replaceAll("</th><td>", ": ").replace(/<[^>]*>/g, "").trim();
}

/** The routes that a page suggests. */
function nearIn(page: string): string[] {
  return [...page.matchAll(/<li><code>(.*?)<\/code><\/li>/g)].map(([, route]) => route!);
}

Deno.test("the page of an error in development shows the line that threw, with lines around it", async () => {
  const app = developed().get("/", () => {
    // the line in front of it
    throw new Error("from here");
  });
  const source = (await pageOf(app, "/")).match(/<code class="source">(.*?)<\/code>/s)![1]!;
  const lines = source.split("\n");
  const thrown = lines.findIndex((line) => line.startsWith("<mark>"));
  assertMatch(lines[thrown]!, /^<mark>\d+ {6}throw new Error\(&quot;from here&quot;\);<\/mark>$/);
  assertMatch(lines[thrown - 1]!, /^\d+ {6}\/\/ the line in front of it$/);
  assertEquals([lines.length, thrown], [9, 4]);
});

Deno.test("the source is that of the first frame which is neither a package's, nor Sluice's, nor the runtime's", async () => {
  const page = await pageOfError(withStack(
    "from a package",
    "    at JSON.parse (<anonymous>)",
    "    at node:internal/process/task_queues:95:5",
    "    at query (/program/node_modules/pg/lib/client.js:1:2)",
    "    at query (file:///root/.cache/deno/npm/registry.npmjs.org/pg/8.1.0/lib/client.js:1:2)",
    `    at Walk.start (${new URL("../../src/dispatch/walk.ts", import.meta.url)}:1:1)`,
    `    at async handler (${import.meta.url}:2:10)`,
    `    at ${import.meta.url}:4:1`,
  ));
  assertMatch(page, /<mark> *2 {2}import express from &quot;express&quot;;<\/mark>/);
  assertStringIncludes(partOf(page, "Source"), `${THIS_FILE}:2:10`);
});

Deno.test("lines of the message that look like frames do not choose what is read", async () => {
  const secret = await Deno.makeTempFile({ suffix: ".ts" });
  try {
    await Deno.writeTextFile(secret, "told to nobody");
    const page = await pageOfError(withStack(`x\n    at y (${secret}:1:1)`, `    at ${import.meta.url}:2:1`));
    assert(!page.includes("told to nobody"), page);
    assertStringIncludes(page, "import express from");
    const changed = withStack(`x\n    at y (${secret}:1:1)`, `    at ${import.meta.url}:2:1`);
    changed.message = "something else";
    assert(!(await pageOfError(changed)).includes("told to nobody"));
    // without a message, because the test expects that the file can be read
    assertStringIncludes(await pageOfError(withStack("", `    at ${secret}:1:1`)), "told to nobody");
  } finally {
    await Deno.remove(secret);
  }
});

Deno.test("what is no source file, or cannot be read, is left out of the page", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${folder}/secret.env`, "told to nobody");
    await Deno.mkdir(`${folder}/folder.js`);
    await Deno.writeTextFile(`${folder}/short.js`, "one line");
    const frames = [
      `${folder}/secret.env:1:1`,
      `${folder}/folder.js:1:1`,
      `${folder}/missing.js:1:1`,
      `${folder}/short.js:9:1`,
      "https://example.com/program.js:1:1",
      "file:///%zz.js:1:1",
    ];
    for (const frame of frames) {
      const page = await pageOfError(withStack("unreadable", `    at ${frame}`));
      assertStringIncludes(page, "Error: unreadable");
      assert(!page.includes("<h2>Source</h2>"), page);
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("of a long line, the part around the column is shown", async () => {
  const file = await Deno.makeTempFile({ suffix: ".js" });
  try {
    await Deno.writeTextFile(file, `${"a".repeat(5000)}here${"b".repeat(5000)}`);
    const page = await pageOfError(withStack("minified", `    at ${file}:1:5001`));
    assertMatch(page, /<mark>1 {2}a{1,100}hereb{1,200}<\/mark>/);
  } finally {
    await Deno.remove(file);
  }
});

Deno.test("the page names the route that failed with its mounts, also in a mounted application", async () => {
  const posts = Router().all("/posts/:post", () => {
    throw new Error("in a route");
  });
  const blog = sluice().use("/:user", posts);
  const app = developed().use("/blogs", blog);
  app.get("/", (_req, _res, next) => next());
  app.use("/checked", () => {
    throw new Error("in a middleware");
  });
  app.get("/checked/:id", (_req, res) => res.send("x"));
  const page = await pageOf(app, "/blogs/ada/posts/7");
  assertEquals(partOf(page, "Route"), "ALL /blogs/:user/posts/:post");
  assertEquals(partOf(page, "Parameters"), "user: ada\npost: 7");
  assertEquals(partOf(await pageOf(app, "/"), "Route"), "GET / has passed the request on");
  assertEquals(partOf(await pageOf(app, "/checked/7"), "Route"), "No route has run. GET /checked/:id matches.");
  assertEquals(partOf(await pageOf(app, "/checked"), "Route"), "No route matches.");
});

Deno.test("the page of a 404 names the methods that the path has routes for", async () => {
  const app = developed().post("/users/:id", () => {}).use("/users", Router().put("/:name", () => {}));
  app.post(["/users/:id", "/people/:id"], () => {}).get("/users", () => {});
  const page = await pageOf(app, "/users/7");
  assertStringIncludes(partOf(page, "Route"), "This path has routes for POST, PUT.");
});

Deno.test("the page of a 404 names the routes that differ by a typo, or else by a segment, five at most", async () => {
  const app = developed();
  const api = Router().get("/users/:id", () => {}).get("/users", () => {}).patch("/settings/*rest", () => {});
  app.use("/api", api).post("/:a/:b/:c/:d", () => {}).get(/^\/api\/user$/, () => {}).get("/shop", () => {});
  const near = async (path: string): Promise<string[]> => nearIn(await pageOf(app, path));
  assertEquals(await near("/api/user/7"), ["GET /api/users/:id"]);
  assertEquals(await near("/api/usres"), ["GET /api/users"]);
  assertEquals(await near("/users/7"), ["GET /api/users/:id"]);
  assertEquals(await near("/api/posts/7"), ["GET /api/users/:id", "PATCH /api/settings/*rest"]);
  assertEquals(await near("/v1/api/users"), ["GET /api/users"]);
  assertEquals(await near("/api/setings/a/b"), ["PATCH /api/settings/*rest"]);
  assertEquals(await near("/shpo"), ["GET /shop"]);
  assertEquals(await near("/elsewhere/entirely"), []);
  const many = developed().get("/reports/0", () => {});
  for (let i = 0; i < 9; i++) many.get(`/reports/${i}`, () => {});
  assertEquals(nearIn(await pageOf(many, "/reports/x")).length, 5);
});

Deno.test("an error with status 404 names near routes, too", async () => {
  const app = developed().get("/orders", () => {}).use((_req, _res, next) => next({ status: 404, stack: "none" }));
  assertEquals(nearIn(await pageOf(app, "/order")), ["GET /orders"]);
});

Deno.test("secrets in headers, queries and parameters are masked, also in URLs and below other names", async () => {
  const app = developed().set("query parser", "extended").get("/reset/:token/:page", () => {
    // a source excerpt would show this test
    throw withStack("failed");
  });
  const page = await pageOf(
    app,
    "/reset/s%33cret/2?author=Ada&api_key=s3cret&user[password]=s3cret&user[name]=Ada&p%61sswd=s3cret",
    {
      method: "GET",
      headers: {
        ...Object.fromEntries(
          ["authorization", "proxy-authorization", "cookie", "x-api-key", "x-csrf-token", "session-id", "x-secret"]
            .map((name) => [name, "s3cret"]),
        ),
        referer: "http://localhost/?page=1&access_token=s3cret",
        "x-trace": "seen",
      },
    },
  );
  assert(!page.includes("s3cret") && !page.includes("s%33cret"), page);
  assertStringIncludes(
    partOf(page, "Request"),
    "GET /reset/[redacted]/2?author=Ada&amp;api_key=[redacted]&amp;user[password]=[redacted]&amp;user[name]=Ada",
  );
  assertEquals(partOf(page, "Parameters"), "token: [redacted]\npage: 2");
  assertStringIncludes(
    partOf(page, "Query"),
    "user: {&quot;password&quot;:&quot;[redacted]&quot;,&quot;name&quot;:&quot;Ada&quot;}",
  );
  assertStringIncludes(partOf(page, "Headers"), "referer: http://localhost/?page=1&amp;access_token=[redacted]");
  assertStringIncludes(partOf(page, "Headers"), "x-trace: seen");
});

Deno.test("the type and size of a body are shown, but nothing of what is in it", async () => {
  const app = developed().use(sluice.json()).post("/", (req) => {
    throw withStack(`with ${Object.keys(req.body).length} member`);
  });
  const page = await pageOf(app, "/", {
    method: "POST",
    body: '{"told":"to nobody"}',
    headers: { "content-type": "application/json", "content-length": "20" },
  });
  assertStringIncludes(partOf(page, "Request"), "Body: application/json, 20 bytes");
  assert(!page.includes("nobody"), page);
  assertStringIncludes(partOf(await pageOf(app, "/x"), "Request"), "No body");
});

Deno.test("a value of many characters is cut", async () => {
  const page = await pageOf(developed(), "/", { headers: { "x-long": "v".repeat(5000) } });
  assertEquals(partOf(page, "Headers").match(/v{1000}…/)?.length, 1);
  assert(!page.includes("v".repeat(1001)));
});

Deno.test("everything that a stranger may choose is escaped on the page", async () => {
  const script = "<script>'\"&";
  const app = developed().get("/<script>/:name", (req) => {
    // <script> in the source, too
    throw new Error(`no ${req.query["q"]}`);
  });
  const path = `/%3Cscript%3E/${encodeURIComponent(script)}?q=${encodeURIComponent(script)}&${
    encodeURIComponent(script)
  }=1`;
  const raw = new Request(`http://localhost/<script>/${script}?${script}`, { headers: { "x-sent": script } });
  app.get("/a/:b", () => {});
  for (const page of [await pageOf(app, path), await (await app.inject(raw)).text(), await pageOf(app, "/b/a")]) {
    assert(!page.includes("<script") && !page.includes("'\""), page);
  }
  assertStringIncludes(await pageOf(app, path, { headers: { "x-sent": script } }), "&lt;script&gt;&#39;&quot;&amp;");
});

Deno.test("the policy of the page allows its own style by a hash, and nothing else", async () => {
  const response = await developed().inject("/");
  const style = (await response.text()).match(/<style>(.*?)<\/style>/s)![1]!;
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(style)));
  assertEquals(
    response.headers.get("content-security-policy"),
    `default-src 'none'; style-src 'sha256-${btoa(String.fromCharCode(...hash))}'`,
  );
});

Deno.test("the first element of the page is the one of Express's page, and the only one of its kind", async () => {
  const bodies = [await pageOf(developed(), "/<b>"), await pageOfError(new Error("a  b\nc"))];
  for (const page of bodies) assertMatch(page, /^<!DOCTYPE html>\n<html lang="en">[^]*<body>\n<pre>[^<]/);
  const texts = bodies.map((page) => page.match(/<pre>(.*)<\/pre>/s)![1]!);
  assertEquals(texts[0], "Cannot GET /%3Cb%3E");
  assert(texts[1]!.startsWith("Error: a &nbsp;b<br>c<br>"), texts[1]);
});

Deno.test("clients that prefer JSON get the message alone in development, too", async () => {
  const app = developed().get("/fails", (_req, _res, next) => next({ stack: "the stack" }));
  for (const [path, error] of [["/fails", "the stack"], ["/", "Cannot GET /"]]) {
    const response = await app.inject(path!, { headers: { accept: "application/json" } });
    assertEquals(await response.json(), { error });
    assertEquals(response.headers.get("content-security-policy"), "default-src 'none'");
  }
});

Deno.test("HEAD gets the headers of the page", async () => {
  const response = await developed().inject("/", { method: "HEAD" });
  assertEquals([response.status, await response.text()], [404, ""]);
  assertStringIncludes(response.headers.get("content-security-policy")!, "style-src");
});

Deno.test("what a program has replaced, and fails, is left out of the page, and the rest is shown", async () => {
  const app = developed().set("query parser", () => {
    throw new Error("no query");
  });
  app.get("/", (req, res) => res.json(req.query));
  const page = await pageOf(app, "/?a=1");
  assertStringIncludes(page, "<pre>Error: no query");
  assertEquals(partOf(page, "Query"), "It cannot be shown: no query");
  assertEquals(partOf(page, "Route"), "GET /");
  assertStringIncludes(partOf(page, "Headers"), "host: localhost");
});

/** Counts reads and directory listings while requests are served. */
async function costsOf(env: string): Promise<{ pages: string[]; reads: number; listings: number }> {
  const { statSync, readTextFileSync } = Deno;
  const app = sluice().set("env", env).on("error", () => {});
  app.get("/", () => {
    throw Object.assign(new Error("told"), { stack: `Error: told\n    at ${import.meta.url}:2:1` });
  });
  let [reads, listings] = [0, 0];
  const { stack } = app.router;
  Object.defineProperty(app.router, "stack", { get: () => (listings++, stack) });
  Deno.statSync = (path) => (reads++, statSync(path));
  Deno.readTextFileSync = (path) => (reads++, readTextFileSync(path));
  try {
    return { pages: [await pageOf(app, "/"), await pageOf(app, "/nowhere")], reads, listings };
  } finally {
    Object.assign(Deno, { statSync, readTextFileSync });
  }
}

Deno.test("in production and in tests, the page is Express's, no source is read and no route is listed", async () => {
  const theirs = async (env: string): Promise<string[]> => {
    const app = express().set("env", env);
    app.get("/", () => {
      throw Object.assign(new Error("told"), { stack: `Error: told\n    at ${import.meta.url}:2:1` });
    });
    const log = console.error;
    console.error = () => {};
    const server = app.listen(0, "127.0.0.1");
    try {
      await new Promise((resolve) => server.once("listening", resolve));
      const origin = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
      return await Promise.all(["/", "/nowhere"].map(async (path) => await (await fetch(`${origin}${path}`)).text()));
    } finally {
      console.error = log;
      await new Promise((resolve) => server.close(resolve));
    }
  };
  for (const env of ["production", "test"]) {
    assertEquals(await costsOf(env), { pages: await theirs(env), reads: 0, listings: 0 });
  }
  const { reads, listings, pages } = await costsOf("development");
  assertEquals([reads, listings, pages.every((page) => page.includes("<h2>Route</h2>"))], [2, 2, true]);
});
