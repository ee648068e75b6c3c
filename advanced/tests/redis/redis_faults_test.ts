import { fileURLToPath } from "node:url";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { Redis } from "ioredis";
import { createClient } from "redis";
import { type RedisServer, startServer } from "../../../tests/support/redis_servers.ts";
import { until } from "../../../tests/support/until.ts";
import { type Decision, Limiter, type LimiterOptions, MemoryStore, RedisStore } from "../../mod.ts";
import { FaultyStore, VirtualClock } from "../../testing.ts";
import { startProxy } from "../support/tcp_proxy.ts";
import { PATIENCE_MS } from "../../../tests/support/patience.ts";

/** Tolerance beyond the time budget for a decision, in ms. */
const GRACE_MS = 20;

function limiterOn(url: string, options: LimiterOptions = {}): Limiter {
  return new Limiter({ store: new RedisStore({ url }), name: "limit", limit: 1_000_000, ...options });
}

/** How often a process checks whether it is late, in ms. */
const TICK_MS = 10;

/** Time in ms during which this process was on time. Its own delays on a busy machine are not the limiter's fault. */
class PunctualTime implements Disposable {
  #counted = 0;
  #since = performance.now();
  readonly #timer = setInterval(() => {
    this.#counted = this.now;
    this.#since = performance.now();
  }, TICK_MS);

  get now(): number {
    return this.#counted + Math.min(performance.now() - this.#since, TICK_MS);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}

/** Concurrent callers, each making checks in sequence, and the slowest check's time. */
class Load {
  readonly decisions: Decision[] = [];
  slowestMs = 0;
  #running = true;
  readonly #callers: Promise<void>[];

  constructor(limiter: Limiter, callers: number, time: PunctualTime) {
    this.#callers = Array.from({ length: callers }, async (_, i) => {
      while (this.#running) {
        const begun = time.now;
        this.decisions.push(await limiter.consume(`key ${i % 8}`));
        this.slowestMs = Math.max(this.slowestMs, time.now - begun);
        // a caller also does other things, such as reading its next request
        await new Promise((resolve) => setTimeout(resolve, 0));
      }
    });
  }

  by(who: Decision["decidedBy"]): number {
    return this.decisions.filter(({ decidedBy }) => decidedBy === who).length;
  }

  async end(): Promise<void> {
    this.#running = false;
    await Promise.all(this.#callers);
  }
}

async function answersByStoreAgain(limiter: Limiter): Promise<void> {
  const asked = async () => (await limiter.consume("recovery")).decidedBy === "store";
  await until(asked, "a decision of the store");
}

/**
 * Runs a test that returns its slowest check's time, and repeats it if that was too long. A busy machine delays a
 * process now and then, but a slow limiter is slow every time.
 */
async function inTime(body: (time: PunctualTime) => Promise<number>): Promise<void> {
  for (let attempt = 1;; attempt++) {
    using time = new PunctualTime();
    const slowestMs = await body(time);
    if (slowestMs <= 100 + GRACE_MS) return;
    assert(attempt < 10, `the slowest answer took ${slowestMs} ms, and was late in each of nine attempts before`);
  }
}

/** Records unhandled rejections; the test runner would report only that there was one. */
async function withoutUnhandledRejections(body: () => Promise<void>): Promise<void> {
  const unhandled: unknown[] = [];
  const note = (event: PromiseRejectionEvent) => {
    event.preventDefault();
    unhandled.push(event.reason);
  };
  addEventListener("unhandledrejection", note);
  try {
    await body();
  } finally {
    removeEventListener("unhandledrejection", note);
  }
  assertEquals(unhandled, []);
}

/** A server that is not up yet: its port is known, but nothing listens on it. */
async function absentServer(): Promise<RedisServer> {
  const server = await startServer();
  await server.kill();
  return server;
}

Deno.test("a server that is down at start: answers in time, and decisions by the store once it is up", async () => {
  await withoutUnhandledRejections(() =>
    inTime(async (time) => {
      await using server = await absentServer();
      const limiter = limiterOn(server.url);
      await assertRejects(() => limiter.warm(), Error, "ECONNREFUSED");
      let slowestMs = 0;
      for (let times = 0; times < 3; times++) {
        const begun = time.now;
        const responses = await Promise.all(Array.from({ length: 32 }, (_, i) => limiter.consume(`key ${i}`)));
        slowestMs = Math.max(slowestMs, time.now - begun);
        for (const { decidedBy, allowed } of responses) assertEquals([decidedBy, allowed], ["local", true]);
      }
      assertEquals(limiter.counters.decidedLocally, 96);
      assertEquals(limiter.breakerIsOpen, true);
      await server.restart();
      await answersByStoreAgain(limiter);
      // no earlier command is replayed
      assertEquals(await server.cli("DBSIZE"), "1");
      await limiter.close();
      return slowestMs;
    })
  );
});

const OUTAGES: readonly {
  what: string;
  begin: (server: RedisServer) => unknown;
  end: (server: RedisServer) => unknown;
}[] = [
  { what: "dies", begin: (server) => server.kill(), end: (server) => server.restart() },
  { what: "is stopped (SIGSTOP)", begin: (server) => server.pause(), end: (server) => server.resume() },
];

for (const { what, begin, end } of OUTAGES) {
  Deno.test(`a server that ${what} under load: every answer in time, the configured decision, and recovery`, async () => {
    await withoutUnhandledRejections(() =>
      inTime(async (time) => {
        await using server = await startServer();
        const limiter = limiterOn(server.url);
        await limiter.warm();
        const load = new Load(limiter, 64, time);
        await until(() => load.by("store") > 500, "500 decisions of the store");
        assertEquals(load.by("local"), 0);
        await begin(server);
        await until(() => load.by("local") > 500, "500 local decisions");
        await end(server);
        const before = load.by("store");
        await answersByStoreAgain(limiter);
        await until(() => load.by("store") > before + 500, "500 more decisions of the store");
        await load.end();
        assertEquals(load.decisions.every(({ allowed }) => allowed), true);
        const { decidedLocally, storeFailures, breakerOpened } = limiter.counters;
        assertEquals(decidedLocally >= load.by("local"), true);
        assert(storeFailures > 0 && storeFailures <= decidedLocally && breakerOpened > 0);
        await limiter.close();
        return load.slowestMs;
      })
    );
  });
}

Deno.test("a refund and a close end in time even if the server is stopped", async () => {
  await withoutUnhandledRejections(() =>
    inTime(async (time) => {
      await using server = await startServer();
      const limiter = limiterOn(server.url, { leases: 10 });
      await limiter.warm();
      const decision = await limiter.consume("key");
      assertEquals(decision.decidedBy, "store");
      server.pause();
      let begun = time.now;
      assertEquals(await limiter.refund(decision), false);
      const refundMs = time.now - begun;
      begun = time.now;
      await limiter.close();
      assert(time.now - begun < 1500, `closing took ${time.now - begun} ms`);
      server.resume();
      return refundMs;
    })
  );
});

Deno.test("a store that is closed while it connects, or twice, leaves nothing open", async () => {
  await using server = await startServer();
  const policy = { name: "limit", algorithm: "fixed-window", limit: 1, windowMs: 1000 } as const;
  for (const turns of [0, 1, 5, 50, 500]) {
    const store = new RedisStore({ url: server.url });
    const asked = Promise.resolve(store.decide([{ policy, key: `${turns}`, cost: 1 }])).then(() => {}, () => {});
    for (let turn = 0; turn < turns; turn++) await Promise.resolve();
    await store.close();
    await store.close();
    await asked;
    await assertRejects(() => Promise.resolve(store.decide([{ policy, key: "late", cost: 1 }])));
  }
  const clients = async () => (await server.cli("CLIENT", "LIST")).trim().split("\n").length;
  // redis-cli itself is one
  await until(async () => await clients() === 1, "no connection but this one");
});

Deno.test("a slow server: answers in time, and late grants for refused requests are refunded", () =>
  inTime(async (time) => {
    await using server = await startServer();
    await using proxy = startProxy(server.port);
    const limiter = limiterOn(proxy.url, { limit: 10, onStoreFailure: "closed" });
    await limiter.warm();
    assertEquals((await limiter.consume("key")).remaining, 9);
    proxy.hold();
    const begun = time.now;
    const { allowed, decidedBy } = await limiter.consume("key");
    const responseMs = time.now - begun;
    assertEquals([allowed, decidedBy], [false, "closed"]);
    assertEquals(limiter.counters.failedClosed, 1);
    await until(() => proxy.held > 0, "the late answer");
    proxy.release();
    await until(async () => (await limiter.peek("key")).remaining === 9, "the units to be given back");
    assertEquals((await limiter.consume("key")).remaining, 8);
    await limiter.close();
    return responseMs;
  }));

Deno.test("a slow server: late grants for admitted requests stay counted", async () => {
  await using server = await startServer();
  await using proxy = startProxy(server.port);
  const limiter = limiterOn(proxy.url, { limit: 10, onStoreFailure: "open" });
  await limiter.warm();
  assertEquals((await limiter.consume("key")).remaining, 9);
  proxy.hold();
  const { allowed, decidedBy } = await limiter.consume("key");
  assertEquals([allowed, decidedBy], [true, "open"]);
  assertEquals(limiter.counters.failedOpen, 1);
  proxy.release();
  await until(async () => (await limiter.peek("key")).decidedBy === "store", "an answer in time");
  assertEquals((await limiter.consume("key")).remaining, 7);
  await limiter.close();
});

Deno.test("a node-redis client without an error listener survives its server", async () => {
  await using server = await startServer();
  const client = createClient({ url: server.url, socket: { reconnectStrategy: 20 } });
  await client.connect();
  const limiter = new Limiter({ store: new RedisStore({ client }), name: "limit" });
  assertEquals((await limiter.consume("key")).decidedBy, "store");
  await server.kill();
  assertEquals((await limiter.consume("key")).decidedBy, "local");
  await server.restart();
  await answersByStoreAgain(limiter);
  client.destroy();
});

Deno.test("a connection whose peer vanished silently is replaced", async () => {
  await using server = await startServer();
  await using proxy = startProxy(server.port);
  const { now } = performance;
  let later = 0;
  performance.now = () => now.call(performance) + later;
  try {
    const limiter = limiterOn(proxy.url);
    await limiter.warm();
    assertEquals((await limiter.consume("key")).decidedBy, "store");
    proxy.forsake();
    for (let times = 0; times < 5; times++) assertEquals((await limiter.consume("key")).decidedBy, "local");
    later = 9000;
    assertEquals((await limiter.consume("key")).decidedBy, "local");
    assertEquals(limiter.counters.storeFailures, 6, "the store was tried again, on the same connection");
    later = 20_000;
    await answersByStoreAgain(limiter);
    // redis-cli itself is one
    const clients = async () => (await server.cli("CLIENT", "LIST")).trim().split("\n").length;
    await until(async () => await clients() === 2, "no connection but the new one");
    await limiter.close();
  } finally {
    performance.now = now;
  }
});

for (
  const [kind, clientOf] of [
    ["ioredis", (url: string) => new Redis(url, { socketTimeout: 200, maxRetriesPerRequest: 0 })],
    [
      "node-redis",
      (url: string) => createClient({ url, pingInterval: 80, socket: { socketTimeout: 200, reconnectStrategy: 50 } }),
    ],
  ] as const
) {
  Deno.test(`a client of ${kind} replaces such a connection too, with the options of the documentation`, async () => {
    await using server = await startServer();
    await using proxy = startProxy(server.port);
    const client = clientOf(proxy.url);
    client.on("error", () => {});
    if ("isReady" in client) await client.connect();
    const limiter = new Limiter({ store: new RedisStore({ client }), limit: 1_000_000 });
    await answersByStoreAgain(limiter);
    proxy.forsake();
    assertEquals((await limiter.consume("key")).decidedBy, "local");
    await answersByStoreAgain(limiter);
    if ("isReady" in client) client.destroy();
    else client.disconnect();
  });
}

Deno.test("when a server becomes a replica, the store reconnects to its address for the new primary", async () => {
  await using old = await startServer();
  await using primary = await startServer();
  await using address = startProxy(old.port);
  const { now } = performance;
  let later = 0;
  performance.now = () => now.call(performance) + later;
  try {
    const limiter = limiterOn(address.url);
    await limiter.warm();
    assertEquals((await limiter.consume("key")).decidedBy, "store");
    await old.cli("REPLICAOF", "127.0.0.1", String(primary.port));
    address.lead(primary.port);
    later = 1000;
    assertEquals((await limiter.consume("key")).decidedBy, "local");
    await answersByStoreAgain(limiter);
    const clients = async () => (await old.cli("CLIENT", "LIST", "TYPE", "normal")).trim().split("\n").length;
    await until(async () => await clients() === 1, "no connection to the replica but redis-cli's own");
    await limiter.close();
  } finally {
    performance.now = now;
  }
});

Deno.test("a server that stays a replica is not reconnected to repeatedly", async () => {
  await using server = await startServer();
  const limiter = limiterOn(server.url);
  await limiter.warm();
  await server.cli("REPLICAOF", "127.0.0.1", "1");
  const connected = async () => {
    const [, count] = /total_connections_received:(\d+)/.exec(await server.cli("INFO", "stats"))!;
    return Number(count);
  };
  const before = await connected();
  for (let times = 0; times < 4; times++) assertEquals((await limiter.consume("key")).decidedBy, "local");
  assertEquals(await connected(), before + 1, "that of redis-cli");
  await limiter.close();
});

Deno.test("a server restarted empty counts from zero, and the limiter continues", async () => {
  await using server = await startServer();
  const limiter = limiterOn(server.url, { limit: 3 });
  await limiter.warm();
  for (const remaining of [2, 1, 0]) assertEquals((await limiter.consume("key")).remaining, remaining);
  await server.restart();
  await answersByStoreAgain(limiter);
  // an earlier refusal would be cached; there was none
  const { decidedBy, remaining } = await limiter.consume("key");
  assertEquals([decidedBy, remaining], ["store", 2]);
  await limiter.close();
});

Deno.test("while there is no connection, each failure says why", async () => {
  await using server = await startServer();
  const limiter = limiterOn(server.url);
  await limiter.warm();
  const errors: string[] = [];
  limiter.on("storeFailure", (error: Error) => errors.push(error.message));
  await server.cli("CONFIG", "SET", "requirepass", "secret");
  await server.cli("-a", "secret", "--no-auth-warning", "CLIENT", "KILL", "TYPE", "normal");
  const refused = async () => {
    await limiter.consume("key");
    return errors.some((error) => error.startsWith("NOAUTH"));
  };
  await until(refused, "a failure that names the missing password");
  assertEquals(errors.filter((error) => error.includes("offline")), []);
  await server.cli("-a", "secret", "--no-auth-warning", "CONFIG", "SET", "requirepass", "");
  await answersByStoreAgain(limiter);
  await server.kill();
  const gone = async () => {
    await limiter.consume("key");
    return errors.some((error) => error.includes("ECONNREFUSED"));
  };
  await until(gone, "a failure that says that nobody listens");
  await limiter.close();
});

const NO_COMMAND = new TextEncoder().encode("-ERR unknown command\r\n");

for (const [scheme, response, remedy] of [["rediss", NO_COMMAND, "redis"], ["redis", null, "rediss"]] as const) {
  Deno.test(`a ${scheme}:// address where ${remedy}:// is spoken says so`, async () => {
    const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const serving = (async () => {
      for await (const connection of listener) {
        await connection.read(new Uint8Array(1024));
        if (response !== null) await connection.write(response);
        connection.close();
      }
    })();
    const { port } = listener.addr as Deno.NetAddr;
    const limiter = limiterOn(`${scheme}://127.0.0.1:${port}`);
    await assertRejects(() => limiter.warm(), Error, ` needs ${remedy}://`);
    await limiter.close();
    listener.close();
    await serving;
  });
}

for (const onStoreFailure of ["local", "open", "closed"] as const) {
  Deno.test(`without a server "${onStoreFailure}" decides, and the counters and the event say so`, async () => {
    await using server = await absentServer();
    const limiter = limiterOn(server.url, { limit: 2, onStoreFailure, timeoutMs: 50 });
    let failures = 0;
    limiter.on("storeFailure", () => failures++);
    const decisions: Decision[] = [];
    for (let times = 0; times < 8; times++) decisions.push(await limiter.consume("key"));
    assertEquals(decisions.every(({ decidedBy }) => decidedBy === onStoreFailure), true);
    const admitted = decisions.filter(({ allowed }) => allowed).length;
    assertEquals(admitted, { local: 2, open: 8, closed: 0 }[onStoreFailure]);
    const { decidedLocally, failedOpen, failedClosed, storeFailures, breakerOpened } = limiter.counters;
    const counted = { local: decidedLocally, open: failedOpen, closed: failedClosed };
    assertEquals(counted, { local: 0, open: 0, closed: 0, [onStoreFailure]: 8 });
    // after five failures, the store is not tried
    assertEquals([storeFailures, failures, breakerOpened], [5, 5, 1]);
    assertEquals(limiter.counters.admitted, admitted);
    assertEquals(limiter.counters.limited, 8 - admitted);
    await limiter.close();
  });
}

Deno.test("with four processes, each grants a quarter of the limit locally, rounded down", async () => {
  await using server = await absentServer();
  for (const [max, share] of [[10, 2], [4, 1], [3, 0], [400, 100]] as const) {
    const limiter = limiterOn(server.url, { limit: max, processes: 4, timeoutMs: 50 });
    let admitted = 0;
    for (let times = 0; times < share + 10; times++) if ((await limiter.consume("key")).allowed) admitted++;
    assertEquals(admitted, share, `max ${max}`);
    await limiter.close();
  }
});

Deno.test("a breaker opens after five failures, lets one probe through after a pause, and closes when it succeeds", async () => {
  const clock = new VirtualClock();
  const faulty = new FaultyStore(new MemoryStore({ clock: clock.read }));
  const limiter = new Limiter({ store: faulty, limit: 1000, clock: clock.read, timers: clock.timers });
  faulty.fail();
  for (let times = 1; times <= 5; times++) {
    assertEquals(limiter.breakerIsOpen, false);
    assertEquals((await limiter.consume("key")).decidedBy, "local");
    assertEquals(faulty.calls, times);
  }
  assertEquals([limiter.breakerIsOpen, limiter.counters.breakerOpened], [true, 1]);
  for (let times = 0; times < 100; times++) assertEquals((await limiter.consume("key")).decidedBy, "local");
  clock.advance(374);
  await limiter.consume("key");
  assertEquals(faulty.calls, 5);
  // the pause is 500 ms, plus or minus a quarter
  clock.advance(252);
  faulty.hang();
  const probe = Promise.resolve(limiter.consume("key"));
  assertEquals(faulty.calls, 6);
  for (let times = 0; times < 100; times++) assertEquals((await limiter.consume("key")).decidedBy, "local");
  assertEquals(faulty.calls, 6);
  clock.advance(100);
  assertEquals((await probe).decidedBy, "local");
  assertEquals(limiter.breakerIsOpen, true);
  faulty.heal();
  // the second pause is twice as long
  clock.advance(749);
  assertEquals((await limiter.consume("key")).decidedBy, "local");
  clock.advance(502);
  assertEquals((await limiter.consume("key")).decidedBy, "store");
  assertEquals(limiter.breakerIsOpen, false);
  assertEquals((await limiter.consume("key")).decidedBy, "store");
  assertEquals(limiter.counters.breakerOpened, 1);
  assertEquals(clock.pendingTimers, 0);
});

Deno.test("a process that made one check while there was no server ends by itself", async () => {
  await using server = await absentServer();
  const config = fileURLToPath(new URL("../../../.cache/offline.json", import.meta.url));
  const offline = await Deno.stat(config).then(() => [`--import-map=${config}`], () => []);
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "-A", "--no-lock", "--no-check", ...offline],
      ...[fileURLToPath(new URL("../support/one_check.ts", import.meta.url)), server.url],
    ],
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const timer = setTimeout(() => child.kill("SIGKILL"), PATIENCE_MS);
  const { code, stdout, stderr } = await child.output();
  clearTimeout(timer);
  assertEquals(new TextDecoder().decode(stderr), "");
  assertEquals([code, new TextDecoder().decode(stdout)], [0, "local\n"]);
});
