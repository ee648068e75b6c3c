import assert from "node:assert/strict";
import { test } from "node:test";
import { createApp } from "./app.ts";

/** An application behind one proxy, which names the client. */
function makeApp() {
  return createApp().set("trust proxy", 1);
}

/** A client with its own application, unless it shares one. */
function client(address = "192.0.2.1", app = makeApp()) {
  const headers = { "content-type": "application/json", "x-forwarded-for": address };
  const ask = (path: string, init: RequestInit) => app.handle(new Request(`http://localhost${path}`, init));
  return {
    get: (path: string) => ask(path, { headers }),
    post: (path: string, body: string) => ask(path, { method: "POST", headers, body }),
  };
}

test("a note can be added and read", async () => {
  const { get, post } = client();
  const added = await post("/notes", `{ "text": "Buy milk" }`);
  assert.equal(added.status, 201);
  const path = String(added.headers.get("location"));
  assert.deepEqual(await (await get(path)).json(), { id: 1, text: "Buy milk" });
});

test("what is not a note is refused", async () => {
  const { post } = client();
  const empty = await post("/notes", `{ "text": " " }`);
  assert.equal(empty.status, 422);
  assert.deepEqual(await empty.json(), { error: "text must be a string, and not empty" });
  assert.equal((await post("/notes", "{")).status, 400);
});

test("what is not there is answered in JSON", async () => {
  const response = await client().get("/nowhere");
  assert.equal(response.status, 404);
  assert.deepEqual(await response.json(), { error: "There is nothing at /nowhere" });
});

test("a client that asks too often is refused, and no other", async () => {
  const app = makeApp();
  const [often, once] = [client("192.0.2.1", app), client("192.0.2.2", app)];
  for (let i = 0; i < 100; i++) assert.equal((await often.get("/notes")).status, 200);
  assert.equal((await often.get("/notes")).status, 429);
  assert.equal((await once.get("/notes")).status, 200);
});
