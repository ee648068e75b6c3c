import { assertEquals } from "@std/assert";
import { createClient } from "redis";
import { startServing } from "../../contracts/serving.ts";
import { copyExample, done, host, skipTools, tool } from "./packages.ts";
import { asClient, checkService, checkTogether, startAudits } from "./service.ts";

const redisUrl = Deno.env.get("REDIS_URL");

// like Vercel: bundles the only function into one file, called with each request
async function buildFunction(folder: string): Promise<string> {
  const bundle = `${folder}function.js`;
  const listener = "addEventListener('fetch', (event) => event.respondWith(edge.default(event.request, event)));";
  await done(tool("esbuild"), [
    ...[`${folder}api/index.ts`, "--bundle", "--format=iife", "--global-name=edge", "--conditions=edge-light,worker"],
    ...["--main-fields=browser,module,main", `--outfile=${bundle}`, `--footer:js=${listener}`, "--log-level=warning"],
  ], folder);
  return bundle;
}

Deno.test("the example for Vercel's edge counts in each instance without Redis", { ignore: skipTools }, async () => {
  const folder = await copyExample("vercel-edge");
  await using audits = startAudits();
  const env = { SERVICE_NAME: "on the edge", AUDIT_URL: audits.url };
  const { ask, stop } = await startServing("node", [await host("edge.mjs"), await buildFunction(folder)], env);
  try {
    const otherClient = { "x-forwarded-for": "198.51.100.2" };
    await checkService({ ask: asClient(ask, "198.51.100.1"), name: "on the edge", audits, otherClient });
  } finally {
    await stop();
  }
});

/** Redis over HTTP, like Upstash. */
async function startUpstash(url: string): Promise<{ url: string; commands: string[] } & AsyncDisposable> {
  const client = createClient({ url });
  await client.connect();
  const commands: string[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    if (request.headers.get("authorization") !== "Bearer secret") {
      return Response.json({ error: "WRONGPASS invalid token" }, { status: 401 });
    }
    const command: (string | number)[] = await request.json();
    commands.push(String(command[0]));
    try {
      return Response.json({ result: await client.sendCommand(command.map(String)) });
    } catch (error) {
      return Response.json({ error: (error as Error).message }, { status: 400 });
    }
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}/`,
    commands,
    async [Symbol.asyncDispose]() {
      await server.shutdown();
      client.destroy();
    },
  };
}

Deno.test("two instances of the example for Vercel's edge count together in Redis over HTTP", {
  ignore: skipTools || redisUrl === undefined,
}, async () => {
  const folder = await copyExample("vercel-edge");
  const bundle = await buildFunction(folder);
  await using redis = await startUpstash(redisUrl!);
  const env = { UPSTASH_REDIS_REST_URL: redis.url, UPSTASH_REDIS_REST_TOKEN: "secret" };
  await checkTogether(async () => startServing("node", [await host("edge.mjs"), bundle], env));
  // EVAL too, if Redis does not know the script yet
  assertEquals(new Set(redis.commands.filter((command) => command !== "EVAL")), new Set(["EVALSHA"]));
});

Deno.test("the example for Vercel's edge sends every path to its function", async () => {
  const vercel = new URL("../../../examples/deploy/vercel-edge/vercel.json", import.meta.url);
  const { rewrites } = JSON.parse(await Deno.readTextFile(vercel));
  // a named parameter in the source would be added to the query
  assertEquals(rewrites, [{ source: "/(.*)", destination: "/api" }]);
});
