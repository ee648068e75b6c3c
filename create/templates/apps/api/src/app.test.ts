import assert from "node:assert/strict";
import { test } from "node:test";
import { createApp } from "./app.ts";

type App = ReturnType<typeof createApp>;

function get(app: App, path: string): Promise<Response> {
  return app.handle(new Request(`http://localhost${path}`));
}

function post(app: App, body: string): Promise<Response> {
  const headers = { "content-type": "application/json" };
  return app.handle(new Request("http://localhost/notes", { method: "POST", headers, body }));
}

test("a note can be added and read", async () => {
  const app = createApp();
  const added = await post(app, `{ "text": "Buy milk" }`);
  assert.equal(added.status, 201);
  const path = String(added.headers.get("location"));
  assert.deepEqual(await (await get(app, path)).json(), { id: 1, text: "Buy milk" });
});

test("what is not a note is refused", async () => {
  const app = createApp();
  const empty = await post(app, `{ "text": " " }`);
  assert.equal(empty.status, 422);
  assert.deepEqual(await empty.json(), { error: "text must be a string, and not empty" });
  assert.equal((await post(app, "{")).status, 400);
});

test("what is not there is answered in JSON", async () => {
  const answer = await get(createApp(), "/nowhere");
  assert.equal(answer.status, 404);
  assert.deepEqual(await answer.json(), { error: "There is nothing at /nowhere" });
});

test("a client that asks too often is refused", async () => {
  const app = createApp();
  for (let i = 0; i < 100; i++) assert.equal((await get(app, "/notes")).status, 200);
  assert.equal((await get(app, "/notes")).status, 429);
});
