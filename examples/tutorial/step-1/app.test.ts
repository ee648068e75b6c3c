import assert from "node:assert/strict";
import { test } from "node:test";
import { createApp } from "./app.ts";

test("a link leads where it was made to lead", async () => {
  const app = createApp();
  const made = await app.inject("/api/links", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ url: "https://example.com/a" }),
  });
  assert.equal(made.status, 201);
  const visit = await app.inject(made.headers.get("location")!);
  assert.equal(visit.status, 302);
  assert.equal(visit.headers.get("location"), "https://example.com/a");
});

test("a link that nobody has made is 404", async () => {
  assert.equal((await createApp().set("env", "test").inject("/nowhere")).status, 404);
});
