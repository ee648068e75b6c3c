import { assert, assertEquals, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import { Cluster, Redis } from "ioredis";
import { createClient, createClientPool, createCluster, createSentinel, RESP_TYPES } from "redis";
import { startCluster } from "../../../tests/support/redis_cluster.ts";
import { startSentinel } from "../../../tests/support/redis_sentinel.ts";
import { type RedisServer, startServer } from "../../../tests/support/redis_servers.ts";
import { until } from "../../../tests/support/until.ts";
import { ALGORITHM_NAMES, Limiter, MemoryStore, type Policy, type RedisPort, RedisStore } from "../../mod.ts";
import type { Entry, LimiterOptions, Store, Take, UpstashClient } from "../../mod.ts";
import { VirtualClock } from "../../testing.ts";
import { decidesAsMemory } from "../support/random_trace.ts";
import { startProxy, type TcpProxy } from "../support/tcp_proxy.ts";

/** The permissions that the store's Redis user needs. */
const MINIMAL_ACL =
  "ACL SETUSER sluice on >secret resetkeys ~sluice:* resetchannels -@all +evalsha +eval +get +set +del +time +scan";

/** Options that keep an ioredis client from resending commands whose outcome is unknown. */
const IOREDIS_OPTIONS = { autoResendUnfulfilledCommands: false, maxRetriesPerRequest: 0, enableOfflineQueue: false };

const URL_OF_TESTS = Deno.env.get("REDIS_URL")!;
/** 17 years in ms: Redis counts by its own clock, and aligned windows must not end during a test. */
const WINDOW = 2 ** 39;

function uniquePrefix(): string {
  return `test-${crypto.randomUUID()}:`;
}

function policyOf(algorithm: Policy["algorithm"], more: Partial<Policy> = {}): Policy {
  return { name: algorithm, algorithm, limit: 3, windowMs: WINDOW, ...more };
}

/** Every algorithm with every effect a refusal can have. */
const POLICIES: Policy[] = ALGORITHM_NAMES.flatMap((algorithm) => {
  const plain = policyOf(algorithm);
  const blocking = { ...plain, name: `${algorithm}/block`, block: { after: 2, forMs: 2 * WINDOW } };
  if (algorithm === "concurrency") return [plain, blocking];
  const charge = { ...plain, name: `${algorithm}/charge`, onDenied: "charge" } as const;
  const extend = { ...plain, name: `${algorithm}/extend`, onDenied: "extend" } as const;
  return [plain, blocking, charge, extend];
});

async function listed(entries: AsyncIterable<Entry>): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of entries) keys.push(key);
  return keys.sort();
}

async function take(store: Store, policy: Policy, key: string, cost = 1) {
  const [verdict] = await store.decide([{ policy, key, cost }]);
  return verdict!;
}

/** Exercises everything a store can do, which must work with any client. */
async function proveItWorks(store: Store): Promise<void> {
  const policy = policyOf("sliding-window", { name: "proof", limit: 3 });
  const second = policyOf("token-bucket", { name: "proof 2", limit: 1 });
  const first = await take(store, policy, "key", 2);
  assertEquals([first.granted, first.remaining], [2, 1]);
  assertEquals((await take(store, policy, "key", 2)).denied, true);
  const batch: Take[] = [{ policy, key: "key", cost: 1 }, { policy: second, key: "key", cost: 1 }];
  assertEquals((await store.decide(batch)).map(({ granted }) => granted), [1, 1]);
  assertEquals(await store.give(batch[0]!, first.stamp, 1), true);
  const refused = await store.decide(batch);
  assertEquals(refused.map(({ granted }) => granted), [0, 0]);
  assertEquals(refused.map(({ denied }) => denied), [false, true]);
  await take(store, policy, "other", 1);
  assertEquals(await listed(store.inspect!(policy)), ["key", "other"]);
  assertEquals(await store.reset({ policy: "proof", key: "key" }), 1);
  assertEquals(await listed(store.inspect!(policy)), ["other"]);
  assertEquals(await store.reset({ policy: "proof" }), 1);
  assertEquals(await store.reset({ policy: "proof 2" }), 1);
}

Deno.test("every key has a time to live after every operation", async () => {
  const client = await createClient({ url: URL_OF_TESTS }).connect();
  const prefix = uniquePrefix();
  const store = new RedisStore({ client, prefix });
  let looks = 0;
  const lookAt = async (key: string, what: string) => {
    const ttl = await client.pTTL(key);
    // -1: no expiry; -2: no such key; 0: its last millisecond. A charged quota may need two more windows, a block lasts
    // two
    assert(ttl !== -1 && ttl <= 4 * WINDOW, `${what}: ${ttl} ms`);
    if (ttl >= 0) looks++;
  };
  const look = async ({ name }: Policy, what: string) => {
    const own = { MATCH: `${prefix}{key}${name}\u0001*`, COUNT: 1000 };
    for await (const page of client.scanIterator(own)) {
      for (const key of page) await lookAt(key, `${name}, ${what}`);
    }
  };
  for (const policy of POLICIES) {
    const one: Take = { policy, key: "key", cost: 2 };
    const { stamp } = await take(store, policy, "key", 2);
    await look(policy, "take");
    for (let times = 0; times < 3; times++) {
      assertEquals((await take(store, policy, "key", 2)).denied, true, policy.name);
      await look(policy, "refusal");
    }
    await store.decide([one], 3);
    await look(policy, "several times");
    await store.give(one, stamp, 1);
    await look(policy, "give a part");
    await store.give(one, stamp, 1);
    await look(policy, "give the rest");
    await take(store, policy, "key", 0);
    await look(policy, "look");
  }
  assert(looks > POLICIES.length * 6, `${looks} keys were looked at`);
  looks = 0;
  for await (const page of client.scanIterator({ MATCH: `${prefix}*` })) {
    // a fully refunded key is kept for only a tenth of a second, and may expire between the two calls
    for (const key of page) await lookAt(key, key);
  }
  assert(looks >= POLICIES.length / 2, `${looks} keys were found`);
  for (const { name } of POLICIES) await store.reset({ policy: name });
  await client.close();
});

Deno.test("the server's clock is used, whatever the clocks of the processes say", async () => {
  const prefix = uniquePrefix();
  const here = new RedisStore({ url: URL_OF_TESTS, prefix });
  const there = new RedisStore({ url: URL_OF_TESTS, prefix });
  const client = new Redis(URL_OF_TESTS);
  const now = Date.now;
  try {
    for (const algorithm of ALGORITHM_NAMES) {
      const policy = policyOf(algorithm);
      Date.now = () => now() + 86_400_000;
      assertEquals((await take(here, policy, "key")).remaining, 2, algorithm);
      Date.now = () => now() - 86_400_000;
      assertEquals((await take(there, policy, "key")).remaining, 1, algorithm);
      Date.now = () => 0;
      assertEquals((await take(here, policy, "key")).remaining, 0, algorithm);
      assertEquals((await take(there, policy, "key")).denied, true, algorithm);
    }
    const { stamp } = await take(here, policyOf("fixed-window"), "another");
    const [seconds] = await client.time();
    const passed = Number(seconds) * 1000 + 999 - (stamp - WINDOW);
    assert(passed >= 0 && passed < 5000, `the window began ${passed} ms ago by the server's clock`);
  } finally {
    Date.now = now;
    for (const name of ALGORITHM_NAMES) await here.reset({ policy: name });
    await Promise.all([here.close(), there.close(), client.quit()]);
  }
});

Deno.test("after SCRIPT FLUSH a decision works and counts once", async () => {
  await using server = await startServer();
  const store = new RedisStore({ url: server.url });
  for (const policy of POLICIES) {
    const before = await take(store, policy, "key");
    assertEquals(before.remaining, 2);
    await server.cli("SCRIPT", "FLUSH");
    assertEquals((await take(store, policy, "key")).remaining, 1);
    await server.cli("SCRIPT", "FLUSH");
    assertEquals(await store.give({ policy, key: "key", cost: 1 }, before.stamp, 1), true, policy.name);
    assertEquals((await take(store, policy, "key", 0)).remaining, 2);
  }
  await server.cli("SCRIPT", "FLUSH");
  assertEquals(await store.reset({ policy: POLICIES[0]!.name, key: "key" }), 1);
  await store.close();
});

Deno.test("a decision whose answer is lost is not sent again", async () => {
  await using server = await startServer();
  const client = await createClient({ url: server.url }).connect();
  let lost = 0;
  const sent: string[] = [];
  const send = async (command: string, text: string, keys: readonly string[], args: readonly string[]) => {
    sent.push(command);
    const response = await client.sendCommand([command, text, String(keys.length), ...keys, ...args]);
    if (lost-- > 0) throw new Error("Socket closed unexpectedly");
    return response;
  };
  const port: RedisPort = {
    evalsha: (sha, keys, args) => send("EVALSHA", sha, keys, args),
    eval: (script, keys, args) => send("EVAL", script, keys, args),
    async *scan() {},
  };
  const store = new RedisStore({ client: port });
  const policy = policyOf("fixed-window");
  lost = 1;
  // the script is unknown, and the reply to EVAL is lost
  await assertRejects(() => take(store, policy, "key"), Error, "closed");
  assertEquals(sent.splice(0), ["EVALSHA", "EVAL"]);
  assertEquals((await take(store, policy, "key", 0)).remaining, 2);
  sent.length = 0;
  lost = 1;
  await assertRejects(() => take(store, policy, "key"), Error, "closed");
  assertEquals(sent.splice(0), ["EVALSHA"]);
  assertEquals((await take(store, policy, "key", 0)).remaining, 1);
  await client.close();
});

/** The proxy methods that {@linkcode loseAnAnswer} uses. */
type Wire = Pick<TcpProxy, "hold" | "held" | "cut">;

/** Cuts the connection between a decision and its reply, and asserts that it counted exactly once. */
async function loseAnAnswer(store: Store, proxy: Wire): Promise<void> {
  const policy = policyOf("sliding-log");
  assertEquals((await take(store, policy, "key")).remaining, 2);
  proxy.hold();
  const lost = take(store, policy, "key").then(() => "answered", () => "rejected");
  await until(() => proxy.held > 0, "an answer that is held back");
  proxy.cut();
  assertEquals(await lost, "rejected");
  let remaining = -1;
  await until(async () => (remaining = (await take(store, policy, "key", 0)).remaining) >= 0, "a new connection");
  assertEquals(remaining, 1);
}

Deno.test("a decision on a connection that breaks before the answer counts once", async () => {
  await using server = await startServer();
  await using proxy = startProxy(server.port);
  const store = new RedisStore({ url: proxy.url });
  await loseAnAnswer(store, proxy);
  await store.close();
});

Deno.test("an ioredis client configured not to resend counts once too", async () => {
  await using server = await startServer();
  await using proxy = startProxy(server.port);
  const client = new Redis(proxy.url, IOREDIS_OPTIONS);
  client.on("error", () => {});
  const store = new RedisStore({ client });
  await until(async () => (await take(store, policyOf("sliding-log"), "key", 0)).remaining === 3, "a connection");
  await loseAnAnswer(store, proxy);
  client.disconnect();
});

Deno.test("a node-redis cluster client, and an ioredis one configured not to resend, resends no decision", async () => {
  await using cluster = await startCluster();
  await using started = new AsyncDisposableStack();
  const proxies = cluster.nodes.map((node) => started.use(startProxy(node.port)));
  const addresses = proxies.map(({ url }) => ({ host: "127.0.0.1", port: Number(new URL(url).port) }));
  const behind = Object.fromEntries(cluster.nodes.map(({ port }, i) => [`127.0.0.1:${port}`, addresses[i]!]));
  const all: Wire = {
    get held() {
      return proxies.reduce((sum, { held }) => sum + held, 0);
    },
    hold: () => proxies.forEach((proxy) => proxy.hold()),
    cut: () => proxies.forEach((proxy) => proxy.cut()),
  };
  const nodeRedis = createCluster({ rootNodes: proxies.map(({ url }) => ({ url })), nodeAddressMap: behind });
  nodeRedis.on("error", () => {});
  await nodeRedis.connect();
  await loseAnAnswer(new RedisStore({ client: nodeRedis, prefix: "node-redis:" }), all);
  nodeRedis.destroy();
  const ioRedis = new Cluster(addresses, { natMap: behind, retryDelayOnFailover: 0 });
  ioRedis.on("error", () => {});
  await loseAnAnswer(new RedisStore({ client: ioRedis, prefix: "ioredis:" }), all);
  ioRedis.disconnect();
});

Deno.test("a node-redis sentinel client configured not to resend resends no decision", async () => {
  await using watched = await startSentinel();
  await using proxy = startProxy(watched.primary.port);
  const client = createSentinel({
    name: watched.name,
    sentinelRootNodes: [{ host: watched.sentinel.host, port: watched.sentinel.port }],
    nodeAddressMap: {
      [`127.0.0.1:${watched.primary.port}`]: { host: "127.0.0.1", port: Number(new URL(proxy.url).port) },
    },
    maxCommandRediscovers: 0,
  });
  client.on("error", () => {});
  await client.connect();
  await loseAnAnswer(new RedisStore({ client }), proxy);
  client.destroy();
});

Deno.test("a key of the wrong type fails in the store, and the limiter decides locally", async () => {
  await using server = await startServer();
  const store = new RedisStore({ url: server.url });
  const limiter = new Limiter({ store, name: "limit", limit: 2 });
  await server.cli("RPUSH", "sluice:{key}limit\u0001f", "not mine");
  await assertRejects(() => take(store, limiter.policies[0]!, "key"), Error, "WRONGTYPE");
  const { decidedBy, allowed } = await limiter.consume("key");
  assertEquals([decidedBy, allowed], ["local", true]);
  assertEquals((await limiter.consume("other")).decidedBy, "store");
  assertEquals(limiter.counters.storeFailures, 1);
  assertEquals(limiter.counters.decidedLocally, 1);
  assertEquals(await server.cli("LRANGE", "sluice:{key}limit\u0001f", "0", "-1"), "not mine");
  await limiter.close();
});

Deno.test("a program's client is listened to until its last store is closed", async () => {
  for (const client of [createClient(), createCluster({ rootNodes: [] }), new Redis({ lazyConnect: true })]) {
    const [one, other] = [new RedisStore({ client }), new RedisStore({ client })];
    assertEquals(client.listenerCount("error"), 1);
    await one.close();
    assertEquals(client.listenerCount("error"), 1);
    await other.close();
    assertEquals(client.listenerCount("error"), 0);
  }
});

Deno.test("text that another program stored under a key is never taken for a state", async () => {
  await using server = await startServer();
  const store = new RedisStore({ url: server.url });
  const limiter = new Limiter({ store, name: "limit", limit: 2 });
  for (const algorithm of ALGORITHM_NAMES) {
    await take(store, policyOf(algorithm), "key");
    const [stored] = (await server.cli("KEYS", `*${algorithm}*`)).split("\n");
    await server.cli("SET", stored!, "somebody else's text", "XX");
    assertEquals((await take(store, policyOf(algorithm), "key")).remaining, 2, algorithm);
  }
  await limiter.close();
});

Deno.test("a full server fails writes, still answers refusals, and writes nothing partially", async () => {
  await using server = await startServer({ args: ["--maxmemory-policy", "noeviction"] });
  const store = new RedisStore({ url: server.url });
  const full = policyOf("fixed-window", { name: "full" });
  const open = policyOf("sliding-window", { name: "open" });
  assertEquals((await take(store, full, "key", 3)).remaining, 0);
  assertEquals((await take(store, open, "key", 1)).remaining, 2);
  await server.cli("CONFIG", "SET", "maxmemory", "1");
  await assertRejects(() => take(store, open, "key"), Error, "OOM");
  await assertRejects(
    () =>
      Promise.resolve(store.decide([{ policy: open, key: "key", cost: 1 }, {
        policy: policyOf("token-bucket"),
        key: "key",
        cost: 1,
      }])),
    Error,
    "OOM",
  );
  // a refusal writes nothing, so it still works
  assertEquals((await take(store, full, "key")).denied, true);
  const limiter = new Limiter({ store, name: "another", limit: 1 });
  assertEquals((await limiter.consume("key")).decidedBy, "local");
  await server.cli("CONFIG", "SET", "maxmemory", "0");
  assertEquals((await take(store, open, "key")).remaining, 1);
  assertEquals((await take(store, policyOf("token-bucket"), "key")).remaining, 2);
  assertEquals((await limiter.consume("key")).decidedBy, "store");
  await limiter.close();
});

Deno.test("a replica fails, the limiter decides locally, and uses it again once it accepts writes", async () => {
  await using server = await startServer();
  const limiter = new Limiter({ store: new RedisStore({ url: server.url }), name: "limit", limit: 3 });
  assertEquals((await limiter.consume("key")).remaining, 2);
  await server.cli("REPLICAOF", "127.0.0.1", "1");
  const errors: string[] = [];
  limiter.on("storeFailure", (error) => errors.push(String(error)));
  assertEquals((await limiter.consume("key")).decidedBy, "local");
  assertStringIncludes(errors.join(), "READONLY");
  // peek does not write
  assertEquals((await limiter.peek("key")).decidedBy, "store");
  await server.cli("REPLICAOF", "NO", "ONE");
  const { decidedBy, remaining } = await limiter.consume("key");
  assertEquals([decidedBy, remaining], ["store", 1]);
  await limiter.close();
});

Deno.test("a server on a Unix socket works like one on a port, and unix:// addresses need their slashes", async () => {
  const folder = await Deno.makeTempDir({ prefix: "sluice-redis-" });
  {
    await using _server = await startServer({ args: ["--unixsocket", `${folder}/socket`] });
    const store = new RedisStore({ url: `unix://${folder}/socket` });
    await proveItWorks(store);
    await store.close();
  }
  await Deno.remove(folder, { recursive: true });
  assertThrows(() => new RedisStore({ url: `unix:${folder}/socket` }), TypeError, "or unix:///path");
});

Deno.test("a node-redis client works as is", async () => {
  const client = await createClient({ url: URL_OF_TESTS }).connect();
  const store = new RedisStore({ client, prefix: uniquePrefix() });
  await proveItWorks(store);
  // the store does not close the user's client
  await store.close();
  assertEquals(await client.ping(), "PONG");
  await client.close();
});

Deno.test("an ioredis client works as is", async () => {
  const client = new Redis(URL_OF_TESTS);
  const store = new RedisStore({ client, prefix: uniquePrefix() });
  await proveItWorks(store);
  await store.close();
  assertEquals(await client.ping(), "PONG");
  client.disconnect();
});

Deno.test("Bun's own client works as is", async () => {
  const real = new Redis(URL_OF_TESTS);
  const isAsked = () => Promise.reject(new TypeError("these have other arguments than a port's"));
  const send = (command: string, args: string[]) => real.call(command, ...args);
  const client = { connected: true, send, evalsha: isAsked, eval: isAsked, scan: isAsked };
  await proveItWorks(new RedisStore({ client, prefix: uniquePrefix() }));
  real.disconnect();
});

Deno.test("an Upstash client works as is", async () => {
  const real = new Redis(URL_OF_TESTS);
  const client: UpstashClient = {
    evalsha: (sha, keys, args) => real.evalsha(sha, keys.length, ...keys, ...args),
    eval: (script, keys, args) => real.eval(script, keys.length, ...keys, ...args),
    scan: (cursor, { match, count }) => real.scan(cursor, "MATCH", match, "COUNT", count),
    createScript: () => Promise.reject(new TypeError("no script was requested")),
  };
  await proveItWorks(new RedisStore({ client, prefix: uniquePrefix() }));
  real.disconnect();
});

Deno.test("a callback-based client is refused with a reason, and so is one whose scan does not list keys", async () => {
  const evalsha = () => Promise.resolve([1, 0, 0, 0, 0, 0, 0, 0]);
  const odd = (client: object) => new Limiter({ store: new RedisStore({ client: client as RedisPort }), limit: 1 });
  const failures: string[] = [];
  const called = odd({ evalsha: () => true, eval: () => true, scan: () => true });
  called.on("storeFailure", ({ message }: Error) => failures.push(message));
  await called.consume("key");
  assertStringIncludes(failures.join(), "must return promises");
  const scans = [() => Promise.reject(new Error("ERR invalid cursor")), () => Promise.resolve(["0", []]), () => true];
  for (const scan of scans) {
    const paged = odd({ evalsha, eval: evalsha, scan });
    assertEquals((await paged.consume("key")).decidedBy, "store");
    await assertRejects(async () => await paged.reset(), TypeError, "scan(pattern) must list keys");
    await assertRejects(async () => await Array.fromAsync(paged.keys()), TypeError, "scan(pattern) must list keys");
  }
});

Deno.test("a client that returns numbers as strings works as is", async () => {
  const nodeRedis = await createClient({ url: URL_OF_TESTS }).connect();
  const mapped = nodeRedis.withTypeMapping({ [RESP_TYPES.NUMBER]: String });
  await proveItWorks(new RedisStore({ client: mapped, prefix: uniquePrefix() }));
  await nodeRedis.close();
  const ioRedis = new Redis(URL_OF_TESTS, { stringNumbers: true });
  await proveItWorks(new RedisStore({ client: ioRedis, prefix: uniquePrefix() }));
  ioRedis.disconnect();
});

Deno.test("an ioredis client with its own key prefix works as is", async () => {
  for (const keyPrefix of ["app:", "a*[b]?", "{slot}"]) {
    const client = new Redis(URL_OF_TESTS, { keyPrefix });
    await proveItWorks(new RedisStore({ client, prefix: uniquePrefix() }));
    client.disconnect();
  }
});

Deno.test("a node-redis client with its own key prefix works as is", async () => {
  for (const keyPrefix of ["app:", "a*[b]?", "{slot}"]) {
    const options = { url: URL_OF_TESTS, keyPrefix };
    const client = await createClient(options).connect();
    await proveItWorks(new RedisStore({ client, prefix: uniquePrefix() }));
    await client.close();
    const pool = createClientPool(options);
    await pool.connect();
    await proveItWorks(new RedisStore({ client: pool, prefix: uniquePrefix() }));
    await pool.close();
  }
});

Deno.test("a node-redis pool works as is", async () => {
  const client = createClientPool({ url: URL_OF_TESTS });
  await client.connect();
  await proveItWorks(new RedisStore({ client, prefix: uniquePrefix() }));
  await client.close();
});

Deno.test("an answer that is not a list of numbers is a failure, and not a grant", async () => {
  for (const response of ["QUEUED", "OK", null, undefined, [], ["1", "0", "x", "0", "0", "0", "0", "0"]]) {
    const asked = () => Promise.resolve(response);
    const port: RedisPort = { evalsha: asked, eval: asked, async *scan() {} };
    const limiter = new Limiter({ store: new RedisStore({ client: port }), limit: 1, onStoreFailure: "closed" });
    const { allowed, decidedBy } = await limiter.consume("key");
    assertEquals([allowed, decidedBy], [false, "closed"], String(response));
  }
});

async function handmade(): Promise<{ port: RedisPort; close(): Promise<void> }> {
  const client = await createClient({ url: URL_OF_TESTS }).connect();
  const port: RedisPort = {
    evalsha: (sha, keys, args) => client.sendCommand(["EVALSHA", sha, String(keys.length), ...keys, ...args]),
    eval: (script, keys, args) => client.sendCommand(["EVAL", script, String(keys.length), ...keys, ...args]),
    async *scan(pattern) {
      for await (const page of client.scanIterator({ MATCH: pattern })) yield* page;
    },
  };
  return { port, close: () => client.close() };
}

Deno.test("any object with the three methods works as a client", async () => {
  const { port, close } = await handmade();
  await proveItWorks(new RedisStore({ client: port, prefix: uniquePrefix() }));
  await close();
});

Deno.test("a key that the server lists twice is one key", async () => {
  const { port: plain, close } = await handmade();
  const port: RedisPort = {
    ...plain,
    // a server may do so while it rehashes, or a cluster while it moves keys to another node
    async *scan(pattern) {
      const keys = await Array.fromAsync(plain.scan(pattern));
      yield* [...keys, ...keys];
    },
  };
  const store = new RedisStore({ client: port, prefix: uniquePrefix() });
  const policy = policyOf("fixed-window", { block: { after: 1, forMs: WINDOW } });
  for (const key of ["a", "b"]) await take(store, policy, key);
  await take(store, policy, "b", 3);
  assertEquals(await listed(store.inspect(policy)), ["a", "b"]);
  assertEquals(await store.reset({ policy: policy.name }), 2);
  await close();
});

Deno.test("a key with nothing left but its block is listed, and counted by reset", async () => {
  const client = await createClient({ url: URL_OF_TESTS }).connect();
  const prefix = uniquePrefix();
  const store = new RedisStore({ client, prefix });
  for (const algorithm of ALGORITHM_NAMES) {
    const policy = policyOf(algorithm, { limit: 1, windowMs: 1, block: { after: 1, forMs: WINDOW } });
    const blocked = async () => (await take(store, policy, "key", 2)).blocked;
    await until(blocked, "a block");
    const left = async () => (await client.keys(`${prefix}*`)).map((key) => key.split("\u0001")[1]).join();
    await until(async () => await left() === "block", "the end of what was counted");
    assertEquals(await listed(store.inspect(policy)), ["key"], algorithm);
    assertEquals(await store.reset({ policy: policy.name }), 1);
  }
  await client.close();
});

async function proveItWorksOnACluster(store: Store, nodes: readonly { cli(...args: string[]): Promise<string> }[]) {
  assertEquals(store.capabilities.atomicBatch, "same-key");
  await proveItWorks(store);
  const tight = policyOf("fixed-window", { name: "tight", limit: 1 });
  const wide = policyOf("sliding-log", { name: "wide", limit: 5 });
  // one key, one slot, one script: nothing has to be refunded
  const together = await store.decide([{ policy: tight, key: "b", cost: 1 }, { policy: wide, key: "b", cost: 1 }]);
  assertEquals(together.map(({ granted }) => granted), [1, 1]);
  const vetoed = await store.decide([{ policy: tight, key: "b", cost: 1 }, { policy: wide, key: "b", cost: 1 }]);
  assertEquals(vetoed.map(({ granted, remaining }) => [granted, remaining]), [[0, 0], [0, 4]]);
  // the slots of "a", "b" and "c" are on three nodes: one node's grant is refunded when another refuses
  const apart: Take[] = [{ policy: wide, key: "a", cost: 2 }, { policy: tight, key: "b", cost: 1 }];
  assertEquals((await store.decide(apart)).map(({ granted, remaining }) => [granted, remaining]), [[0, 5], [0, 0]]);
  assertEquals((await take(store, wide, "a", 0)).remaining, 5);
  const free: Take[] = [{ policy: wide, key: "a", cost: 2 }, { policy: tight, key: "c", cost: 1 }];
  assertEquals((await store.decide(free)).map(({ granted }) => granted), [2, 1]);
  for (const key of ["a", "b", "c"]) await take(store, wide, key);
  for (const node of nodes) assert(Number(await node.cli("DBSIZE")) > 0, "every node has keys");
  assertEquals(await listed(store.inspect!(wide)), ["a", "b", "c"]);
  assertEquals(await store.reset({ policy: "wide" }), 3);
  assertEquals(await listed(store.inspect!(wide)), []);
  assertEquals(await listed(store.inspect!(tight)), ["b", "c"]);
  assertEquals(await store.reset({ policy: "tight" }), 2);
}

Deno.test("a cluster works with node-redis and with ioredis, over all its nodes", async () => {
  await using cluster = await startCluster();
  const nodeRedis = createCluster({ rootNodes: cluster.urls.map((url) => ({ url })) });
  await nodeRedis.connect();
  await proveItWorksOnACluster(new RedisStore({ client: nodeRedis, prefix: "node-redis:" }), cluster.nodes);
  await nodeRedis.close();
  const prefixed = createCluster({ rootNodes: cluster.urls.map((url) => ({ url })), keyPrefix: "app:" });
  await prefixed.connect();
  await proveItWorks(new RedisStore({ client: prefixed }));
  await prefixed.close();
  const ioRedis = new Cluster(cluster.nodes.map(({ port }) => ({ host: "127.0.0.1", port })));
  await proveItWorksOnACluster(new RedisStore({ client: ioRedis, prefix: "ioredis:" }), cluster.nodes);
  ioRedis.disconnect();
});

Deno.test("while a slot moves to another node, its keys can still be counted, listed and reset", async () => {
  await using cluster = await startCluster();
  // the first node has the slot of "b"
  const [from, to] = cluster.nodes as [RedisServer, RedisServer];
  const slot = await from.cli("CLUSTER", "KEYSLOT", "b");
  await to.cli("CLUSTER", "SETSLOT", slot, "IMPORTING", await from.cli("CLUSTER", "MYID"));
  await from.cli("CLUSTER", "SETSLOT", slot, "MIGRATING", await to.cli("CLUSTER", "MYID"));
  const nodeRedis = createCluster({ rootNodes: cluster.urls.map((url) => ({ url })) });
  await nodeRedis.connect();
  const ioRedis = new Cluster(cluster.nodes.map(({ port }) => ({ host: "127.0.0.1", port })));
  const policy = policyOf("fixed-window");
  for (const client of [nodeRedis, ioRedis]) {
    const store = new RedisStore({ client });
    assertEquals((await take(store, policy, "b")).remaining, 2, "on the node it moves to");
    assertEquals(await listed(store.inspect(policy)), ["b"]);
    assertEquals((await take(store, policy, "b", 2)).remaining, 0);
    assertEquals((await take(store, policy, "b")).denied, true);
    assertEquals(await store.reset({ policy: policy.name, key: "b" }), 1);
    assertEquals((await take(store, policy, "b")).remaining, 2);
    assertEquals(await store.reset({ policy: policy.name }), 1);
  }
  await nodeRedis.close();
  ioRedis.disconnect();
});

Deno.test("a cluster whose client has not discovered its nodes yet is not taken for an empty one", async () => {
  await using cluster = await startCluster();
  const connected = createCluster({ rootNodes: [{ url: cluster.urls[0]! }] });
  await connected.connect();
  const store = new RedisStore({ client: connected });
  const policy = policyOf("fixed-window");
  const fill = async () => {
    for (const key of ["a", "b", "c"]) await take(store, policy, key);
  };
  await fill();
  const fresh = () => new Cluster([{ host: "127.0.0.1", port: cluster.nodes[0]!.port }]);
  const lister = fresh();
  assertEquals(await listed(new RedisStore({ client: lister }).inspect(policy)), ["a", "b", "c"]);
  const resetter = fresh();
  assertEquals(await new RedisStore({ client: resetter }).reset({ policy: policy.name }), 3);
  for (const client of [lister, resetter]) client.disconnect();
  await fill();
  const closed = new RedisStore({ client: createCluster({ rootNodes: [{ url: cluster.urls[0]! }] }) });
  await assertRejects(() => closed.reset({ policy: policy.name }), Error, "not connected");
  assertEquals(await store.reset({ policy: policy.name }), 3);
  await connected.close();
});

Deno.test("a cluster node used as a standalone server is an error that says so", async () => {
  await using cluster = await startCluster();
  const store = new RedisStore({ url: cluster.urls[0]! });
  const policy = policyOf("fixed-window");
  // the slots of "a", "b" and "c" are on three nodes
  const alone = await Promise.allSettled(["a", "b", "c"].map((key) => take(store, policy, key)));
  const takes = ["a", "b", "c"].map((key): Take => ({ policy, key, cost: 1 }));
  const together = await Promise.allSettled([store.decide(takes)]);
  const errors = [...alone, ...together].flatMap((one) => one.status === "rejected" ? [String(one.reason)] : []);
  assertEquals(errors.length, 3);
  for (const error of errors) assertStringIncludes(error, "belongs to a cluster; use option client");
  await store.close();
});

Deno.test("when a sentinel's primary dies, the limiter decides locally, and then through the new primary", async () => {
  await using watched = await startSentinel();
  const { host, port } = watched.sentinel;
  const client = createSentinel({ name: watched.name, sentinelRootNodes: [{ host, port }], maxCommandRediscovers: 0 });
  client.on("error", () => {});
  await client.connect();
  const store = new RedisStore({ client });
  await proveItWorks(store);
  const limiter = new Limiter({ store, name: "limit", limit: 1000, windowMs: WINDOW });
  assertEquals((await limiter.consume("key")).remaining, 999);
  const replicated = async () => (await watched.replica.cli("EXISTS", "sluice:{key}limit\u0001f")) === "1";
  await until(replicated, "the key on the replica");
  await watched.primary.kill();
  const first = await limiter.consume("key");
  assertEquals([first.decidedBy, first.allowed], ["local", true]);
  let checks = 0;
  await until(
    async () => {
      checks++;
      return (await limiter.consume("key")).decidedBy === "store";
    },
    "a decision of the new primary",
  );
  assert(limiter.counters.decidedLocally > 0 && limiter.counters.decidedLocally < checks + 1);
  // units counted before the failover still count
  assert((await limiter.consume("key")).remaining <= 997);
  client.destroy();
});

Deno.test("releasing a lease from before a reset ends none taken after it, even in the same millisecond", async () => {
  const store = new RedisStore({ url: URL_OF_TESTS, prefix: uniquePrefix() });
  const policy = policyOf("concurrency", { limit: 1 });
  // from here on, the server has the scripts
  await take(store, policy, "first");
  await store.reset({ policy: policy.name, key: "first" });
  for (let round = 0; round < 100; round++) {
    const key = `${round}`;
    const [before, , after] = await Promise.all([
      take(store, policy, key),
      store.reset({ policy: policy.name, key }),
      take(store, policy, key),
    ]);
    assertEquals([before.granted, after.granted], [1, 1]);
    assertEquals(await store.give({ policy, key, cost: 1 }, before.stamp, 1), false, "it ended with the reset");
    assertEquals((await take(store, policy, key)).denied, true);
  }
  await store.close();
});

Deno.test("every key has its own counter, and is listed as written", async () => {
  const store = new RedisStore({ url: URL_OF_TESTS, prefix: uniquePrefix() });
  const policy = policyOf("fixed-window", { name: "odd * ? [keys] {and} \\ braces", limit: 1000 });
  const keys = [
    ...["{", "}", "{}", "a}b", "a{b}c", "%7b", "%", "%25", "%257b", "%d800", "*", "?", "[a-z]", "\\", "^", "\u0000"],
    ...["a b", " ", "a\nb", "a\r\nb", "\t", "żółć", "日本語", "👍", "\u202e", "e\u0301", "\u00e9", "\u0001block"],
    ...["x".repeat(1000), "x".repeat(999), "{".repeat(1000), "odd", "}odd * ? [keys] {and} \\ braces"],
    ...["\ud800", "\ud801", "\ufffd", "a\udc00"],
  ];
  assertEquals(new Set(keys).size, keys.length);
  for (const [i, key] of keys.entries()) {
    assertEquals((await take(store, policy, key, i + 1)).remaining, 999 - i, JSON.stringify(key));
  }
  assertEquals(await listed(store.inspect(policy)), keys.toSorted());
  for (const [i, key] of keys.entries()) assertEquals((await take(store, policy, key, 0)).remaining, 999 - i);
  for (const key of keys.slice(0, 4)) assertEquals(await store.reset({ policy: policy.name, key }), 1);
  assertEquals(await listed(store.inspect(policy)), keys.slice(4).toSorted());
  assertEquals(await store.reset({ policy: policy.name }), keys.length - 4);
  await store.close();
});

Deno.test("a reset affects no other key or policy, whatever their names look like", async () => {
  const store = new RedisStore({ url: URL_OF_TESTS, prefix: uniquePrefix() });
  const names = [
    "a",
    "a*",
    "a?",
    "ab",
    "[ab]",
    "b",
    "}b",
    "x}b",
    "{a}b",
    "\\a",
    "a\\*",
    "*",
    "^a",
    "a-b",
    "!a",
    "block",
  ];
  const keys = ["key", "*", "k?y", "[k]ey", "x", "x}", "}"];
  const policies = names.map((name) => policyOf("fixed-window", { name, block: { after: 1, forMs: WINDOW } }));
  const all = async () => {
    const there: string[] = [];
    for (const policy of policies) {
      for (const key of keys) {
        const { remaining, blocked } = await take(store, policy, key, 0);
        if (remaining < 3 && blocked) there.push(`${policy.name} ${key}`);
        else assertEquals([remaining, blocked], [3, false]);
      }
    }
    return there;
  };
  for (const policy of policies) for (const key of keys) await take(store, policy, key, 4);
  let expected = names.flatMap((name) => keys.map((key) => `${name} ${key}`));
  assertEquals(await all(), expected);
  for (const [policy, key] of [["a*", "*"], ["*", "k?y"], ["}b", "x"], ["b", "x}"]] as const) {
    await store.reset({ policy, key });
    expected = expected.filter((one) => one !== `${policy} ${key}`);
    assertEquals(await all(), expected);
  }
  for (const name of ["*", "a*", "[ab]", "b", "\\a", "a?"]) {
    await store.reset({ policy: name });
    expected = expected.filter((one) => !one.startsWith(`${name} `));
    assertEquals(await all(), expected, name);
  }
  for (const name of names) await store.reset({ policy: name });
  assertEquals(await all(), []);
  await store.close();
});

Deno.test("a sliding-log that would keep the server busy for long is refused, and what to use instead is told", () => {
  const store = new RedisStore({ url: Deno.env.get("REDIS_URL")! });
  const limit = (limit: number, more: Partial<LimiterOptions> = {}) =>
    new Limiter({ algorithm: "sliding-log", limit, store, ...more });
  limit(4000);
  assertThrows(() => limit(4001), RangeError, 'option limit of "sliding-log" must be at most 4000, not 4001');
  assertThrows(() => limit(4001), RangeError, 'use "sliding-window"');
  assertThrows(() => limit(2001, { onDenied: "charge" }), RangeError, "must be at most 2000, not 2001");
  assertThrows(() => limit(10).consume("key", { limit: 4001 }), RangeError, "4000");
  limit(4001, { store: new MemoryStore() });
  limit(1_000_000, { algorithm: "sliding-window" });
});

// the warning is printed once per process, so one test covers it
Deno.test("equal limiters on two stores of one server and prefix are told that they count together, once", async () => {
  const url = Deno.env.get("REDIS_URL")!;
  const { warn } = console;
  const told: string[] = [];
  console.warn = (text) => void told.push(text);
  const open: Limiter[] = [];
  const limit = (options: { name?: string; prefix?: string; store?: RedisStore; algorithm?: "sliding-window" }) => {
    const { store = new RedisStore({ url, prefix: options.prefix ?? "together:" }), algorithm, name = "api" } = options;
    const limiter = new Limiter({ store, name, ...(algorithm === undefined ? {} : { algorithm }) });
    open.push(limiter);
    return limiter;
  };
  try {
    const store = new RedisStore({ url, prefix: "together:" });
    limit({ store });
    // one store; different names, prefixes or algorithms
    limit({ store });
    limit({ name: "web" });
    limit({ prefix: "apart:" });
    limit({ algorithm: "sliding-window" });
    // one after the other
    await limit({ name: "in turn" }).close();
    await limit({ name: "in turn" }).close();
    assertEquals(told, []);
    const [one, two] = [limit({}), limit({})];
    assertEquals(told, [
      'Limiter: two limiters called "api" count together, because their stores are on one server with the same prefix, ' +
      '"together:". Give each limiter a name of its own, or each store a prefix; if they are to be one limit, give both ' +
      "the same store",
    ]);
    const key = crypto.randomUUID();
    assertEquals([(await one.consume(key)).remaining, (await two.consume(key)).remaining], [99, 98]);
  } finally {
    console.warn = warn;
    await Promise.all(open.map((limiter) => limiter.close()));
  }
});

Deno.test("processes that use different algorithms for a limit do not affect each other's counts", async () => {
  const store = new RedisStore({ url: URL_OF_TESTS, prefix: uniquePrefix() });
  const block = { after: 100, forMs: WINDOW };
  const policies = ALGORITHM_NAMES.map((algorithm) => policyOf(algorithm, { name: "api", block }));
  const granted = policies.map(() => 0);
  for (let turn = 0; turn < 10; turn++) {
    for (const [i, policy] of policies.entries()) granted[i]! += (await take(store, policy, "key")).granted;
  }
  assertEquals(granted, policies.map(({ limit }) => limit));
  for (const policy of policies) assertEquals(await listed(store.inspect(policy)), ["key"]);
  assertEquals(await store.reset({ policy: "api", key: "key" }), 1);
  for (const policy of policies) assertEquals((await take(store, policy, "key")).remaining, 2, policy.algorithm);
  assertEquals(await store.reset({ policy: "api" }), 1);
  for (const policy of policies) assertEquals((await take(store, policy, "key", 0)).remaining, 3, policy.algorithm);
  await store.close();
});

Deno.test("processes that split a sliding window into different numbers of buckets still share its limit", async () => {
  const clock = new VirtualClock();
  const store = new RedisStore({ url: URL_OF_TESTS, prefix: uniquePrefix(), clock: clock.read });
  const policies = [10, 4, 1, 25].map((buckets) => {
    return policyOf("sliding-window", { name: "api", limit: 20, windowMs: 1000, buckets });
  });
  const consequences: readonly Partial<Policy>[] = [{}, { onDenied: "charge" }, { block: { after: 1000, forMs: 1 } }];
  for (const more of consequences) {
    const key = JSON.stringify(more);
    const grants: number[] = [];
    const until = clock.now + 20_000;
    for (let turn = 0; clock.now < until; turn++) {
      const policy = { ...policies[turn % policies.length]!, ...more };
      const looked = await take(store, policy, key, 0);
      const { granted, remaining } = await take(store, policy, key);
      assertEquals([granted, remaining], looked.remaining === 0 ? [0, 0] : [1, looked.remaining - 1]);
      if (granted > 0) grants.push(clock.now);
      clock.advance(turn * 7 % 60);
    }
    assert(grants.length > 100, `${grants.length} were granted`);
    const tooMany = grants.filter((time, i) => (grants[i + 20] ?? Infinity) < time + 1000);
    assertEquals(tooMany, [], key);
  }
  const [first, second] = policies as [Policy, Policy];
  const { stamp } = await take(store, first, "given", 20);
  const one: Take = { policy: second, key: "given", cost: 1 };
  assertEquals(await store.give(one, stamp, 1), false, "a stamp from other buckets means another one here");
  assertEquals((await take(store, second, "given")).denied, true);
  await store.reset({ policy: "api" });
  await store.close();
});

Deno.test("a user with the minimal ACL can do everything the store does", async () => {
  await using server = await startServer();
  await server.cli(...MINIMAL_ACL.split(" "));
  const url = server.url.replace("redis://", "redis://sluice:secret@");
  const store = new RedisStore({ url });
  await proveItWorks(store);
  for (const policy of POLICIES) {
    const { stamp } = await take(store, policy, "key", 2);
    await take(store, policy, "key", 2);
    await store.give({ policy, key: "key", cost: 2 }, stamp, 1);
  }
  await store.close();
  const ioRedis = new Redis(url, { enableReadyCheck: false });
  await proveItWorks(new RedisStore({ client: ioRedis }));
  ioRedis.disconnect();
  assertEquals(await server.cli("ACL", "LOG"), "");
  const elsewhere = new RedisStore({ url, prefix: "elsewhere:" });
  await assertRejects(() => take(elsewhere, policyOf("fixed-window"), "key"), Error, "permission");
  await elsewhere.close();
});

Deno.test("every command of the minimal ACL is needed", async () => {
  await using server = await startServer();
  const url = server.url.replace("redis://", "redis://sluice:secret@");
  const words = MINIMAL_ACL.split(" ");
  for (const command of words.filter((word) => word.startsWith("+"))) {
    await server.cli("FLUSHALL");
    await server.cli("SCRIPT", "FLUSH");
    await server.cli(...words.filter((word) => word !== command));
    const store = new RedisStore({ url });
    const worked = await proveItWorks(store).then(() => true, () => false);
    assertEquals(worked, false, `everything works without ${command}`);
    await store.close();
  }
});

Deno.test("a key that owes is kept in Redis until its debt is paid off, and no longer", async () => {
  const client = await createClient({ url: URL_OF_TESTS }).connect();
  const prefix = uniquePrefix();
  const store = new RedisStore({ client, prefix });
  try {
    for (const algorithm of ALGORITHM_NAMES) {
      if (algorithm === "concurrency") continue;
      const policy: Policy = { name: algorithm, algorithm, limit: 10, windowMs: 60_000, maxDebt: 100 };
      const { stamp } = await take(store, policy, "key", 5);
      const settled = await store.settle({ policy, key: "key", cost: 5 }, stamp, 60);
      assertEquals([settled.granted, settled.remaining], [60, 0]);
      const [key] = await client.keys(`${prefix}{key}${algorithm}\u0001*`);
      const ttl = await client.pTTL(key!);
      // 65 units are used, 10 in each window
      assert(ttl >= settled.resetMs && ttl <= settled.resetMs + 200, `${algorithm}: ${ttl} of ${settled.resetMs} ms`);
      assert(settled.resetMs > 5 * 60_000 && settled.resetMs <= 9 * 60_000, `${algorithm}: ${settled.resetMs} ms`);
      // without debts, the same key is read as it is stored, and never as a key never seen
      const plain = await take(store, { ...policy, maxDebt: undefined }, "key", 10);
      assertEquals(plain.denied, true, algorithm);
    }
  } finally {
    await client.close();
  }
});

Deno.test("a random trace with settlements and changed windows gives the verdicts of the memory store", async () => {
  const clock = new VirtualClock();
  const store = new RedisStore({ url: URL_OF_TESTS, prefix: uniquePrefix(), clock: clock.read });
  assert(await decidesAsMemory(store, clock, 8, 120) > 2500);
  await store.close();
});

Deno.test("two processes with one Redis settle into the same counter", async () => {
  const prefix = uniquePrefix();
  const stores = [1, 2].map(() => new RedisStore({ url: URL_OF_TESTS, prefix }));
  const [one, other] = stores.map((store) => {
    return new Limiter({
      name: "tokens",
      limit: 100,
      windowMs: WINDOW,
      maxDebt: 50,
      store,
      processes: 2,
      timeoutMs: 30_000,
    });
  }) as [Limiter, Limiter];
  const decisions = await Promise.all([one.consume("key", { cost: 40 }), other.consume("key", { cost: 40 })]);
  assertEquals(await Promise.all(decisions.map((decision, i) => decision.settle(i === 0 ? 10 : 70))), [true, true]);
  assertEquals((await one.peek("key")).remaining, 20);
  const last = await other.consume("key", { cost: 20 });
  assertEquals([await last.settle(500), last.verdicts[0]!.granted], [false, 70]);
  await Promise.all([one.close(), other.close()]);
});
