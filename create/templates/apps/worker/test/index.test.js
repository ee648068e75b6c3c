import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { unstable_startWorker } from "wrangler";

// the Worker, in the runtime and with the Durable Objects that Cloudflare has
let worker;
before(async () => {
  worker = await unstable_startWorker({ config: "wrangler.jsonc", dev: { persist: false, logLevel: "error" } });
});
after(() => worker.dispose());

function post(body) {
  const headers = { "content-type": "application/json" };
  return worker.fetch("http://localhost/sums", { method: "POST", headers, body });
}

test("a visitor is greeted", async () => {
  const answer = await worker.fetch("http://localhost/greetings/Ann");
  assert.deepEqual(await answer.json(), { greeting: "Hello, Ann" });
});

test("numbers are added, and anything else is refused", async () => {
  assert.deepEqual(await (await post("[1, 2]")).json(), { error: "numbers must be a list of numbers" });
  assert.deepEqual(await (await post(`{ "numbers": [1, 2] }`)).json(), { sum: 3 });
});

test("what is not there is answered in JSON", async () => {
  const answer = await worker.fetch("http://localhost/nowhere");
  assert.equal(answer.status, 404);
  assert.deepEqual(await answer.json(), { error: "There is nothing at /nowhere" });
});

test("a client that asks too often is refused", async () => {
  const statuses = new Set();
  for (let i = 0; i < 101; i++) {
    const answer = await worker.fetch("http://localhost/greetings/Ann");
    statuses.add(answer.status);
    await answer.text();
  }
  assert.deepEqual([...statuses], [200, 429]);
});
