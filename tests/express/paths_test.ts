import type { FrameworkApp } from "@sluice/sluice";
import { assert, assertEquals, assertThrows } from "@std/assert";
import pathToRegexp from "path-to-regexp-of-express-4";
import express4 from "@sluice/express/4";
import { readLegacyPath } from "../../express/src/four/paths/legacy_path.ts";
import type { PathKey } from "../../profile.ts";
import { ask } from "../support/app.ts";
import { random } from "../support/random.ts";

/** How Express 4's `path-to-regexp` compiles a path; `null` if it cannot. */
function ofExpress4(path: string, options: object): { regexp: RegExp; keys: PathKey[] } | null {
  const keys: PathKey[] = [];
  try {
    return { regexp: pathToRegexp(path, keys, options), keys };
  } catch {
    return null;
  }
}

Deno.test("a path of Express 4 matches what it matches there, and its groups have the same keys", () => {
  const pick = random(4);
  // at most one wildcard: the match for a second wildcard is written differently
  const once = ["*", "/*", "/(*)?", "/:z(*)", "/:m([a-z]*)", ":k(.+)", "/:w*", "/:y+"];
  const often = ["/", "/", "/a", "-", ".", "x", ":p", "/:r", "?", "+", "(a|b)", "/(a|b)", "(\\d+)", "/(\\d+)", "(cd)?"];
  const more = [":s(\\d+)", "/:t(\\d+)", "/:u(a|b)", "/:v?", "[ab]", "|", "\\.", "/?", "{2}", "(x)+"];
  const parts = [...often, ...more];
  const text = ["/", "/", "/a", "-", ".", "x", "1", "12", "cd", "a", "b", "//", "%41"];
  const some = (from: readonly string[], most: number) =>
    Array.from({ length: pick(most) }, () => from[pick(from.length)]!).join("");
  let [read, matched] = [0, 0];
  for (let i = 0; i < 8000; i++) {
    const path = `/${some(parts, 4)}${pick(2) === 0 ? "" : once[pick(once.length)]!}${some(parts, 3)}`;
    // a named wildcard is Express 5 syntax, and Express 4 reads `/.:x` as `./:x`
    if (/\*[\w"]|\/\.:/.test(path)) continue;
    const options = { sensitive: pick(2) === 0, end: pick(3) > 0, strict: pick(3) === 0 };
    const theirs = ofExpress4(path, options);
    const ours = unlessRefused(() => readLegacyPath(path, options));
    if (ours === null || theirs === null) continue;
    read++;
    const shown = (keys: readonly PathKey[]) => keys.map(({ name, optional }) => [name, optional]);
    assertEquals(shown(ours.keys), shown(theirs.keys), path);
    for (let times = 0; times < 10; times++) {
      const asked = `/${some(text, 6)}`;
      const found = ours.regexp.exec(asked);
      if (found !== null) matched++;
      const expected = theirs.regexp.exec(asked);
      assertEquals(found && [...found], expected && [...expected], `${path} for ${asked}`);
    }
  }
  assert(read > 4000, `${read} read`);
  assert(matched > 1000, `${matched} matches`);
});

Deno.test("several wildcards match what they match in Express 4", () => {
  const pick = random(5);
  const parts = ["/*", "/*", "/x", "/", "-", "/:path(*)", "*", "/*"];
  const text = ["/", "a", "x", "/x", "/1", "/b", "12", "//"];
  const options = { sensitive: false, end: true, strict: false };
  let matched = 0;
  for (let i = 0; i < 3000; i++) {
    const path = Array.from({ length: 1 + pick(5) }, () => parts[pick(parts.length)]!).join("");
    const ours = unlessRefused(() => readLegacyPath(path, options));
    if (ours === null || /\*[\w"]/.test(path)) continue;
    const { regexp } = ofExpress4(path, options)!;
    for (let times = 0; times < 10; times++) {
      const asked = `/${Array.from({ length: pick(8) }, () => text[pick(text.length)]!).join("")}`;
      const found = ours.regexp.exec(asked);
      if (found !== null) matched++;
      assertEquals(found && [...found], regexp.exec(asked) && [...regexp.exec(asked)!], `${path} for ${asked}`);
    }
  }
  assert(matched > 2000, `${matched} matches`);
});

function unlessRefused<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    assert(error instanceof TypeError, String(error));
    return null;
  }
}

/** Paths that Express 5 rejects, and Express 4's results for them. */
const ANSWERS: readonly (readonly [path: string, asked: string, params: Record<string, string> | null])[] = [
  ["/api/*", "/api/x/y", { 0: "x/y" }],
  ["/api/*", "/api/", { 0: "" }],
  ["/api*", "/apix", { 0: "x" }],
  ["*", "/a/b", { 0: "/a/b" }],
  ["/**", "/a/b", { 0: "a/b", 1: "" }],
  ["/*?/x/*", "/a/x/x/b", { 0: "a/x", 1: "b" }],
  ["/*/edit", "/a/b/edit", { 0: "a/b" }],
  ["/apps/(*)?", "/apps/x/y", { 0: "x/y" }],
  ["/apps/(*)?", "/apps/", {}],
  ["/apps/(*)?", "/apps", null],
  ["/(a|b)", "/b", {}],
  ["/(a|b)", "/c", null],
  ["/x(a|b)", "/xb", { 0: "b" }],
  ["/a/(\\d+)", "/a/12", {}],
  ["/a/(\\d+)", "/a/b", null],
  ["/file/:name*", "/file/a/b/c", { 0: "/b/c", name: "a" }],
  ["/file/:name+", "/file/a/b/c", { name: "c" }],
  ["/ab?cd", "/acd", {}],
  ["/ab?cd", "/abbcd", null],
  ["/ab+cd", "/abbbcd", {}],
  ["/ab(cd)?e", "/abe", {}],
  ["/ab(cd)?e", "/abcde", { 0: "cd" }],
  ["/[ab]c", "/bc", {}],
  ["/:id([0-9a-f]{4})", "/00FF", { id: "00FF" }],
  ["/:id([0-9a-f]{4})", "/00ff0", null],
  ["/:lang(en|de)/x", "/de/x", { lang: "de" }],
  ["/x/:id(\\d+)?", "/x", {}],
  ["/x/:id(\\d*)", "/x/", { id: "" }],
  ["/:a(\\d+)-:b(\\d+)", "/1-2", { a: "1", b: "2" }],
  ["/:path(*)", "/a/b", { 0: "a/b", path: "a/b" }],
  ["/:path(.*)", "/a/b", { 0: "/b", path: "a/b" }],
  // a dot is a dot
  ["/(.*)", "/a", null],
  ["/(.*)", "/.a", { 0: "a" }],
  // braces and named wildcards still have Express 5's meaning
  ["/:id(\\d+){/:part}", "/7", { id: "7" }],
  ["/:id(\\d+)/*rest", "/7/a%2Fb/c", { id: "7", rest: ["a/b", "c"] as never }],
];

for (const [path, asked, params] of ANSWERS) {
  const response = params === null ? "is not found" : `has ${JSON.stringify(params)}`;
  Deno.test(`${asked} under ${path} ${response}, also beside other routes`, async () => {
    const app = express4().set("env", "test");
    // the index decides by the path's start
    app.get(["/api/other", "/x/other", "/ab/other"], (_req, res) => res.send("other"));
    app.get(path, (req, res) => res.json(req.params));
    const response = await ask(app, asked);
    assertEquals(response.status === 404 ? await response.text().then(() => null) : await response.json(), params);
  });
}

Deno.test("a router mounted at a path of Express 4 sees the rest of the path and its parameters", async () => {
  const app = express4().set("env", "test");
  app.use("/v:version(\\d+)?/api", (req, res) => res.json([req.baseUrl, req.url, req.params.version ?? null]));
  assertEquals(await (await ask(app, "/v2/api/x?y")).json(), ["/v2/api", "/x?y", "2"]);
  assertEquals(await (await ask(app, "/v/api/x")).json(), ["/v/api", "/x", null]);
  assertEquals((await ask(app, "/v2/apis")).status, 404);
});

Deno.test("a constraint is as sensitive to case as its router", async () => {
  const strict = express4().set("env", "test").enable("case sensitive routing").get(
    "/:id([a-z]+)",
    (_req, res) => res.send("found"),
  );
  const loose = express4().set("env", "test").get("/:id([a-z]+)", (_req, res) => res.send("found"));
  assertEquals([(await ask(strict, "/AB")).status, (await ask(loose, "/AB")).status], [404, 200]);
});

Deno.test("no path of Express 4 makes a request slow by what is not a regular expression of its own", () => {
  const paths = [
    "/*/*/*/x",
    "/*/x/*/y/*/(1)",
    "/**/*/**-",
    "/:a(*)/:b(*)/:c(*)/end",
    "/:a(.*)-:b(.*)-:c(.*)/end",
    "/*-*-*-@",
  ];
  const hostile = ["/", "a/", "-", "a-", "x/", "/x", "a"].map((part) => `/${part.repeat(8000)}!`);
  for (const path of paths) {
    const { regexp } = readLegacyPath(path, { sensitive: false, end: true, strict: false })!;
    const start = performance.now();
    // a backtracking expression would not finish
    for (const asked of hostile) assertEquals(regexp.test(asked), false, path);
    assert(performance.now() - start < 5000, path);
  }
});

Deno.test("what a program for Express 4 writes works: bare wildcards, optional parts, constraints, groups", async () => {
  const app = express4().set("env", "test");
  app.get("/old/*", (req, res) => res.json(req.params));
  app.get("/opt/:id?", (req, res) => res.json(req.params));
  app.get("/num/:id(\\d+)", (req, res) => res.json(req.params));
  app.get("/rest/:path(.*)", (req, res) => res.json(req.params));
  app.get("/files/:file(*)", (req, res) => res.json(req.params));
  app.get("/end/?", (_req, res) => res.json("end"));
  app.get("/team/:id/push/?*", (req, res) => res.json(req.params));
  assertEquals(await text(app, "/old/a/b"), '{"0":"a/b"}');
  assertEquals(await text(app, "/old/"), '{"0":""}');
  assertEquals(await text(app, "/opt"), "{}");
  assertEquals(await text(app, "/opt/7"), '{"id":"7"}');
  assertEquals(await text(app, "/num/42"), '{"id":"42"}');
  assertEquals((await ask(app, "/num/x")).status, 404);
  // unnamed groups are numbered, and a wildcard in a constraint is an unnamed group
  assertEquals(await text(app, "/rest/a/b"), '{"0":"/b","path":"a/b"}');
  assertEquals(await text(app, "/files/a/b"), '{"0":"a/b","file":"a/b"}');
  for (const path of ["/end", "/end/"]) assertEquals(await text(app, path), '"end"');
  assertEquals((await ask(app, "/en")).status, 404);
  for (const [rest, wildcard] of [["", ""], ["/", ""], ["/a/b", "a/b"], ["es", "es"]] as const) {
    assertEquals(await (await ask(app, `/team/7/push${rest}`)).json(), { 0: wildcard, id: "7" }, rest);
  }
  assertThrows(() => app.get("/search?q=1", () => {}), TypeError, "Unexpected ?");
});

async function text(app: FrameworkApp, path: string): Promise<string> {
  return await (await ask(app, path)).text();
}
