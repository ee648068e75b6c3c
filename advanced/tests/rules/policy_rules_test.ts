/** Limits from a document: which requests they apply to, and which counts survive a new document. */
import { assertEquals, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import sluice from "@sluice/sluice";
import { fetchLimit, type FetchLimitOptions, MemoryStore, rateLimit, RedisStore, type Store } from "../../mod.ts";
import { PolicyRules } from "../../rules.ts";
import { VirtualClock } from "../../testing.ts";

/** A request, by method and path; `from` is the client's address. */
interface Ask {
  readonly from?: string;
  readonly headers?: Record<string, string>;
}

function served(rules: PolicyRules, options: FetchLimitOptions = {}) {
  const clock = new VirtualClock(Date.parse("2026-11-27T12:00:00Z"));
  const limit = fetchLimit({
    ...{ rules, clock: clock.read, standardHeaders: "draft-8", legacyHeaders: false, ...options },
    clientAddress: (request) => request.headers.get("from") ?? undefined,
  });
  const handler = limit(() => new Response("hello"));
  const ask = async (what: string, { from = "192.0.2.1", headers = {} }: Ask = {}) => {
    const [method, path] = what.split(" ") as [string, string];
    const response = await handler(new Request(`http://localhost${path}`, { method, headers: { ...headers, from } }));
    await response.body?.cancel();
    return response;
  };
  const statuses = async (what: string, times: number, how?: Ask) => {
    const all: number[] = [];
    for (let i = 0; i < times; i++) all.push((await ask(what, how)).status);
    return all;
  };
  return { clock, limit, ask, statuses };
}

Deno.test("a policy concerns the routes and methods it names, with any capitals, a slash at the end, and HEAD for GET", async () => {
  const rules = new PolicyRules({
    policies: [{
      ...{ name: "items", limit: 0, window: "1m", methods: ["get", "DELETE"] },
      routes: ["/items", "/items/:id", "/files/*", "/docs/*rest", "/users/:id/*", "/reports/:name.pdf", "/a+b/*.js"],
    }],
  });
  const { ask } = served(rules);
  const concerned = [
    ...["GET /items", "GET /ITEMS/", "HEAD /items", "DELETE /items/7", "GET /items?page=2", "GET /items/7/"],
    ...[
      "GET /files",
      "GET /files/",
      "GET /files/a/b/c",
      "GET /docs/a/b",
      "GET /users/7",
      "GET /users/7/a/b",
      "GET /reports/may.pdf",
    ],
    ...["GET /a+b/x.js", "GET /a+b/.js"],
  ];
  const others = [
    ...["GET /", "POST /items", "GET /items/7/8", "GET /item", "GET /itemsx", "GET /users", "GET /reports/.pdf"],
    ...["GET /reports/a/b.pdf", "GET /reports/maypdf", "GET /aab/x.js", "GET /x/items", "OPTIONS /items"],
  ];
  for (const what of concerned) assertEquals((await ask(what)).status, 429, what);
  for (const what of others) {
    const response = await ask(what);
    assertEquals([response.status, response.headers.get("ratelimit")], [200, null], what);
  }
});

Deno.test("a long path takes no longer than its length", async () => {
  const rules = new PolicyRules({
    policies: [{ name: "a", limit: 0, window: "1m", routes: ["/*/x/*/y-*/:z.js/*/q"] }],
  });
  const { ask } = served(rules);
  // a quadratic algorithm takes minutes
  for (const part of ["/x/y-", "/%78/./y-", "/%ff\\%"]) {
    assertEquals((await ask(`GET ${part.repeat(20_000)}`)).status, 200);
  }
  for (
    const route of [
      `/:${"a".repeat(50_000)}(`,
      "/:a-:b",
      "/*-*",
      "/:a*",
      "x",
      "/a b",
      "",
      "/a?b",
      "/(a|b)",
      "/*rest/a",
      "/a{/*rest}",
    ]
  ) {
    assertThrows(
      () => new PolicyRules({ policies: [{ name: "a", limit: 0, window: "1m", routes: [route] }] }),
      TypeError,
      "PolicyRules: policies[0].routes[0] must be a",
    );
  }
});

Deno.test("requests are counted by address, header, segment and the program's fields, and not at all if they lack one", async () => {
  const rules = new PolicyRules({
    policies: [
      { name: "address", routes: ["/address"], limit: 1, window: "1m" },
      { name: "network", routes: ["/network"], limit: 1, window: "1m", ipv6Subnet: 48 },
      { name: "header", routes: ["/header"], limit: 1, window: "1m", key: { header: "X-Client" } },
      { name: "segment", routes: ["/shops/:id/*"], limit: 1, window: "1m", key: { path: 2 } },
      { name: "both", routes: ["/both"], limit: 1, window: "1m", key: ["address", { field: "user" }] },
    ],
  });
  const { ask, statuses, limit } = served(rules, {
    fields: { user: (request: Request) => request.headers.get("user") },
  });
  assertEquals(await statuses("GET /address", 2, { from: "2001:db8::1" }), [200, 429]);
  assertEquals((await ask("GET /address", { from: "2001:db8::2" })).status, 429);
  assertEquals((await ask("GET /address", { from: "2001:db8:0:1::2" })).status, 200);
  assertEquals(await statuses("GET /network", 1, { from: "2001:db8::1" }), [200]);
  assertEquals(await statuses("GET /network", 1, { from: "2001:db8:0:1::2" }), [429]);
  assertEquals(await statuses("GET /header", 2, { headers: { "x-client": "a" } }), [200, 429]);
  assertEquals(await statuses("GET /header", 1, { headers: { "x-client": "b" } }), [200]);
  assertEquals(await statuses("GET /header", 3), [200, 200, 200]);
  assertEquals(await statuses("GET /shops/7/items", 2), [200, 429]);
  // a different spelling for the same shop
  assertEquals(await statuses("GET /shops/%37/items", 1), [429]);
  assertEquals(await statuses("GET /shops/8/items", 1), [200]);
  assertEquals(await statuses("GET /both", 2, { headers: { user: "x y" } }), [200, 429]);
  assertEquals(await statuses("GET /both", 2, { from: "192.0.2.1 x", headers: { user: "y" } }), [200, 429]);
  assertEquals(await statuses("GET /both", 2), [200, 200]);
  const keys: string[] = [];
  for await (const { key } of limit.limiter.keys("both")) keys.push(key);
  assertEquals(keys.sort(), ["192.0.2.1 x%20y", "192.0.2.1%20x y"]);
});

Deno.test("the policies that concern a request are decided as one, and its tier says by which limits", async () => {
  const rules = new PolicyRules({
    policies: [
      { name: "minute", limit: 2, window: "1m", tiers: { pro: { limit: 4 }, staff: "unlimited" } },
      {
        ...{ name: "day", routes: ["/api/*"], limit: 3, window: { every: "day" }, cost: 2 },
        tiers: { pro: { limit: 100, window: "1d" }, staff: "unlimited", partner: { limit: 20 } },
      },
    ],
  });
  const { ask, statuses, limit } = served(rules, { tier: (request) => request.headers.get("tier") });
  assertEquals(await statuses("GET /api/a", 2), [200, 429]);
  const client = "192.0.2.1";
  assertEquals((await limit.limiter.peek({ minute: client, day: null })).remaining, 1);
  assertEquals((await limit.limiter.peek({ minute: null, day: client })).remaining, 1);
  const pro = { from: "192.0.2.2", headers: { tier: "pro" } };
  assertEquals(await statuses("GET /api/a", 5, pro), [200, 200, 200, 200, 429]);
  assertEquals(
    (await ask("GET /api/a", { from: "192.0.2.9", headers: { tier: "partner" } })).headers.get("ratelimit-policy"),
    '"minute";q=2;w=60, "day";q=20;w=86400',
  );
  const staff = await ask("GET /api/a", { headers: { tier: "staff" } });
  assertEquals([staff.status, staff.headers.get("ratelimit-policy")], [200, null]);
  // an unknown tier: the default limit
  assertEquals(await statuses("GET /", 3, { from: "192.0.2.3", headers: { tier: "gold" } }), [200, 200, 429]);
});

Deno.test("tiers and fields may have to be waited for, and say nothing or a text", async () => {
  const rules = new PolicyRules({
    policies: [{ name: "a", limit: 1, window: "1m", key: { field: "id" }, tiers: { pro: { limit: 2 } } }],
  });
  const { statuses } = served(rules, { tier: () => Promise.resolve("pro"), fields: { id: () => Promise.resolve(7) } });
  assertEquals(await statuses("GET /", 3), [200, 200, 429]);
  const wrong = served(rules, { tier: () => 7 as unknown as string, fields: { id: () => "7" } });
  const error = await wrong.ask("GET /").catch((error) => error);
  assertStringIncludes(String(error), "TypeError: fetchLimit: option tier must be a function that returns a string");
});

Deno.test("a policy in shadow counts and tells, and has its counts when it begins to refuse", async () => {
  const policy = { name: "a", limit: 2, window: "1h" };
  const rules = new PolicyRules({
    shadow: true,
    policies: [policy, { ...policy, name: "b", shadow: false, limit: 9 }],
  });
  const { statuses, limit } = served(rules);
  assertEquals(await statuses("GET /", 4), [200, 200, 200, 200]);
  assertEquals(limit.limiter.counters.shadowLimited, 2);
  rules.replace({ policies: [policy] });
  assertEquals(await statuses("GET /", 1), [429]);
});

const STORES: Record<string, (clock: VirtualClock) => Store | undefined> = {
  "the memory of the limiter": () => undefined,
  MemoryStore: (clock) => new MemoryStore({ clock: clock.read }),
  RedisStore: (clock) =>
    new RedisStore({ url: Deno.env.get("REDIS_URL")!, prefix: `rules-${crypto.randomUUID()}:`, clock: clock.read }),
};

for (const [name, make] of Object.entries(STORES)) {
  Deno.test(`${name} keeps its counts when the document is replaced, of policies that keep their name and algorithm`, async () => {
    const clock = new VirtualClock(Date.parse("2026-11-27T12:00:00Z"));
    const rules = new PolicyRules({
      policies: [
        { name: "fixed", routes: ["/fixed"], limit: 2, window: "1h" },
        { name: "sliding", routes: ["/sliding"], algorithm: "sliding-window", limit: 2, window: "1h" },
        { name: "bucket", routes: ["/bucket"], algorithm: "token-bucket", limit: 60, burst: 2, window: "1h" },
        { name: "gone", routes: ["/gone"], limit: 1, window: "1h" },
      ],
    });
    const { statuses, limit } = served(rules, { store: make(clock), clock: clock.read });
    try {
      for (const path of ["/fixed", "/sliding", "/bucket", "/gone", "/gone"]) await statuses(`GET ${path}`, 1);
      rules.replace({
        policies: [
          { name: "bucket", routes: ["/bucket"], algorithm: "token-bucket", limit: 60, burst: 3, window: "1h" },
          { name: "fixed", routes: ["/fixed"], limit: 3, window: "2h" },
          { name: "sliding", routes: ["/sliding"], algorithm: "sliding-window", limit: 4, window: "1h" },
        ],
      });
      assertEquals(await statuses("GET /fixed", 3), [200, 200, 429]);
      assertEquals(await statuses("GET /sliding", 4), [200, 200, 200, 429]);
      assertEquals(await statuses("GET /bucket", 3), [200, 200, 429]);
      assertEquals(await statuses("GET /gone", 2), [200, 200]);
      assertEquals(limit.limiter.policies.map(({ name }) => name), ["bucket", "fixed", "sliding"]);
    } finally {
      await limit.limiter.close();
    }
  });
}

Deno.test("a document that something is wrong with changes nothing, in any limiter", async () => {
  const good = { policies: [{ name: "a", limit: 1, window: "1h" }] };
  const rules = new PolicyRules(good);
  const one = served(rules);
  const two = served(rules, { delay: { maxMs: 1 } });
  const wrong: [unknown, string][] = [
    ["{}", "rules.replace expects a parsed document, not its text; use JSON.parse(text)"],
    [null, "rules.replace: the document must have policies, not null"],
    [{ policies: [{ limit: 1, window: "1m" }] }, "rules.replace: policies[0] needs a name"],
    [{ policies: [{ name: "a", limit: 9.5, window: "1m" }] }, "rules.replace: policies[0].limit must be an integer"],
    [
      { policies: [{ name: "a", limit: 9, window: "1m", tiers: { pro: { limt: 1 } } }] },
      "rules.replace: policies[0].tiers.pro.limt is not known",
    ],
    [
      { policies: [{ name: "a", limit: 9, window: "1m", tiers: { pro: { algorithm: "concurrency" } } }] },
      "rules.replace: policies[0].tiers.pro.algorithm",
    ],
    [
      { policies: [{ name: "a", limit: 9, window: "1m", key: { field: "user" } }] },
      'fetchLimit: policy "a" counts by field "user", which option fields does not have',
    ],
    // only the second limiter does not support this
    [
      { policies: [{ name: "a", limit: 9, window: "1m", onDenied: "charge" }] },
      "fetchLimit: option delay is for limits whose refusals cost nothing",
    ],
  ];
  for (const [document, message] of wrong) assertThrows(() => rules.replace(document), TypeError, message);
  assertEquals(rules.toJSON(), good);
  for (const { statuses } of [one, two]) assertEquals(await statuses("GET /", 2), [200, 429]);
});

Deno.test("options that say what a document says, and those that need one, are refused", () => {
  const rules = new PolicyRules({ policies: [{ name: "a", limit: 1, window: "1h" }] });
  const cases: [object, string][] = [
    [{ rules, limit: 5 }, "rateLimit: option limit cannot be combined with rules; put it in the document"],
    [{ rules, limits: [{ limit: 1 }] }, "rateLimit: option limits cannot be combined with rules"],
    [{ rules, keyGenerator: () => "a" }, "rateLimit: option keyGenerator cannot be combined with rules"],
    [{ rules, leases: 10 }, "rateLimit: option leases cannot be combined with rules"],
    [{ tier: () => "a" }, "rateLimit: option tier is for rules"],
    [{ rules: { policies: [] } }, "rateLimit: option rules must be rules of a document: new PolicyRules(document)"],
    [{ rules, fields: { a: "b" } }, "rateLimit: option fields.a must be a function"],
  ];
  for (const [options, message] of cases) assertThrows(() => rateLimit(options), TypeError, message);
});

Deno.test("in an application, routes are whole paths wherever the limiter is mounted", async () => {
  const rules = new PolicyRules({
    policies: [{ name: "a", routes: ["/api/items"], limit: 1, window: "1h", key: { field: "user" } }],
  });
  const app = sluice();
  app.use("/api", rateLimit({ rules, fields: { user: (req) => req.get("user") } }));
  app.get("/api/items", (_req, res) => void res.send("items"));
  const ask = async (user: string) => {
    const response = await app.fetch(new Request("http://localhost/api/items", { headers: { user } }));
    await response.body?.cancel();
    return response.status;
  };
  assertEquals([await ask("ann"), await ask("ann"), await ask("ben")], [200, 429, 200]);
});

Deno.test("requests in progress end what they took by a document that has been replaced", async () => {
  const rules = new PolicyRules({ policies: [{ name: "a", algorithm: "concurrency", limit: 1, window: "1h" }] });
  const { promise, resolve } = Promise.withResolvers<void>();
  const limit = fetchLimit({ rules, clientAddress: () => "192.0.2.1" });
  const handler = limit(async (request) => {
    if (request.url.endsWith("/slow")) await promise;
    return new Response();
  });
  const ask = async (path: string) => (await handler(new Request(`http://localhost${path}`))).status;
  const slow = ask("/slow");
  assertEquals(await ask("/"), 429);
  rules.replace({ policies: [{ name: "b", limit: 9, window: "1h" }] });
  resolve();
  assertEquals(await slow, 200);
  rules.replace({ policies: [{ name: "a", algorithm: "concurrency", limit: 1, window: "1h" }] });
  assertEquals(await ask("/"), 200);
});

Deno.test("a request that waits for its tier while the document is replaced is decided by the former one", async () => {
  const first = { policies: [{ name: "a", limit: 0, window: "1h", tiers: { pro: { limit: 1 } } }] };
  const rules = new PolicyRules(first);
  const { promise, resolve } = Promise.withResolvers<string>();
  const { ask } = served(rules, { tier: () => promise });
  const waiting = ask("GET /");
  rules.replace({ policies: [{ name: "b", limit: 0, window: "1h" }, { name: "c", limit: 0, window: "1h" }] });
  resolve("pro");
  const response = await waiting;
  assertEquals([response.status, response.headers.get("ratelimit-policy")], [200, '"a";q=1;w=3600']);
  assertEquals((await ask("GET /")).status, 429);
  rules.replace(first);
  assertEquals((await ask("GET /")).status, 429); // "a" has used its only unit
});

Deno.test("limiters made inside requests keep their counts when the document is replaced, and follow it", async () => {
  const a = { name: "a", limit: 2, window: "1h" };
  const rules = new PolicyRules({ policies: [a] });
  const app = sluice();
  app.get("/", (req, res, next) => void rateLimit({ rules, validate: false })(req, res, next), (_req, res) => {
    res.send("hello");
  });
  const statuses = async (times: number) => {
    const all: number[] = [];
    for (let i = 0; i < times; i++) {
      const response = await app.fetch(new Request("http://localhost/"), { remoteAddr: { hostname: "192.0.2.1" } });
      await response.body?.cancel();
      all.push(response.status);
    }
    return all;
  };
  assertEquals(await statuses(1), [200]);
  // they all share a limiter made for the previous document
  rules.replace({ policies: [{ ...a, limit: 3 }, { name: "b", limit: 9, window: "1h" }] });
  assertEquals(await statuses(3), [200, 200, 429]);
  for (let i = 0; i < 1100; i++) rules.replace({ policies: [{ ...a, limit: 4 + i }] });
  assertEquals(await statuses(1), [200]);
});

Deno.test("a document that is changed after it was given changes nothing", async () => {
  const document = {
    policies: [{
      ...{ name: "a", limit: 1, window: { every: "day" }, routes: ["/a"], methods: ["GET"], key: [{ header: "user" }] },
      ...{ tiers: { pro: { limit: 9 } }, block: { after: 9, for: "1h" } },
    }],
  };
  const rules = new PolicyRules(document);
  const { ask } = served(rules, { tier: () => undefined });
  const text = JSON.stringify(document);
  const [policy] = document.policies;
  Object.assign(policy!.window, { every: "century" });
  Object.assign(policy!, { name: "b", limit: 100 });
  policy!.routes[0] = "/b";
  policy!.methods.length = policy!.key.length = 0;
  document.policies.push(policy!);
  const headers = { user: "ann" };
  const statuses = [
    await ask("GET /a", { headers }),
    await ask("GET /a", { headers }),
    await ask("GET /b", { headers }),
  ];
  assertEquals(statuses.map(({ status }) => status), [200, 429, 200]);
  assertEquals(JSON.stringify(rules), text);
});

Deno.test("a field that throws while the tier fails ends one request, and not the process", async () => {
  const rules = new PolicyRules({ policies: [{ name: "a", key: { field: "user" }, limit: 1, window: "1h" }] });
  const { ask } = served(rules, {
    tier: () => Promise.reject(new Error("no database")),
    fields: {
      user: () => {
        throw new Error("no body");
      },
    },
  });
  await assertRejects(() => ask("GET /"), Error, "no body");
});

Deno.test("names that every object has are names like any other", async () => {
  for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty"]) {
    const own = (value: unknown) => JSON.parse(`{${JSON.stringify(name)}:${JSON.stringify(value)}}`);
    const policy = { name, limit: 1, window: "1h", key: ["address", { field: name }, { header: name }] };
    const rules = new PolicyRules({
      policies: [{ ...policy, tiers: own({ limit: 2 }), cost: 1 }, { name: "b", limit: 1, window: "1h", cost: 0 }],
    });
    const fields = Object.fromEntries([[name, (request: Request) => request.headers.get("user")]]);
    const { statuses } = served(rules, { tier: (request) => request.headers.get("tier"), fields });
    const sent = (user: string, more = {}) => ({ headers: { user, ...Object.fromEntries([[name, "x"]]), ...more } });
    assertEquals(await statuses("GET /", 2, sent("ann")), [200, 429], name);
    assertEquals(await statuses("GET /", 3, sent("ben", { tier: name })), [200, 200, 429], name);
    assertEquals(await statuses("GET /", 2, sent("cas", { tier: "valueOf" })), [200, 429], name);
    assertEquals(await statuses("GET /", 2, { headers: { user: "ann" } }), [200, 200], name);
  }
});

Deno.test("headers are counted by on Node's own requests, too, whatever their capitals, and only if they are sent", async () => {
  for (const header of ["X-Client", "Set-Cookie", "constructor"]) {
    const rules = new PolicyRules({ policies: [{ name: "a", key: { header }, limit: 1, window: "1h" }] });
    const limit = rateLimit({ rules, missingKey: "share" });
    const passes = (headers: object) =>
      new Promise<boolean>((told, failed) => {
        const response = {
          ...{ statusCode: 200, headersSent: false, setHeader() {}, getHeader: () => undefined, on() {} },
          end: () => told(false),
        };
        const next = (error?: unknown) => error === undefined ? told(true) : failed(error);
        void limit({ method: "GET", url: "/", headers } as never, response, next);
      });
    assertEquals([await passes({}), await passes({})], [true, true], header);
    const value = header === "Set-Cookie" ? ["a=1", "b=2"] : "7";
    const sent = { [header.toLowerCase()]: value };
    assertEquals([await passes(sent), await passes(sent)], [true, false], header);
  }
});

Deno.test("times are whole ms where the text says so", () => {
  const windowOf = (window: string) =>
    new PolicyRules({ policies: [{ name: "a", limit: 1, window }] }).policies[0]!.windowMs;
  assertEquals(["1.1m", "0.07s", "2.3h", "1.1d"].map(windowOf), [66_000, 70, 8_280_000, 95_040_000]);
  assertThrows(() => windowOf("1.5ms"), TypeError, "policies[0].window must be an integer");
});

Deno.test("headers for one limit alone tell of one that refuses, not of one in shadow", async () => {
  const rules = new PolicyRules({
    policies: [{ name: "new", limit: 1, window: "1m", shadow: true }, { name: "old", limit: 9, window: "1m" }],
  });
  const { ask } = served(rules, { legacyHeaders: true });
  await ask("GET /");
  const { headers } = await ask("GET /");
  assertEquals([headers.get("x-ratelimit-limit"), headers.get("x-ratelimit-remaining")], ["9", "7"]);
  // the policies that name it list it
  assertEquals(headers.get("ratelimit"), '"new";r=0;t=60, "old";r=7;t=60');
});
