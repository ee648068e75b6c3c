import assert from "node:assert/strict";
import { test } from "node:test";
import { createApp } from "./app.ts";

type App = ReturnType<typeof createApp>;

function get(app: App, path: string): Promise<Response> {
  return app.handle(new Request(`http://localhost${path}`));
}

function post(app: App, fields: Record<string, string>): Promise<Response> {
  const body = new URLSearchParams(fields);
  return app.handle(new Request("http://localhost/guests", { method: "POST", body }));
}

test("a guest who has signed is on the page, as text", async () => {
  const app = createApp();
  const signed = await post(app, { name: "Ann <3" });
  assert.equal(signed.status, 303);
  const page = await (await get(app, "/")).text();
  assert.match(page, /Ann &lt;3/);
});

test("a guest without a name is refused", async () => {
  const response = await post(createApp(), { name: " " });
  assert.equal(response.status, 422);
  assert.match(await response.text(), /A guest needs a name/);
});

test("the page's style is a file", async () => {
  const response = await get(createApp(), "/public/style.css");
  assert.equal(response.status, 200);
  assert.match(String(response.headers.get("content-type")), /^text\/css/);
  assert.match(await response.text(), /font-family/);
});
