import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { createApp } from "./app.ts";

/** An application behind one proxy, which sends the client's address. */
function makeApp(db = new DatabaseSync(":memory:")) {
  return createApp({ db, secret: "a secret for tests of 32 letters" }).set("env", "test").set("trust proxy", 1);
}

/** A browser: it sends the cookies it has received. */
function browser(app = makeApp()) {
  let cookie = "";
  const ask = async (path: string, init: RequestInit = {}) => {
    const headers = { "content-type": "application/json", "x-forwarded-for": "192.0.2.1", cookie, ...init.headers };
    const response = await app.inject(path, { ...init, headers });
    for (const set of response.headers.getSetCookie()) cookie = set.split(";")[0]!;
    return response;
  };
  const post = (path: string, body: unknown, headers = {}) =>
    ask(path, { method: "POST", headers, body: JSON.stringify(body) });
  return { get: (path: string) => ask(path), post };
}

const ANN = { name: "ann", password: "correct horse battery" };

test("who signs up makes links, and sees only these", async () => {
  const app = makeApp();
  const [ann, ben] = [browser(app), browser(app)];
  assert.equal((await ann.post("/api/signup", ANN)).status, 201);
  assert.equal((await ben.post("/api/signup", { ...ANN, name: "ben" })).status, 201);
  await ann.post("/api/links", { url: "https://example.com/a", code: "docs" });
  assert.deepEqual(await (await ann.get("/api/links")).json(), [
    { code: "docs", url: "https://example.com/a", visits: 0 },
  ]);
  assert.deepEqual(await (await ben.get("/api/links")).json(), []);
  assert.equal((await ben.get("/api/links/docs")).status, 404);
  assert.equal((await ben.get("/docs")).status, 302);
});

test("nobody makes links without a session, and after a logout there is none", async () => {
  const ann = browser();
  assert.equal((await ann.post("/api/links", { url: "https://example.com" })).status, 401);
  await ann.post("/api/signup", ANN);
  assert.equal((await ann.post("/api/logout", {})).status, 204);
  assert.equal((await ann.get("/api/links")).status, 401);
  assert.equal((await ann.post("/api/login", ANN)).status, 200);
  assert.equal((await ann.get("/api/links")).status, 200);
});

test("after five wrong passwords for a name, the right one is refused, too", async () => {
  const app = makeApp();
  await browser(app).post("/api/signup", ANN);
  const guesser = browser(app);
  for (let i = 0; i < 5; i++) {
    assert.equal((await guesser.post("/api/login", { ...ANN, password: `a guess, number ${i}` })).status, 401);
  }
  assert.equal((await guesser.post("/api/login", ANN)).status, 429);
});

test("a page of another site makes no links", async () => {
  const ann = browser();
  await ann.post("/api/signup", ANN);
  const fromElsewhere = { "origin": "https://evil.example", "sec-fetch-site": "cross-site" };
  assert.equal((await ann.post("/api/links", { url: "https://evil.example" }, fromElsewhere)).status, 403);
});

test("whoever watches a link hears of each visit, and nobody else does", async () => {
  const app = makeApp();
  const ann = browser(app);
  await ann.post("/api/signup", ANN);
  await ann.post("/api/links", { url: "https://example.com/a", code: "docs" });
  const response = await ann.get("/api/links/docs/visits");
  assert.equal(response.headers.get("content-type"), "text/event-stream");
  const events = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  assert.equal((await events.read()).value, "event: visits\ndata: 0\n\n");
  await browser(app).get("/docs");
  assert.equal((await events.read()).value, "event: visits\ndata: 1\n\n");
  await events.cancel();
  assert.equal((await browser(app).get("/api/links/docs/visits")).status, 401);
});
