import assert from "node:assert/strict";
import type { FrameworkApp } from "@sluice/sluice";

export async function test(createApp: () => FrameworkApp) {
  const ask = async (app: FrameworkApp, hostname: string, path: string) => {
    const info = { remoteAddr: { hostname, port: 50_000, transport: "tcp" } };
    return await app.fetch(new Request(`http://localhost${path}`), info);
  };

  const sum = await ask(createApp(), "192.0.2.1", "/sum?a=1&b=2");
  assert.equal(sum.status, 200);
  assert.deepEqual(await sum.json(), { sum: 3 });

  for (const query of ["a=1&b=x", "a=x&b=2", "a=1", ""]) {
    assert.equal((await ask(createApp(), "192.0.2.1", `/sum?${query}`)).status, 400, query);
  }

  const app = createApp();
  const statuses = [];
  for (const client of ["192.0.2.1", "192.0.2.1", "192.0.2.1", "192.0.2.2"]) {
    statuses.push((await ask(app, client, "/sum?a=1&b=2")).status);
  }
  assert.deepEqual(statuses, [200, 200, 429, 200]);
}
