import { assertEquals, assertRejects } from "@std/assert";
import sluice from "@sluice/sluice";
import { type RedisServer, startServer } from "../../../tests/support/redis_servers.ts";
import { until } from "../../../tests/support/until.ts";
import { Limiter, rateLimit, RedisStore } from "../../mod.ts";

/** Number of connections to a server, excluding the one that counts them. */
async function connections(server: RedisServer): Promise<number> {
  const list = await server.cli("CLIENT", "LIST", "TYPE", "normal");
  return list.trim().split("\n").length - 1;
}

/** Sends requests one after the other, and returns their statuses. */
async function statuses(app: ReturnType<typeof sluice>, times: number, path = "/tenant"): Promise<number[]> {
  const all: number[] = [];
  for (let i = 0; i < times; i++) all.push((await app.fetch(new Request(`http://localhost${path}`))).status);
  return all;
}

/** An application whose limiters and stores are made inside requests. */
interface Limited {
  readonly app: ReturnType<typeof sluice>;
  /** Every limiter made so far. */
  readonly limiters: Set<Limiter>;
  close(): Promise<unknown>;
}

function limited(url: string, limit: number): Limited {
  const limiters = new Set<Limiter>();
  const app = sluice();
  app.get("/:tenant", async (req, res, next) => {
    const store = new RedisStore({ url, prefix: `${req.params["tenant"]}:` });
    const limiter = rateLimit({ limit, store, timeoutMs: 5000 });
    await limiter(req, res, next);
    limiters.add(limiter.limiter);
  }, (_req, res) => res.send("hello"));
  return { app, limiters, close: () => Promise.all(Array.from(limiters, (limiter) => limiter.close())) };
}

function failures({ limiters }: Limited): number {
  return [...limiters].reduce((sum, { counters }) => sum + counters.storeFailures, 0);
}

Deno.test("a limiter made inside each request with its own store counts, over one connection", async () => {
  await using server = await startServer();
  const made = limited(server.url, 3);
  assertEquals(await statuses(made.app, 6), [200, 200, 200, 429, 429, 429]);
  assertEquals([made.limiters.size, failures(made), await connections(server)], [1, 0, 1]);
  await made.close();
  await until(async () => await connections(server) === 0, "the end of the connection");
});

Deno.test("a limiter made inside each request with its own store also limits while the server is down", async () => {
  const server = await startServer();
  await server.stop();
  const made = limited(server.url, 3);
  assertEquals(await statuses(made.app, 6), [200, 200, 200, 429, 429, 429]);
  await made.close();
});

Deno.test("a limiter that is made and closed inside each request keeps counting in the store", async () => {
  await using server = await startServer();
  const made = limited(server.url, 3);
  for (const status of [200, 200, 200, 429]) {
    assertEquals(await statuses(made.app, 1), [status]);
    await made.close();
  }
  assertEquals([made.limiters.size, failures(made)], [4, 0]);
});

Deno.test("stores made inside requests with different prefixes count apart, however many there are", async () => {
  await using server = await startServer();
  const made = limited(server.url, 1);
  for (let i = 0; i < 1001; i++) assertEquals(await statuses(made.app, 1, `/${i}`), [200]);
  assertEquals(await statuses(made.app, 2, "/1001"), [200, 429]);
  assertEquals(await statuses(made.app, 1, "/0"), [429]);
  assertEquals(await connections(server), 1);
  await made.close();
});

Deno.test("a connection closes with the last store that used it, and a later store has a new one", async () => {
  await using server = await startServer();
  const make = () =>
    new Limiter({ name: "limit", limit: 2, store: new RedisStore({ url: server.url }), timeoutMs: 5000 });
  const [one, two, unused] = [make(), make(), make()];
  assertEquals([(await one.consume("key")).remaining, (await two.consume("key")).remaining], [1, 0]);
  await one.close();
  await one.close();
  assertEquals([(await two.consume("key")).decidedBy, (await one.consume("key")).decidedBy], ["store", "local"]);
  await assertRejects(() => one.warm(), Error, "the store was closed");
  await two.close();
  await until(async () => await connections(server) === 0, "the end of the connection");
  const three = make();
  assertEquals((await three.consume("key")).decidedBy, "store");
  // it was made while the old connection existed
  assertEquals((await unused.consume("key")).decidedBy, "store");
  assertEquals(await connections(server), 1);
  await Promise.all([three.close(), unused.close()]);
});
