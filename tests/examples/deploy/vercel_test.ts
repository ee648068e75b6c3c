import { type Serving, startServing } from "../../contracts/serving.ts";
import { copyExample, host, skipTools } from "./packages.ts";
import { until } from "../../support/until.ts";
import { asClient, checkService, checkTogether, startAudits } from "./service.ts";

const redisUrl = Deno.env.get("REDIS_URL");

async function startFunction(folder: string, env: Record<string, string>): Promise<Serving> {
  const { ask, ...serving } = await startServing("node", [await host("vercel.mjs"), folder, "src/server.ts"], {
    REDIS_URL: "",
    ...env,
  });
  // the host, as Vercel's proxy passes it
  const headers = { "x-forwarded-host": "converter.vercel.app" };
  return {
    ...serving,
    ask: (path, init) => ask(path, { ...init, headers: { ...headers, ...init?.headers as object } }),
  };
}

for (
  const [name, what] of [["vercel", "the example for Vercel"], ["node-docker", "the program for Docker, unchanged,"]]
) {
  Deno.test(`${what} runs as a function on Node, and counts in each instance without Redis`, {
    ignore: skipTools,
  }, async () => {
    const folder = await copyExample(name!);
    await using audits = startAudits();
    const env = { SERVICE_NAME: "on Vercel", AUDIT_URL: audits.url, PROXIES: "1" };
    const { ask, stop } = await startFunction(folder, env);
    try {
      const otherClient = { "x-forwarded-for": "198.51.100.2" };
      await checkService({ ask: asClient(ask, "198.51.100.1"), name: "on Vercel", audits, otherClient });
    } finally {
      await stop();
    }
  });
}

Deno.test("work passed to req.waitUntil keeps a function on Vercel running", { ignore: skipTools }, async () => {
  const folder = await copyExample("vercel");
  const [arrived, released] = [Promise.withResolvers<void>(), Promise.withResolvers<Response>()];
  await using audits = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, () => {
    arrived.resolve();
    return released.promise;
  });
  const { origin, ask, stop } = await startFunction(folder, { AUDIT_URL: `http://127.0.0.1:${audits.addr.port}/` });
  await (await ask("/convert/1/km/m")).body?.cancel();
  await arrived.promise;
  const stopping = stop();
  try {
    // the launcher accepts requests as long as it runs; requests fail once the function's own server is closed
    await until(async () => {
      const response = await fetch(origin);
      await response.body?.cancel();
      return response.status === 500;
    }, "the function is being stopped");
  } finally {
    released.resolve(new Response());
    await stopping;
  }
});

Deno.test("two instances of the example for Vercel count together in Redis", {
  ignore: skipTools || redisUrl === undefined,
}, async () => {
  const folder = await copyExample("vercel");
  await checkTogether(() => startFunction(folder, { REDIS_URL: redisUrl! }));
});
