import { assert, assertEquals, assertThrows } from "@std/assert";
import sluice from "@sluice/sluice";
import express from "express";
import {
  fetchLimit,
  type FetchLimitOptions,
  fromCounter,
  MemoryStore,
  rateLimit,
  type RateLimitOptions,
  type Store,
} from "../../mod.ts";
import { FaultyStore, VirtualClock } from "../../testing.ts";
import { AsyncStore } from "../support/async_store.ts";

/** Runs everything that waits only for promises. */
async function turns(): Promise<void> {
  for (let i = 0; i < 100; i++) await Promise.resolve();
}

/** A limiter for web requests on the test's clock, and a log of when each client was served. */
function served(options: FetchLimitOptions, store?: (clock: VirtualClock) => Store) {
  const clock = new VirtualClock();
  const start = clock.now;
  const limit = fetchLimit({
    ...{ keyGenerator: () => "key", clock: clock.read, timers: clock.timers, ...options },
    ...store === undefined ? {} : { store: store(clock), processes: 1 },
  });
  const log: string[] = [];
  const serve = limit((request) => {
    log.push(`${new URL(request.url).pathname.slice(1)} at ${clock.now - start}`);
    return new Response();
  });
  const ask = (name: string, signal?: AbortSignal) =>
    serve(new Request(`http://localhost/${name}`, signal === undefined ? {} : { signal }));
  return { clock, limit, log, ask };
}

const RATE = { algorithm: "token-bucket", limit: 10, windowMs: 1000 } as const;

Deno.test("a request that would be refused waits until there is room for it, in order of arrival", async () => {
  const { clock, log, ask } = served({ ...RATE, burst: 1, delay: { maxMs: 1000 } });
  const all = ["a", "b", "c"].map((name) => ask(name));
  await turns();
  assertEquals(log, ["a at 0"]);
  for (let ms = 0; ms < 300; ms += 20) {
    clock.advance(20);
    await turns();
  }
  assertEquals(log, ["a at 0", "b at 100", "c at 200"]);
  assertEquals((await Promise.all(all)).map(({ status }) => status), [200, 200, 200]);
  assertEquals(clock.pendingTimers, 0);
});

Deno.test("a request that would have to wait for too long is refused at once", async () => {
  const { ask, log, clock } = served({ limit: 1, windowMs: 10_000, delay: { maxMs: 9_999 } });
  assertEquals([(await ask("a")).status, (await ask("b")).status], [200, 429]);
  clock.advance(1);
  const waiting = ask("c");
  await turns();
  clock.advance(9_999);
  assertEquals([(await waiting).status, log], [200, ["a at 0", "c at 10000"]]);
});

Deno.test("who has waited for maxMs in vain is refused", async () => {
  const { clock, ask } = served({ ...RATE, burst: 1, delay: { maxMs: 150 } });
  const all = ["a", "b", "c"].map((name) => ask(name));
  for (let ms = 0; ms < 160; ms += 10) {
    await turns();
    clock.advance(10);
  }
  const responses = await Promise.all(all);
  assertEquals(responses.map(({ status }) => status), [200, 200, 429]);
  assert(Number(responses[2]!.headers.get("retry-after")) >= 1);
  assertEquals(clock.pendingTimers, 0);
});

Deno.test("who has waited in vain is told when the window after the one that others have used up begins", async () => {
  for (const isRemote of [false, true]) {
    const store = isRemote
      ? (clock: VirtualClock) => new AsyncStore(new MemoryStore({ clock: clock.read }))
      : undefined;
    const { clock, log, ask } = served({ limit: 1, windowMs: 10_000, delay: { maxMs: 6000 } }, store);
    await ask("a");
    clock.advance(5000);
    const [first, second] = [ask("b"), ask("c")];
    await turns();
    clock.advance(5000);
    const refused = await second;
    assertEquals([(await first).status, refused.status, log], [200, 429, ["a at 0", "b at 10000"]]);
    assertEquals(["retry-after", "x-ratelimit-reset"].map((name) => refused.headers.get(name)), ["10", "10"]);
    clock.advance(10_000);
    assertEquals((await ask("c")).status, 200);
  }
});

Deno.test("from so many units on, admitted requests keep to the rate, as with nginx's burst and delay", async () => {
  // limit_req zone=one rate=10r/s burst=5 delay=2
  const { clock, log, ask } = served({ ...RATE, burst: 6, delay: { from: 3, maxMs: 300 } });
  const all = ["a", "b", "c", "d", "e", "f"].map((name) => ask(name));
  await turns();
  assertEquals(log, ["a at 0", "b at 0", "c at 0"]);
  for (let ms = 0; ms < 300; ms += 20) {
    clock.advance(20);
    await turns();
  }
  assertEquals(log, ["a at 0", "b at 0", "c at 0", "d at 100", "e at 200", "f at 300"]);
  await Promise.all(all);
});

Deno.test("a delay from some units on is never longer than maxMs", async () => {
  const { clock, log, ask } = served({ limit: 10, windowMs: 60_000, delay: { from: 0, maxMs: 500 } });
  const waiting = ask("a");
  await turns();
  clock.advance(499);
  await turns();
  assertEquals(log, []);
  clock.advance(1);
  await waiting;
  assertEquals(log, ["a at 500"]);
});

Deno.test("a delayed request's headers count from its response, and not from its arrival", async () => {
  const { clock, ask } = served({ limit: 10, windowMs: 60_000, legacyReset: "epoch", delay: { from: 0, maxMs: 5000 } });
  const windowEnd = (clock.now + 60_000) / 1000;
  const waiting = ask("a");
  await turns();
  clock.advance(5000);
  assertEquals((await waiting).headers.get("x-ratelimit-reset"), String(Math.ceil(windowEnd)));
});

Deno.test("at most maxWaiting requests wait; further ones are refused, and take nothing", async () => {
  const { clock, limit, ask } = served({ limit: 10, windowMs: 60_000, maxWaiting: 2, delay: { from: 0, maxMs: 5000 } });
  const waiting = [ask("a"), ask("b")];
  await turns();
  const refused = await ask("c");
  assertEquals([refused.status, refused.headers.get("retry-after")], [429, "5"]);
  assertEquals((await limit.limiter.peek("key")).remaining, 8);
  clock.advance(5000);
  assertEquals((await Promise.all(waiting)).map(({ status }) => status), [200, 200]);
  const hard = served({ ...RATE, burst: 1, maxWaiting: 1, delay: { maxMs: 1000 } });
  const all = ["a", "b", "c"].map((name) => hard.ask(name));
  await turns();
  hard.clock.advance(100);
  assertEquals((await Promise.all(all)).map(({ status }) => status), [200, 200, 429]);
});

Deno.test("a client that leaves while it waits is not served, and takes nothing", async () => {
  for (const options of [{ burst: 1, delay: { maxMs: 1000 } }, { delay: { from: 1, maxMs: 1000 } }]) {
    const { clock, limit, log, ask } = served({ ...RATE, ...options });
    await ask("a");
    const leaving = new AbortController();
    const waiting = ask("b", leaving.signal);
    await turns();
    leaving.abort();
    assertEquals((await waiting).status, 499);
    assertEquals([log, clock.pendingTimers], [["a at 0"], 0]);
    clock.advance(100);
    assertEquals((await limit.limiter.peek("key")).remaining, "burst" in options ? 1 : 10);
  }
});

Deno.test("a closed limiter lets nobody wait", async () => {
  const { limit, ask } = served({ ...RATE, burst: 1, delay: { maxMs: 1000 } });
  await ask("a");
  const waiting = ask("b");
  await turns();
  await limit.limiter.close();
  assertEquals((await waiting).status, 429);
});

Deno.test("requests wait for a store elsewhere as for the one in memory", async () => {
  const clock = new VirtualClock();
  const faulty = new FaultyStore(new MemoryStore({ clock: clock.read })).delay(Promise.resolve());
  const limit = fetchLimit({
    ...{ ...RATE, burst: 1, store: faulty, processes: 1, delay: { maxMs: 1000 } },
    ...{ keyGenerator: () => "key", clock: clock.read, timers: clock.timers },
  });
  const serve = limit(() => new Response());
  const all = [1, 2, 3].map(() => serve(new Request("http://localhost/")));
  for (let ms = 0; ms < 300; ms += 20) {
    await turns();
    clock.advance(20);
  }
  await turns();
  assertEquals((await Promise.all(all)).map(({ status }) => status), [200, 200, 200]);
});

for (const [framework, makeApp] of Object.entries({ Sluice: sluice, Express: express })) {
  Deno.test(`the middleware lets requests wait, and ends the wait of a client that leaves, in ${framework}`, async () => {
    const clock = new VirtualClock();
    const options: RateLimitOptions = { ...RATE, burst: 1, keyGenerator: () => "key", delay: { maxMs: 1000 } };
    const limit = rateLimit({ ...options, clock: clock.read, timers: clock.timers });
    // deno-lint-ignore no-explicit-any -- two frameworks, one interface
    const app = makeApp() as any;
    const log: string[] = [];
    app.use(limit);
    app.get("/:name", (req: { params: { name: string } }, res: { send(text: string): void }) => {
      log.push(req.params.name);
      res.send("hello");
    });
    const server = app.listen(0, "127.0.0.1");
    await new Promise<void>((resolve) => server.listening ? resolve() : server.on("listening", resolve));
    const ask = (name: string, signal?: AbortSignal) =>
      fetch(`http://127.0.0.1:${server.address().port}/${name}`, signal === undefined ? {} : { signal });
    const until = async (done: () => boolean) => {
      while (!done()) await new Promise((resolve) => setTimeout(resolve, 1));
    };
    assertEquals(await (await ask("a")).text(), "hello");
    const leaving = new AbortController();
    const left = ask("b", leaving.signal).catch((error) => error.name);
    await until(() => clock.pendingTimers > 0);
    leaving.abort();
    assertEquals(await left, "AbortError");
    await until(() => clock.pendingTimers === 0);
    const waiting = ask("c");
    await until(() => clock.pendingTimers > 0);
    assertEquals(log, ["a"]);
    clock.advance(100);
    assertEquals(await (await waiting).text(), "hello");
    assertEquals(log, ["a", "c"]);
    await new Promise((resolve) => server.close(resolve));
  });
}

Deno.test("a delay that does not go with the other options is refused with what to do instead", () => {
  // deno-lint-ignore no-explicit-any -- wrong options
  const refused = (options: any, kind: ErrorConstructor, message: string) =>
    assertThrows(() => rateLimit({ delay: { maxMs: 10 }, ...options }), kind, message);
  refused({ delay: 5 }, TypeError, "rateLimit: option delay must be an object { from, maxMs }, not 5");
  refused({ delay: {} }, TypeError, "rateLimit: option delay.maxMs must be a number of ms, not undefined");
  refused({ delay: { maxMs: 0 } }, RangeError, "rateLimit: option delay.maxMs must be an integer from 1");
  refused({ delay: { maxMs: 5, from: -1 } }, RangeError, "rateLimit: option delay.from must be an integer from 0");
  refused({ delay: { maxMs: 5, form: 1 } }, TypeError, "rateLimit, delay");
  refused(
    { delay: { maxMs: 5, from: 1 }, limits: [{ limit: 1 }, { limit: 2 }] },
    TypeError,
    "rateLimit: option delay.from is for a single limit",
  );
  refused({ onDenied: "charge" }, TypeError, "option delay is for limits whose refusals cost nothing");
  refused({ block: { after: 1, forMs: 1 } }, TypeError, "option delay is for limits whose refusals cost nothing");
  const counter = {
    increment: () => ({ totalHits: 1, resetTime: undefined }),
    decrement: () => {},
    resetKey: () => {},
  };
  refused({ store: fromCounter(counter) }, TypeError, "option delay is for limits whose refusals cost nothing");
});
