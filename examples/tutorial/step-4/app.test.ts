import assert from "node:assert/strict";
import { test } from "node:test";
import { createApp } from "./app.ts";
import { Links } from "./links.ts";

/** An application behind one proxy, which sends the client's address. */
function makeApp() {
  return createApp(new Links(":memory:")).set("env", "test").set("trust proxy", 1);
}

function client(address: string, app = makeApp()) {
  const headers = { "content-type": "application/json", "x-forwarded-for": address };
  const post = (path: string, body: unknown) =>
    app.inject(path, { method: "POST", headers, body: JSON.stringify(body) });
  return { get: (path: string) => app.inject(path, { headers }), post };
}

test("a client makes ten links a minute, and another one ten of its own", async () => {
  const app = makeApp();
  const [often, once] = [client("192.0.2.1", app), client("192.0.2.2", app)];
  for (let i = 0; i < 10; i++) assert.equal((await often.post("/api/links", { url: "https://a.example" })).status, 201);
  const refused = await often.post("/api/links", { url: "https://a.example" });
  assert.equal(refused.status, 429);
  // the window moves in tenths, so it may take one of them longer
  assert.ok(Number(refused.headers.get("retry-after")) <= 66);
  assert.equal((await once.post("/api/links", { url: "https://a.example" })).status, 201);
});

test("who may make no more links may still visit them", async () => {
  const { get, post } = client("192.0.2.1");
  for (let i = 0; i < 11; i++) await post("/api/links", { url: "https://a.example", code: `code-${i}` });
  assert.equal((await get("/code-0")).status, 302);
});
