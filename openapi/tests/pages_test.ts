import { openapiPages } from "@sluice/openapi/pages";
import sluice, { type FrameworkApp } from "@sluice/sluice";
import { assertEquals, assertMatch, assertThrows } from "@std/assert";

const INFO = { title: "Notes <1 & 2>", version: "1" };

const end = (_req: unknown, res: { end(): void }) => void res.end();

function documented(env: string): FrameworkApp {
  const app = sluice().set("env", env);
  app.get("/first", end);
  app.use("/docs", openapiPages(app, INFO));
  return app;
}

async function pathsOf(app: FrameworkApp): Promise<string[]> {
  const response = await app.inject("/docs/openapi.json");
  assertMatch(response.headers.get("content-type")!, /^application\/json/);
  return Object.keys((await response.json()).paths);
}

Deno.test("the document has the routes of its first request in production, and otherwise those there are", async () => {
  for (
    const [env, later] of [["production", ["/first", "/second"]], ["development", [
      "/first",
      "/second",
      "/third",
    ]]] as const
  ) {
    const app = documented(env);
    app.get("/second", end);
    assertEquals(await pathsOf(app), ["/first", "/second"]);
    app.get("/third", end);
    assertEquals(await pathsOf(app), [...later], env);
  }
});

Deno.test("the page loads nothing but its own files, all of which are there", async () => {
  const app = documented("test");
  const page = await app.inject("/docs/");
  assertEquals(page.status, 200);
  const policy = page.headers.get("content-security-policy")!;
  assertEquals(policy.includes("unsafe"), false);
  assertMatch(policy, /^default-src 'none'; script-src 'self'; style-src 'self'; /);
  assertEquals(page.headers.get("x-content-type-options"), "nosniff");
  const html = await page.text();
  assertMatch(html, /<title>Notes &lt;1 &amp; 2><\/title>/);
  const files = [...html.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, path]) => path!);
  assertEquals(files.filter((path) => !path.startsWith("./")), []);
  assertEquals(new Set(files).size, 6);
  for (const path of files) {
    const response = await app.inject(`/docs/${path.slice(2)}`);
    assertEquals(response.status, 200, path);
    await response.bytes();
  }
});

Deno.test("only the viewer's files are served, and only to GET and HEAD", async () => {
  const app = documented("test");
  const paths = [
    "package.json",
    "index.html",
    "../package.json",
    "..%2fpackage.json",
    "swagger-ui.css/x",
    "constructor",
  ];
  for (const path of paths) {
    const response = await app.inject(`/docs/${path}`);
    await response.text();
    assertEquals(response.status, 404, path);
  }
  for (const [method, status] of [["HEAD", 200], ["POST", 404]] as const) {
    const response = await app.inject("/docs/openapi.json", { method });
    await response.text();
    assertEquals(response.status, status, method);
  }
  const css = await app.inject("/docs/swagger-ui.css");
  const etag = css.headers.get("etag")!;
  await css.text();
  const again = await app.inject("/docs/swagger-ui.css", { headers: { "if-none-match": etag } });
  assertEquals(again.status, 304);
});

Deno.test("a path without the slash leads to the one with it, below any mount, and to no other host", async () => {
  const app = sluice().set("env", "test");
  const router = sluice.Router();
  // pages for a router alone
  router.get("/notes", end);
  router.use("/docs", openapiPages(router, INFO, { prefix: "/api/:version" }));
  app.use("/api/:version", router);
  app.use(openapiPages(app, INFO));
  const locations = [];
  for (const path of ["/api/v1/docs", "/api/v1/docs?a=1&b=2"]) {
    const response = await app.inject(path);
    locations.push([response.status, response.headers.get("location")]);
  }
  assertEquals(locations, [[302, "./docs/"], [302, "./docs/?a=1&b=2"]]);
  assertEquals((await app.inject("/")).status, 200);
  const document = await (await app.inject("/api/v1/docs/openapi.json")).json();
  assertEquals(Object.keys(document.paths), ["/api/{version}/notes"]);
});

Deno.test("without the viewer there is the document alone, and the page says what is missing", async () => {
  const app = documented("test");
  const process = Object.getOwnPropertyDescriptor(globalThis, "process")!;
  // as on Workers
  Object.defineProperty(globalThis, "process", { value: undefined, configurable: true });
  try {
    const page = await app.inject("/docs/");
    assertEquals([page.status, page.headers.get("content-type")], [404, "text/plain; charset=utf-8"]);
    assertMatch(await page.text(), /npm install swagger-ui-dist[^]*The document itself is at openapi\.json/);
    assertEquals((await app.inject("/docs/swagger-ui.css")).status, 404);
    assertEquals(await pathsOf(app), ["/first"]);
  } finally {
    Object.defineProperty(globalThis, "process", process);
  }
});

Deno.test("wrong options are refused when the pages are made", () => {
  const app = sluice();
  assertThrows(() => openapiPages(app, { title: "x" } as never), TypeError, "openapi: info: option version");
  assertThrows(
    () => openapiPages(INFO as never, INFO),
    TypeError,
    "openapi cannot take an object and an object; write",
  );
  assertThrows(() => openapiPages(app, INFO, { pages: 1 } as never), TypeError, "openapi: there is no option pages");
});

Deno.test("a program may say where the viewer is, and is asked once, when the page is first opened", async () => {
  const app = sluice().set("env", "test");
  let calls = 0;
  const viewer = async () => {
    calls++;
    if (calls === 1) throw new Error("no connection");
    return (await import("swagger-ui-dist")).default.absolutePath();
  };
  app.use("/docs", openapiPages(app, INFO, { viewer }));
  app.use("/wrong", openapiPages(app, INFO, { viewer: (() => undefined) as never }));
  await pathsOf(app);
  assertEquals(calls, 0);
  const statuses = async (...paths: string[]) =>
    await Promise.all(paths.map(async (path) => {
      const response = await app.inject(path);
      await response.bytes();
      return response.status;
    }));
  // a failed load is retried
  assertEquals(await statuses("/docs/"), [500]);
  assertEquals(await statuses("/docs/", "/docs/swagger-ui.css", "/docs/pages.js"), [200, 200, 200]);
  assertEquals([calls, await statuses("/docs/swagger-ui-bundle.js", "/wrong/")], [2, [200, 500]]);
  assertThrows(
    () => openapiPages(app, INFO, { viewer: "/viewer" as never }),
    TypeError,
    "openapiPages: option viewer must be a function",
  );
});
