/** Limits counted by Cloudflare's rate limiting binding, in workerd. */
import { assertEquals } from "@std/assert";
import { type RunningWorker, withWorker, WORKERD } from "../support/workerd.ts";

const MAIN = `
  import { env } from "cloudflare:workers";
  import { makeApp } from "./program.js";
  export default makeApp(env);`;

function withApp(body: (worker: RunningWorker) => Promise<void>): Promise<void> {
  const limits = { LIMITER: { limit: 5, period: 60 } } as const;
  return withWorker("tests/workers/programs/rate_limited.ts", { main: MAIN, limits }, body);
}

/**
 * The binding's periods begin on each clock minute. If a period ends during a test, the test runs again with a
 * different key.
 */
async function inOnePeriod<T>(body: (key: string) => Promise<T>): Promise<T> {
  for (;;) {
    const before = Math.floor(Date.now() / 60_000);
    const result = await body(crypto.randomUUID());
    if (Math.floor(Date.now() / 60_000) === before) return result;
  }
}

async function statusOf(url: string): Promise<number> {
  const { status, body } = await fetch(url);
  await body?.cancel();
  return status;
}

Deno.test("the binding's limit holds, however a program has the binding", WORKERD, async () => {
  await withApp(async ({ origin }) => {
    for (const path of ["once", "each", "hono"]) {
      const statuses = await inOnePeriod((key) =>
        Promise.all(Array.from({ length: 12 }, () => statusOf(`${origin}/${path}?key=${key}`)))
      );
      assertEquals(statuses.filter((status) => status === 200).length, 5, path);
      assertEquals(statuses.filter((status) => status === 429).length, 7, path);
      assertEquals(await statusOf(`${origin}/${path}?key=${crypto.randomUUID()}`), 200, path);
    }
  });
});

Deno.test("decisions of one turn are as many calls of the binding, merged or not", WORKERD, async () => {
  await withApp(async ({ text }) => {
    for (const name of ["plain", "merged"]) {
      const decided = JSON.parse(await inOnePeriod((key) => text(`/turn/${name}?key=${key}`)));
      const expected = Array.from({ length: 8 }, (_, n) => [n < 5, "store"]);
      assertEquals(decided, expected, name);
    }
  });
});

Deno.test("headers of the binding's limit tell nothing that it does not", WORKERD, async () => {
  await withApp(async ({ origin }) => {
    const [granted, refused] = await inOnePeriod(async (key) => {
      const responses: Response[] = [];
      for (let n = 0; n < 6; n++) responses.push(await fetch(`${origin}/once?key=${key}`));
      return await Promise.all([responses[0]!, responses[5]!].map(async (response) => {
        const told = [...response.headers].filter(([name]) => /ratelimit|retry-after/.test(name));
        return { status: response.status, told: Object.fromEntries(told), body: await response.json() };
      }));
    });
    const policy = { "ratelimit-policy": '"once";q=5;w=60', "x-ratelimit-limit": "5" };
    assertEquals([granted!.status, granted!.told], [200, policy]);
    assertEquals([granted!.body.limit, granted!.body.used, granted!.body.remaining], [5, null, null]);
    assertEquals([refused!.status, refused!.told], [429, {
      ...policy,
      "ratelimit": '"once";r=0;t=60',
      "retry-after": "60",
      "x-ratelimit-remaining": "0",
      "x-ratelimit-reset": "60",
    }]);
  });
});
