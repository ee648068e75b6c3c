import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createApp } from "./app.ts";
import { Links } from "./links.ts";

function client(links = new Links(":memory:")) {
  const app = createApp(links).set("env", "test");
  const post = (path: string, body: unknown) =>
    app.inject(path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  return { get: (path: string) => app.inject(path), post };
}

test("visits are counted", async () => {
  const { get, post } = client();
  await post("/api/links", { url: "https://example.com/a", code: "docs" });
  for (let i = 0; i < 3; i++) assert.equal((await get("/docs")).status, 302);
  assert.deepEqual(await (await get("/api/links/docs")).json(), {
    code: "docs",
    url: "https://example.com/a",
    visits: 3,
  });
});

test("a code is given once, and what nobody has made is 404", async () => {
  const { get, post } = client();
  await post("/api/links", { url: "https://example.com/first", code: "docs" });
  assert.equal((await post("/api/links", { url: "https://example.com/second", code: "docs" })).status, 409);
  assert.equal((await get("/docs")).headers.get("location"), "https://example.com/first");
  assert.equal((await get("/nowhere")).status, 404);
});

test("links are still there after a restart", async () => {
  const folder = await mkdtemp(join(tmpdir(), "links-"));
  try {
    const before = new Links(join(folder, "links.db"));
    await client(before).post("/api/links", { url: "https://example.com/a", code: "docs" });
    before.close();
    const after = new Links(join(folder, "links.db"));
    assert.equal((await client(after).get("/docs")).headers.get("location"), "https://example.com/a");
    after.close();
  } finally {
    await rm(folder, { recursive: true });
  }
});
