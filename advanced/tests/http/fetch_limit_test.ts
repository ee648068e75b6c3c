import { assert, assertEquals, assertMatch, assertRejects, assertStrictEquals, assertThrows } from "@std/assert";
import { Hono } from "hono";
import { type FetchHandler, fetchLimit, type FetchLimitOptions, MemoryStore } from "../../mod.ts";
import { FaultyStore } from "../../src/testing/faulty_store.ts";
import { VirtualClock } from "../../src/testing/virtual_clock.ts";

/** The info that Deno passes with a request. */
const peer = (hostname: string) => ({ remoteAddr: { transport: "tcp", hostname, port: 50_000 } });

function limited(options: FetchLimitOptions = {}, handler: FetchHandler<[unknown]> = () => new Response("hello")) {
  const limit = fetchLimit({ clock: new VirtualClock().read, ...options });
  const serve = limit(handler);
  const ask = (path = "/", address = "192.0.2.1") => serve(new Request(`http://localhost${path}`), peer(address));
  return { limit, serve, ask };
}

async function statuses(ask: (path?: string) => Promise<Response>, ...paths: string[]): Promise<number[]> {
  const all: number[] = [];
  for (const path of paths) {
    const response = await ask(path);
    await response.body?.cancel();
    all.push(response.status);
  }
  return all;
}

async function serving(handler: Deno.ServeHandler, talk: (origin: string) => Promise<void>): Promise<void> {
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, handler);
  try {
    await talk(`http://127.0.0.1:${server.addr.port}`);
  } finally {
    await server.shutdown();
  }
}

Deno.test("fetchLimit limits a handler of Deno.serve over a real socket", async () => {
  const limit = fetchLimit({ limit: 2, windowMs: 10_000, clock: new VirtualClock().read, standardHeaders: "draft-8" });
  await serving(limit(() => new Response("hello", { headers: { "x-mine": "1" } })), async (origin) => {
    const first = await fetch(origin);
    assertEquals([first.status, await first.text(), first.headers.get("x-mine")], [200, "hello", "1"]);
    assertEquals(first.headers.get("x-ratelimit-remaining"), "1");
    await (await fetch(origin)).text();
    const refused = await fetch(origin);
    assertEquals([refused.status, refused.headers.get("x-mine")], [429, null]);
    assertEquals(await refused.json(), { error: "Too many requests, please try again later." });
    assertEquals(refused.headers.get("content-type"), "application/json; charset=utf-8");
    assertEquals(refused.headers.get("cache-control"), "no-store");
    assertEquals(refused.headers.get("retry-after"), "10");
    assertEquals(refused.headers.get("ratelimit"), '"2-per-10000ms-fixed-window";r=0;t=10');
  });
  const keys: string[] = [];
  for await (const { key } of limit.limiter.keys()) keys.push(key);
  assertEquals(keys, ["127.0.0.1"]);
});

Deno.test("a handler that is no function is refused when it is wrapped", () => {
  const wrong = { fetch: () => new Response() } as never;
  assertThrows(() => fetchLimit()(wrong), TypeError, "expects a handler of web requests, such as app.fetch, not");
});

Deno.test("options that are a promise are refused, since its limits would not be applied", () => {
  const later = Promise.resolve({ limit: 5 }) as never;
  assertThrows(() => fetchLimit(later), TypeError, "fetchLimit: options must be an object, not a promise");
});

Deno.test("fetchLimit wraps a Hono application and passes it all arguments", async () => {
  const app = new Hono<{ Bindings: { secret: string } }>();
  app.get("/", (c) => c.text(`hello ${c.env.secret}`));
  app.get("/gone", (c) => c.body(null, 204));
  const limit = fetchLimit({ limit: 2, keyGenerator: (request) => request.headers.get("x-user") ?? "nobody" });
  const serve = limit((request: Request, env: { secret: string }) => app.fetch(request, env));
  const ask = (path: string) =>
    serve(new Request(`http://localhost${path}`, { headers: { "x-user": "a" } }), { secret: "s" });
  assertEquals(await (await ask("/")).text(), "hello s");
  const gone = await ask("/gone");
  assertEquals([gone.status, gone.body, gone.headers.get("x-ratelimit-remaining")], [204, null, "0"]);
  assertEquals((await ask("/")).status, 429);
  assertEquals((await app.fetch(new Request("http://localhost/none"))).status, 404);
  // a limiter also accepts app.fetch directly
  await serving(fetchLimit({ limit: 1 })(app.fetch), async (origin) => {
    const statuses = [await fetch(`${origin}/gone`), await fetch(`${origin}/gone`)].map(({ status }) => status);
    assertEquals(statuses, [204, 429]);
  });
});

Deno.test("answers with immutable headers get the headers all the same", async () => {
  const redirect = Response.redirect("http://localhost/other", 302);
  assertThrows(() => redirect.headers.set("x", "1"), TypeError);
  const { ask } = limited({ limit: 2 }, () => redirect);
  const response = await ask();
  assertEquals([response.status, response.headers.get("location")], [302, "http://localhost/other"]);
  assertEquals(response.headers.get("x-ratelimit-remaining"), "1");
});

Deno.test("an answer keeps its status text and every cookie", async () => {
  const headers = [["set-cookie", "a=1"], ["set-cookie", "b=2"]] as [string, string][];
  const { ask } = limited({}, () => new Response("x", { status: 201, statusText: "Made", headers }));
  const response = await ask();
  assertEquals([response.status, response.statusText], [201, "Made"]);
  assertEquals(response.headers.getSetCookie(), ["a=1", "b=2"]);
});

Deno.test("a streaming body passes chunk by chunk, and the client can cancel it", async () => {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  let cancelled: unknown;
  const body = new ReadableStream<Uint8Array>({
    start: (one) => void (controller = one),
    cancel: (reason) => void (cancelled = reason),
  });
  const { ask } = limited({}, () => new Response(body));
  const response = await ask();
  const reader = response.body!.getReader();
  for (const text of ["one", "two"]) {
    controller!.enqueue(new TextEncoder().encode(text));
    assertEquals(new TextDecoder().decode((await reader.read()).value), text);
  }
  await reader.cancel("enough");
  assertEquals(cancelled, "enough");
});

Deno.test("an upgrade response is passed on as the same object", async () => {
  const upgrade = { status: 101, headers: new Headers(), body: null } as Response;
  const { ask } = limited({ limit: 1 }, () => upgrade);
  assertStrictEquals(await ask(), upgrade);
  assertEquals((await ask()).status, 429);
});

Deno.test("a WebSocket opens behind fetchLimit, and the next one is refused before its upgrade", async () => {
  const limit = fetchLimit({ limit: 1 });
  const handler = limit((request: Request) => {
    const { socket, response } = Deno.upgradeWebSocket(request);
    socket.onmessage = ({ data }) => socket.send(`${data}!`);
    return response;
  });
  await serving(handler, async (origin) => {
    const socket = new WebSocket(origin.replace("http", "ws"));
    socket.onopen = () => socket.send("hello");
    const answer = await new Promise<string>((resolve) => socket.onmessage = ({ data }) => resolve(data));
    assertEquals(answer, "hello!");
    const refused = await new Promise<string>((resolve) => {
      const second = new WebSocket(origin.replace("http", "ws"));
      second.onerror = (event) => resolve((event as ErrorEvent).message);
    });
    assertMatch(refused, /429/);
    const closed = new Promise((resolve) => socket.onclose = resolve);
    socket.close();
    await closed;
  });
});

Deno.test("messages may be text, an object, a function or a problem document", async () => {
  const shown = async (options: FetchLimitOptions) => {
    const response = await limited({ name: "p", limit: 0, ...options }).ask("/x");
    return [response.status, response.headers.get("content-type"), await response.text()];
  };
  const html = "text/html; charset=utf-8";
  const json = "application/json; charset=utf-8";
  assertEquals(await shown({ message: "slow down" }), [429, html, "slow down"]);
  assertEquals(await shown({ message: { code: 7 }, statusCode: 503 }), [503, json, '{"code":7}']);
  const made = (request: Request) => Promise.resolve({ path: new URL(request.url).pathname });
  assertEquals(await shown({ message: made }), [429, json, '{"path":"/x"}']);
  const [status, type, body] = await shown({ problemDetails: true });
  assertEquals([status, type], [429, "application/problem+json"]);
  assertEquals(JSON.parse(String(body))["violated-policies"], ["p"]);
});

Deno.test("a refusal may have a status that has no body", async () => {
  for (const statusCode of [204, 205, 304]) {
    const refused = await limited({ limit: 0, statusCode }).ask();
    assertEquals([refused.status, refused.body, refused.headers.get("content-type")], [statusCode, null, null]);
    assertEquals(refused.headers.get("x-ratelimit-limit"), "0");
  }
});

Deno.test("headers may be switched off, and a permanent refusal has no Retry-After", async () => {
  const response = await limited({ limit: 0, headers: false }).ask();
  assert([...response.headers.keys()].every((name) => !/rate|retry/.test(name)));
  assertEquals((await limited({ limit: 0 }).ask()).headers.get("retry-after"), null);
});

Deno.test("Retry-After is not early for a limiter in front that has nothing left", async () => {
  const clock = new VirtualClock().read;
  const inner = fetchLimit({ name: "inner", limit: 1, windowMs: 4_000, clock });
  const { ask } = limited({ name: "outer", limit: 3, windowMs: 10_000, clock }, inner(() => new Response("hello")));
  const waits = [await ask(), await ask(), await ask()].map(({ headers }) => headers.get("retry-after"));
  assertEquals(waits, [null, "4", "10"]);
});

Deno.test("a request may be refunded by its outcome, also when the handler throws", async () => {
  const handler = (request: Request) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/throws") throw new Error("mine");
    return new Response(null, { status: pathname === "/fails" ? 500 : 200 });
  };
  const failing = limited({ limit: 1, skipFailedRequests: true }, handler);
  assertEquals(await statuses(failing.ask, "/fails"), [500]);
  await assertRejects(() => failing.ask("/throws"), Error, "mine");
  assertEquals(await statuses(failing.ask, "/", "/"), [200, 429]);
  const succeeding = limited({ limit: 1, skipSuccessfulRequests: true }, handler);
  assertEquals(await statuses(succeeding.ask, "/", "/", "/fails", "/"), [200, 200, 500, 429]);
  const judged = limited({
    limit: 1,
    skipFailedRequests: true,
    requestWasSuccessful: (request, { statusCode }) =>
      Promise.resolve(statusCode < 400 && !request.url.includes("bad")),
  }, handler);
  assertEquals(await statuses(judged.ask, "/bad", "/bad", "/", "/"), [200, 200, 200, 429]);
});

Deno.test("a failing requestWasSuccessful does not fail the answer", async () => {
  const { limit, ask } = limited({
    skipFailedRequests: true,
    requestWasSuccessful: () => Promise.reject(new Error("mine")),
  });
  const told: string[] = [];
  limit.limiter.on("error", (error: Error) => told.push(error.message));
  assertEquals([(await ask()).status, ...told], [200, "mine"]);
});

Deno.test("a concurrency limit counts running handlers, and one that throws no longer runs", async () => {
  const gates: PromiseWithResolvers<Response>[] = [];
  const { ask } = limited({ algorithm: "concurrency", limit: 2 }, () => {
    const gate = Promise.withResolvers<Response>();
    gates.push(gate);
    return gate.promise;
  });
  const working = [ask(), ask()];
  assertEquals((await ask()).status, 429);
  gates[0]!.resolve(new Response("done"));
  assertEquals(await (await working[0]!).text(), "done");
  const third = ask();
  assertEquals((await ask()).status, 429);
  gates[1]!.reject(new Error("mine"));
  await assertRejects(() => working[1]!, Error, "mine");
  const fourth = ask();
  for (let i = 0; i < 20; i++) await Promise.resolve();
  for (const gate of gates.slice(2)) gate.resolve(new Response("done"));
  assertEquals([(await third).status, (await fourth).status], [200, 200]);
});

Deno.test("a hanging store delays the answer by its time budget and no more", async () => {
  const clock = new VirtualClock();
  const store = new FaultyStore(new MemoryStore({ clock: clock.read }));
  const { ask } = limited(
    { algorithm: "concurrency", limit: 1, store, clock: clock.read, timers: clock.timers },
    () => {
      store.hang();
      return new Response("hello");
    },
  );
  const response = ask();
  for (let i = 0; i < 20; i++) await Promise.resolve();
  clock.advance(100);
  assertEquals(await (await response).text(), "hello");
  assertEquals(clock.pendingTimers, 0);
});

Deno.test("clientAddress gets the client from the request and the arguments passed with it", async () => {
  const limit = fetchLimit({
    limit: 1,
    clientAddress: (request, env) => request.headers.get("cf-connecting-ip") ?? (env as { fallback: string }).fallback,
  });
  const serve = limit((_request: Request, _env: { fallback: string }) => new Response("hello"));
  const ask = async (address?: string) => {
    const headers = new Headers(address === undefined ? {} : { "cf-connecting-ip": address });
    return (await serve(new Request("http://localhost/", { headers }), { fallback: "192.0.2.9" })).status;
  };
  assertEquals([await ask("2001:db8::1"), await ask("2001:DB8:0::2"), await ask("192.0.2.1")], [200, 429, 200]);
  assertEquals([await ask(), await ask("192.0.2.9")], [200, 429]);
});

Deno.test("the client's address comes from Bun's server or Netlify's context", async () => {
  const serve = fetchLimit({ limit: 1 })((_request: Request, _server: unknown) => new Response("hello"));
  const bun = (address: string | null) => ({
    requestIP: (request: Request) => request instanceof Request && address !== null ? { address, port: 1 } : null,
  });
  const ask = async (server: unknown) => (await serve(new Request("http://localhost/"), server)).status;
  assertEquals([await ask(bun("192.0.2.1")), await ask(bun("192.0.2.1")), await ask(bun("192.0.2.2"))], [
    200,
    429,
    200,
  ]);
  assertEquals([await ask({ ip: "192.0.2.1" }), await ask({ ip: "192.0.2.3" })], [429, 200], "Netlify's context");
  // unknown clients share one counter, whatever the reason
  const foreign = { requestIP: () => assert(false, "not a request of this server") };
  const unknown = [
    ...[bun(null), undefined, null, "text", {}, foreign],
    ...[{ remoteAddr: { transport: "unix", path: "/tmp/s" } }, { remoteAddr: { hostname: 5 } }],
  ];
  const seen: number[] = [];
  for (const server of unknown) seen.push(await ask(server));
  assertEquals(seen, [200, 429, 429, 429, 429, 429, 429, 429]);
});

Deno.test("a clientAddress that does not return a string is an error that says so", async () => {
  for (const [told, shown] of [[Promise.resolve("192.0.2.1"), "a promise: to await it"], [7, "7"], [{}, "an object"]]) {
    const { ask } = limited({ clientAddress: () => told as string });
    await assertRejects(ask, TypeError, `clientAddress must return an address as a string, or nothing, not ${shown}`);
  }
  const { ask } = limited({ limit: 1, clientAddress: () => null as unknown as string });
  assertEquals(await statuses(ask, "/", "/"), [200, 429]);
});

Deno.test("with missingKey 'error', an unknown client is an error", async () => {
  const serve = fetchLimit({ missingKey: "error" })(() => new Response("hello"));
  await assertRejects(() => serve(new Request("http://localhost/")), TypeError, "pass fetchLimit a clientAddress");
});

Deno.test("skipped requests pass unchanged", async () => {
  const response = new Response("hello");
  const { limit, ask } = limited({ limit: 0, skip: (request) => request.url.endsWith("/health") }, () => response);
  assertStrictEquals(await ask("/health"), response);
  assertEquals([(await ask("/")).status, limit.limiter.counters.skipped], [429, 1]);
});

Deno.test("one limiter may wrap several handlers, and limiters may wrap each other", async () => {
  const limit = fetchLimit({ name: "both", limit: 2, standardHeaders: "draft-8", keyGenerator: () => "k" });
  const first = limit(() => new Response("first"));
  const inner = fetchLimit({ name: "inner", limit: 5, standardHeaders: "draft-8", keyGenerator: () => "k" });
  const second = limit(inner(() => new Response("second")));
  const request = () => new Request("http://localhost/");
  assertEquals((await first(request())).status, 200);
  const response = await second(request());
  assertEquals([response.status, response.headers.get("x-ratelimit-limit")], [200, "2"]);
  assertEquals(response.headers.get("ratelimit"), '"inner";r=4;t=60, "both";r=0;t=60');
  assertEquals((await second(request())).status, 429);
});

Deno.test("as Hono middleware it guards some routes, and gets the client from what the platform passes", async () => {
  const app = new Hono();
  const limit = fetchLimit({ limit: 1, standardHeaders: "draft-6" });
  app.use("/api/*", async (c, next) => {
    const limited = limit(async () => {
      await next();
      return c.res;
    });
    c.res = await limited(c.req.raw, c.env);
  });
  app.get("/api/time", (c) => c.text("now", 200, { "x-own": "kept" }));
  app.get("/", (c) => c.text("free"));
  const ask = async (path: string, hostname: string) =>
    await app.fetch(new Request(`http://localhost${path}`), { remoteAddr: { hostname } });
  const first = await ask("/api/time", "192.0.2.1");
  const told = ["x-ratelimit-remaining", "ratelimit-limit", "x-own"].map((name) => first.headers.get(name));
  assertEquals([first.status, await first.text(), ...told], [200, "now", "0", "1", "kept"]);
  const refused = await ask("/api/time", "192.0.2.1");
  assertEquals([refused.status, refused.headers.get("retry-after")], [429, "60"]);
  assertEquals([(await ask("/api/time", "192.0.2.2")).status, (await ask("/", "192.0.2.1")).status], [200, 200]);
});

Deno.test("a handler that has upgraded the request returns nothing, as Bun requires, and is counted", async () => {
  const server = { requestIP: () => ({ address: "192.0.2.1" }), upgrade: (_request: Request) => true };
  const handler = fetchLimit({ limit: 1, skipFailedRequests: true })((request: Request, bun: typeof server) => {
    if (bun.upgrade(request)) return;
    return new Response("no upgrade");
  });
  const ask = () => handler(new Request("http://localhost/"), server);
  assertEquals([await ask(), (await ask())?.status], [undefined, 429]);
});

Deno.test("onLimitReached is called for a refusal", async () => {
  const told: string[] = [];
  const { ask } = limited({ limit: 0, onLimitReached: (request) => told.push(request.url) });
  await ask("/x");
  assertEquals(told, ["http://localhost/x"]);
});

Deno.test("while the store fails, passOnStoreError decides as onStoreFailure does", async () => {
  for (
    const [passOnStoreError, expected] of [[true, [200, 200]], [false, [429, 429]], [undefined, [200, 429]]] as const
  ) {
    const store = new FaultyStore(new MemoryStore()).fail();
    const { ask, limit } = limited({ limit: 1, store, processes: 1, passOnStoreError });
    limit.limiter.on("storeFailure", () => {});
    assertEquals(await statuses(ask, "/", "/"), [...expected], String(passOnStoreError));
  }
});
