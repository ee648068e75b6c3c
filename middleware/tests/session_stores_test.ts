/// <reference lib="deno.unstable" />
import { MemorySessionStore, type SessionStore } from "@sluice/middleware/session";
import { DenoKvSessionStore } from "@sluice/middleware/session/deno-kv";
import { RedisSessionStore } from "@sluice/middleware/session/redis";
import { DurableObjectSessionStore } from "@sluice/middleware/session/durable-object";
import { assert, assertEquals, assertMatch, assertNotEquals, assertThrows } from "@std/assert";
import { CookieClient } from "./support/cookie_client.ts";
import { sessionApp, StillClock } from "./support/session_app.ts";
import { sessionStoreContract } from "./support/session_store_contract.ts";

const HOUR_MS = 3_600_000;
const LONG = { ttlMs: HOUR_MS, isNew: true };

sessionStoreContract("MemorySessionStore", async (body) => {
  const clock = new StillClock();
  await body({
    store: new MemorySessionStore({ clock: clock.read }),
    pass: (ms) => Promise.resolve(void (clock.time += ms)),
  });
});

sessionStoreContract("DenoKvSessionStore", async (body) => {
  const clock = new StillClock();
  const kv = await Deno.openKv(":memory:");
  try {
    await body({
      store: new DenoKvSessionStore({ kv, clock: clock.read }),
      pass: (ms) => Promise.resolve(void (clock.time += ms)),
    });
  } finally {
    kv.close();
  }
});

/** Exposes a store's contents to tests. */
class SpiedStore implements SessionStore {
  readonly calls: string[] = [];
  readonly contents = new Map<string, string>();
  readonly #store = new MemorySessionStore();

  get(id: string): Promise<string | undefined> {
    this.calls.push("get");
    return this.#store.get(id);
  }

  set(id: string, content: string, options: { ttlMs: number; isNew: boolean }): Promise<boolean> {
    this.calls.push(options.isNew ? "set new" : "set");
    this.contents.set(id, content);
    return this.#store.set(id, content, options);
  }

  destroy(id: string): Promise<void> {
    this.calls.push("destroy");
    this.contents.delete(id);
    return this.#store.destroy(id);
  }

  touch(id: string, ttlMs: number): Promise<boolean> {
    this.calls.push("touch");
    return this.#store.touch(id, ttlMs);
  }
}

Deno.test("what a store knows is no use as a cookie", async () => {
  const store = new SpiedStore();
  const app = sessionApp({ store });
  const client = new CookieClient(app);
  await client.text("/set?key=secret&value=1");
  const [id] = store.contents.keys();
  assertEquals(await client.json("/id"), id);
  assertNotEquals(client.cookies.get("session"), id);
  assertMatch(client.cookies.get("session")!, /^[\w-]{43}$/);
  const thief = new CookieClient(app, undefined, [["session", id!]]);
  assertEquals(await thief.json("/read"), {});
});

Deno.test("a store is asked no more than is needed", async () => {
  const store = new SpiedStore();
  const app = sessionApp({ store });
  const client = new CookieClient(app);
  const calls: [string, string[]][] = [];
  for (
    const path of [
      ...[
        "/untouched",
        "/read",
        "/touch",
        "/destroy",
        "/set?key=a&value=1",
        "/set?key=a&value=1",
        "/set?key=a&value=2",
      ],
      ...["/read", "/touch", "/regenerate?user=ada", "/null"],
    ]
  ) {
    await client.text(path);
    calls.push([path, store.calls.splice(0)]);
  }
  assertEquals(calls, [
    ["/untouched", []],
    ["/read", []],
    ["/touch", []],
    ["/destroy", []],
    ["/set?key=a&value=1", ["set new"]],
    ["/set?key=a&value=1", ["get"]],
    ["/set?key=a&value=2", ["get", "set"]],
    ["/read", ["get"]],
    ["/touch", ["get", "touch"]],
    ["/regenerate?user=ada", ["get", "destroy", "set new"]],
    ["/null", ["get", "destroy"]],
  ]);
  for (const cookie of ["", "short", "x".repeat(44), "x".repeat(42) + "!"]) {
    await (await app.inject("/read", { headers: { cookie: `session=${cookie}` } })).text();
  }
  assertEquals(store.calls, [], "what can be no session is not looked for");
});

Deno.test("an id that a client has chosen is never used (session fixation)", async () => {
  const store = new SpiedStore();
  const chosen = "x".repeat(43);
  const victim = new CookieClient(sessionApp({ store }), undefined, [["session", chosen]]);
  await victim.text("/set?key=user&value=ada");
  assertNotEquals(victim.cookies.get("session"), chosen);
  const attacker = new CookieClient(sessionApp({ store }), undefined, [["session", chosen]]);
  assertEquals(await attacker.json("/read"), {});
});

Deno.test("whoever knew the session from before the login is not logged in (session fixation)", async () => {
  const store = new SpiedStore();
  const app = sessionApp({ store });
  const attacker = new CookieClient(app);
  await attacker.text("/set?key=cart&value=1");
  const victim = attacker.copy();
  assertEquals(await victim.json("/regenerate?user=ada"), { user: "ada" });
  assertEquals(await attacker.json("/read"), {});
  assertEquals(store.contents.size, 1);
});

for (const change of ["set", "touch"]) {
  Deno.test(`a request that ends with ${change} after another has destroyed the session does not bring it back`, async () => {
    const app = sessionApp({ store: new MemorySessionStore() });
    const began = Promise.withResolvers<void>();
    const mayEnd = Promise.withResolvers<void>();
    app.get("/slow", async (req, res) => {
      began.resolve();
      await mayEnd.promise;
      if (change === "touch") req.session.touch();
      else req.session.slow = true;
      res.json(req.session.user);
    });
    const client = new CookieClient(app);
    await client.text("/set?key=user&value=ada");
    const other = client.copy();
    const slow = other.json("/slow");
    await began.promise;
    await client.text("/destroy");
    mayEnd.resolve();
    assertEquals(await slow, "ada");
    assertEquals(other.setCookies, [], "the cookie of a new session must not be overwritten");
    assertEquals(await other.json("/read"), {});
  });
}

Deno.test("of requests at the same time the one that ends last wins", async () => {
  const app = sessionApp({ store: new MemorySessionStore() });
  const began = Promise.withResolvers<void>();
  const mayEnd = Promise.withResolvers<void>();
  app.get("/slow", async (req, res) => {
    req.session.n = "slow";
    began.resolve();
    await mayEnd.promise;
    res.json(req.session);
  });
  const client = new CookieClient(app);
  await client.text("/set?key=a&value=1");
  const slow = client.copy().json("/slow");
  await began.promise;
  await client.text("/set?key=b&value=2");
  assertEquals(await client.json("/read"), { a: "1", b: "2" });
  mayEnd.resolve();
  await slow;
  assertEquals(await client.json("/read"), { a: "1", n: "slow" });
});

Deno.test("a session in a store ends maxAge after it was written, and absoluteTtlMs after it began", async () => {
  const clock = new StillClock();
  const store = new MemorySessionStore({ clock: clock.read });
  const options = { store, cookie: { maxAge: HOUR_MS }, absoluteTtlMs: 2 * HOUR_MS, clock: clock.read };
  const client = new CookieClient(sessionApp(options));
  await client.text("/set?key=a&value=1");
  clock.time += HOUR_MS - 1;
  await client.text("/touch");
  clock.time += HOUR_MS - 1;
  assertEquals(await client.json("/touch"), { a: "1" });
  assertMatch(client.setCookies[0]!, /Max-Age=0;/);
  clock.time += 2;
  assertEquals(await client.copy().json("/read"), {});
  await client.text("/set?key=a&value=1");
  clock.time += HOUR_MS;
  assertEquals(await client.json("/read"), {});
});

Deno.test("a rolling session in a store is touched by every response", async () => {
  const store = new SpiedStore();
  const client = new CookieClient(sessionApp({ store, rolling: true }));
  await client.text("/set?key=a&value=1");
  store.calls.length = 0;
  for (const path of ["/untouched", "/read"]) {
    await client.text(path);
    assertEquals(client.setCookies.length, 1);
  }
  await client.text("/set?key=a&value=2");
  assertEquals(store.calls, ["get", "touch", "get", "touch", "get", "set"]);
});

Deno.test("a response waits for what a handler did not wait for", async () => {
  const store = new SpiedStore();
  const app = sessionApp({ store });
  app.get("/careless", (req, res) => {
    void req.session.regenerate();
    req.session.user = "ada";
    void req.session.save();
    res.json("sent");
  });
  const client = new CookieClient(app);
  await client.text("/set?key=a&value=1");
  const old = client.copy();
  assertEquals(await client.json("/careless"), "sent");
  assertEquals([await client.json("/read"), await old.json("/read")], [{ user: "ada" }, {}]);
});

Deno.test("a store may be given with a secret, as where only production has one", async () => {
  const client = new CookieClient(sessionApp({ secret: "s".repeat(32), store: new MemorySessionStore() }));
  await client.text("/set?key=a&value=1");
  assertEquals(client.cookies.get("session")!.length, 43);
});

Deno.test("memory holds no more than maxSessions: the one that was written longest ago goes", async () => {
  const clock = new StillClock();
  const store = new MemorySessionStore({ maxSessions: 3, clock: clock.read });
  for (const id of ["a", "b", "c"]) await store.set(id, id, LONG);
  await store.touch("a", HOUR_MS);
  await store.set("d", "d", LONG);
  const found = await Promise.all(["a", "b", "c", "d"].map((id) => store.get(id)));
  assertEquals([found, store.size], [["a", undefined, "c", "d"], 3]);
});

Deno.test("memory forgets what has expired as it goes on, without timers", async () => {
  const clock = new StillClock();
  const store = new MemorySessionStore({ clock: clock.read });
  for (let i = 0; i < 100; i++) await store.set(`old ${i}`, "", LONG);
  assertEquals(store.size, 100);
  clock.time += HOUR_MS;
  await store.set("new", "", LONG);
  assertEquals(store.size, 1);
});

Deno.test("what is no client, database or namespace is refused, and no address is shown", () => {
  const cases: [() => unknown, RegExp][] = [
    [
      () => new MemorySessionStore({ maxSessions: 0 }),
      /MemorySessionStore: option maxSessions must be an integer from 1/,
    ],
    [() => new MemorySessionStore({ max: 1 } as never), /there is no option max; there are maxSessions, clock/],
    [
      () => new RedisSessionStore({} as never),
      /RedisSessionStore: option client must be a client of npm:redis 5.*undefined/,
    ],
    [() => new RedisSessionStore({ client: "redis://u:hunter2@h" } as never), /not an address/],
    [() => new RedisSessionStore({ client: Promise.resolve() } as never), /not a promise: await it/],
    [() => new RedisSessionStore({ client: {} } as never), /not an object/],
    [() => new DenoKvSessionStore({ kv: {} } as never), /DenoKvSessionStore: option kv must be a database/],
    [() => new DurableObjectSessionStore({ namespace: {} } as never), /option namespace must be a binding from env/],
  ];
  for (const [make, message] of cases) {
    const error = assertThrows(make) as Error;
    assertMatch(error.message, message);
    assert(!error.message.includes("hunter2"));
  }
});
