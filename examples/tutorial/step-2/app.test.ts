import assert from "node:assert/strict";
import { test } from "node:test";
import { createApp } from "./app.ts";

function client(app = createApp().set("env", "test")) {
  const post = (path: string, body: unknown) =>
    app.inject(path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  return { get: (path: string) => app.inject(path), post };
}

test("a link leads where it was made to lead", async () => {
  const { get, post } = client();
  const made = await post("/api/links", { url: "https://example.com/a", code: "docs" });
  assert.deepEqual(await made.json(), { code: "docs", url: "https://example.com/a" });
  assert.equal((await get("/docs")).headers.get("location"), "https://example.com/a");
});

test("what is not a link is refused, with what is wrong", async () => {
  const { post } = client();
  for (const url of [undefined, "", "example.com", "javascript:alert(1)", 7]) {
    const response = await post("/api/links", { url });
    assert.equal(response.status, 400, String(url));
    const { errors } = await response.json();
    assert.deepEqual([errors[0].in, errors[0].pointer], ["body", "/url"]);
  }
  assert.equal((await post("/api/links", { url: "https://example.com", code: "a/b" })).status, 400);
});

test("a code is given once", async () => {
  const { get, post } = client();
  await post("/api/links", { url: "https://example.com/first", code: "docs" });
  assert.equal((await post("/api/links", { url: "https://example.com/second", code: "docs" })).status, 409);
  assert.equal((await get("/docs")).headers.get("location"), "https://example.com/first");
});
