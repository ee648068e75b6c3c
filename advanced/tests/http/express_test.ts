/**
 * `rateLimit` in real Express, with express-rate-limit as its oracle.
 *
 * Intentional differences from express-rate-limit:
 *
 * | option or header       | express-rate-limit                 | here                                                |
 * | ---------------------- | ---------------------------------- | --------------------------------------------------- |
 * | `limit`                | 5 by default                       | 100 by default, as in the framework's own limiter   |
 * | `handler`              | fourth argument: its options       | fourth argument: status, message and the decision   |
 * | `identifier`           | string or function                 | string                                              |
 * | `ipv6Subnet`           | 56, or a function, or `false`      | 64, a number                                        |
 * | `headers`              | another name of `legacyHeaders`    | switches all headers                                |
 * | body of a refusal      | plain text                         | JSON; a string as `message` is sent as plain text   |
 * | `X-RateLimit-Reset`    | seconds since 1970                 | seconds from now; `legacyReset: "epoch"` for theirs |
 * | `Retry-After`          | also for `limit: 0`                | only where waiting helps                            |
 * | `Cache-Control`        | not set                            | `no-store` on a refusal                             |
 * | `Date`                 | set with `X-RateLimit-Reset`       | set by the server                                   |
 * | draft-8                | `pk`, a hash of the key; spaces    | no `pk`; no spaces                                  |
 * | draft-8, draft-10      | `t`: the window's end              | `t`: when units return; none while unused           |
 * | `req.rateLimit.used`   | counts refusals                    | stops at the limit                                  |
 * | store fails            | 500, or all pass                   | decided locally, or all pass                        |
 * | headers while all pass | none                               | those of a full quota                               |
 * | `skipFailedRequests`   | a disconnect refunds the request   | only a finished response counts as failed           |
 * | two limiters           | the later one's headers            | the headers of the one with less left               |
 */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import express from "express";
import expressRateLimit, { MemoryStore as ExpressMemoryStore } from "express-rate-limit";
import sluice from "@sluice/sluice";
import { rateLimit } from "../../mod.ts";
import { VirtualClock } from "../../src/testing/virtual_clock.ts";

// deno-lint-ignore no-explicit-any -- three libraries and their types
type Any = any;

/** A response as a client sees it. */
interface Seen {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

type Talk = (ask: (path?: string, init?: RequestInit) => Promise<Seen>, origin: string) => Promise<Seen[]>;

const SHOWN = /^(x-ratelimit-|ratelimit|retry-after$|cache-control$|content-type$)/;

/** A conversation that requests several paths in a row. */
function inRow(...paths: (string | [string, RequestInit])[]): Talk {
  return async (ask) => {
    const seen: Seen[] = [];
    for (const path of paths) seen.push(await (typeof path === "string" ? ask(path) : ask(...path)));
    return seen;
  };
}

/** Makes a client whose requests resolve once the server has completely finished them. */
function clientOf(app: Any, origin: string): (path?: string, init?: RequestInit) => Promise<Seen> {
  let finished = Promise.withResolvers<void>();
  app.use((_req: Any, res: Any, next: Any) => {
    const mine = finished;
    res.on("close", () => mine.resolve());
    next();
  });
  return async (path = "/", init = {}) => {
    finished = Promise.withResolvers<void>();
    const { promise } = finished;
    const response = await fetch(origin + path, init);
    const headers = Object.fromEntries([...response.headers].filter(([name]) => SHOWN.test(name)));
    const body = await response.text();
    await promise;
    for (let i = 0; i < 50; i++) await Promise.resolve();
    return { status: response.status, headers, body };
  };
}

async function onExpress(build: (app: Any) => void, talk: Talk): Promise<Seen[]> {
  const app: Any = express();
  app.set("env", "test");
  const node = await new Promise<Any>((resolve) => {
    const listening: Any = app.listen(0, "127.0.0.1", () => resolve(listening));
  });
  const origin = `http://127.0.0.1:${node.address().port}`;
  const ask = clientOf(app, origin);
  build(app);
  try {
    return await talk(ask, origin);
  } finally {
    await new Promise((resolve) => {
      node.close(resolve);
      node.closeAllConnections();
    });
  }
}

async function onSluice(build: (app: Any) => void, talk: Talk): Promise<Seen[]> {
  const app: Any = sluice().set("env", "test");
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, app.fetch);
  const origin = `http://127.0.0.1:${server.addr.port}`;
  const ask = clientOf(app, origin);
  build(app);
  try {
    return await talk(ask, origin);
  } finally {
    await server.shutdown();
  }
}

/** Runs a program on both frameworks, asserts that clients see the same responses, and returns those. */
async function onBoth(build: (app: Any) => void, talk: Talk): Promise<Seen[]> {
  const ours = await onSluice(build, talk);
  assertEquals(await onExpress(build, talk), ours);
  return ours;
}

function routes(app: Any): void {
  app.get("/", (_req: Any, res: Any) => res.send("hello"));
  app.get("/fails", (_req: Any, res: Any) => res.status(500).send("failed"));
  app.get("/quota", (req: Any, res: Any) => {
    const { limit, used, remaining, resetTime } = req.quota;
    res.json({ limit, used, remaining, isDate: resetTime instanceof Date });
  });
}

/** The program for most tests: a limiter with a stopped clock, and three routes. */
function limited(...all: Any[]): (app: Any) => void {
  return (app) => {
    const clock = new VirtualClock();
    for (const options of all) app.use(rateLimit({ clock: clock.read, ...options }));
    routes(app);
  };
}

const statuses = (seen: readonly Seen[]) => seen.map(({ status }) => status);
const repeat = (count: number, path = "/") => inRow(...Array.from({ length: count }, () => path));

Deno.test("Express and Sluice show the same statuses, headers and body of a limit", async () => {
  const seen = await onBoth(limited({ limit: 2, windowMs: 10_000 }), repeat(4));
  assertEquals(statuses(seen), [200, 200, 429, 429]);
  assertEquals(seen[2]!.headers, {
    "cache-control": "no-store",
    "content-type": "application/json; charset=utf-8",
    "retry-after": "10",
    "x-ratelimit-limit": "2",
    "x-ratelimit-remaining": "0",
    "x-ratelimit-reset": "10",
  });
  assertEquals(seen[2]!.body, '{"error":"Too many requests, please try again later."}');
});

Deno.test("messages of every kind reach the client in Express too", async () => {
  const [text] = await onBoth(limited({ limit: 0, message: "slow down" }), repeat(1));
  assertEquals([text!.body, text!.headers["content-type"]], ["slow down", "text/html; charset=utf-8"]);
  const [object] = await onBoth(limited({ limit: 0, message: { code: 7 }, statusCode: 503 }), repeat(1));
  assertEquals([object!.status, object!.body], [503, '{"code":7}']);
  const [made] = await onBoth(
    limited({ limit: 0, message: (req: Any) => Promise.resolve(`not ${req.path}`) }),
    repeat(1),
  );
  assertEquals(made!.body, "not /");
  const [problem] = await onBoth(limited({ name: "p", limit: 0, problemDetails: true }), repeat(1));
  assertMatch(problem!.headers["content-type"]!, /^application\/problem\+json/);
  assertEquals(JSON.parse(problem!.body)["violated-policies"], ["p"]);
});

for (const standardHeaders of ["draft-6", "draft-7", "draft-8", "draft-10"]) {
  Deno.test(`${standardHeaders} headers are the same in Express, for one limit and for several`, async () => {
    const limits = [{ name: "burst", limit: 2, windowMs: 1_000 }, { name: "day", limit: 50, windowMs: 86_400_000 }];
    const [one] = await onBoth(limited({ limit: 3, standardHeaders, name: "one" }), repeat(5));
    assert(one!.headers["ratelimit-policy"]);
    const several = await onBoth(limited({ limits, standardHeaders, legacyHeaders: false }), repeat(3));
    assertEquals(statuses(several), [200, 200, 429]);
    assertEquals(several[0]!.headers["x-ratelimit-limit"], undefined);
    await onBoth(
      limited({ limit: 3, standardHeaders, name: "a" }, { limit: 2, standardHeaders, name: "b" }),
      repeat(3),
    );
  });
}

Deno.test("skip and an asynchronous key work in Express", async () => {
  const options = {
    limit: 1,
    skip: (req: Any) => Promise.resolve(req.query.free !== undefined),
    keyGenerator: (req: Any) => Promise.resolve(String(req.get("x-user"))),
  };
  const as = (user: string): [string, RequestInit] => ["/", { headers: { "x-user": user } }];
  const seen = await onBoth(limited(options), inRow(as("a"), as("b"), as("a"), "/?free", as("b")));
  assertEquals(statuses(seen), [200, 200, 429, 200, 429]);
});

Deno.test("functions of the options get the response, too", async () => {
  const options = {
    skip: (req: Any, res: Any) => (res.locals.user = req.query.user) === "root",
    keyGenerator: (_req: Any, res: Any) => res.locals.user,
    limit: (_req: Any, res: Any) => res.locals.user === "a" ? 1 : 2,
    cost: (_req: Any, res: Any) => res.locals.user === "b" ? 2 : 1,
    onLimitReached: (_req: Any, res: Any) => void (res.locals.word = "enough"),
    message: (_req: Any, res: Any) => `${res.locals.word}, ${res.locals.user}`,
  };
  const seen = await onBoth(limited(options), inRow("/?user=a", "/?user=a", "/?user=b", "/?user=b", "/?user=root"));
  assertEquals(statuses(seen), [200, 429, 200, 429, 200]);
  assertEquals([seen[1]!.body, seen[3]!.body], ["enough, a", "enough, b"]);
});

Deno.test("failed requests are refunded in Express when they are answered", async () => {
  const paths = ["/fails", "/fails", "/", "/fails"];
  assertEquals(statuses(await onBoth(limited({ limit: 1, skipFailedRequests: true }), inRow(...paths))), [
    ...[500, 500, 200, 429],
  ]);
  const [first] = await onBoth(limited({ limit: 1, skipSuccessfulRequests: true }), inRow("/", "/", "/fails", "/"));
  assertEquals(first!.headers["x-ratelimit-remaining"], "0");
});

Deno.test("handler answers in Express, and may pass the request on", async () => {
  const mine = (_req: Any, res: Any, _next: Any, { statusCode, decision }: Any) =>
    res.status(503).send(`${decision.remaining} left, not ${statusCode}`);
  const [answered] = await onBoth(limited({ limit: 0, handler: mine }), repeat(1));
  assertEquals([answered!.status, answered!.body], [503, "0 left, not 429"]);
  const [passed] = await onBoth(limited({ limit: 0, handler: (_q: Any, _s: Any, next: Any) => next() }), repeat(1));
  assertEquals([passed!.status, passed!.body], [200, "hello"]);
});

Deno.test("errors in the user's functions reach Express's error handlers", async () => {
  const broken = () => {
    throw new Error("mine");
  };
  for (
    const options of [{ keyGenerator: broken }, { skip: broken }, { limit: broken }, { limit: 0, handler: broken }]
  ) {
    const build = (app: Any) => {
      limited(options)(app);
      app.use((error: Any, _req: Any, res: Any, _next: Any) => res.status(500).send(`told: ${error.message}`));
    };
    assertEquals((await onBoth(build, repeat(1)))[0]!.body, "told: mine");
  }
});

Deno.test("an error after the answer is passed to the limiter's listeners and does not end the process", async () => {
  const told: string[] = [];
  const build = (app: Any) => {
    const limit = rateLimit({
      limit: 5,
      skipFailedRequests: true,
      requestWasSuccessful: () => Promise.reject(new Error("mine")),
    });
    limit.limiter.on("error", (error: Error) => told.push(error.message));
    app.use(limit);
    routes(app);
  };
  await onBoth(build, repeat(2));
  assertEquals(told, ["mine", "mine", "mine", "mine"]);
});

/** A client reads the start of a response and disconnects. Returns the next client's view. */
const leaves: (left: () => Promise<void>) => Talk = (left) => async (ask, origin) => {
  const leaving = new AbortController();
  const begun = await fetch(`${origin}/stream`, { signal: leaving.signal });
  const reader = begun.body!.getReader();
  await reader.read();
  const meanwhile = await fetch(`${origin}/`);
  await meanwhile.body?.cancel();
  assertEquals(meanwhile.status, 429);
  leaving.abort();
  await reader.closed.catch(() => {});
  await left();
  return [await ask()];
};

Deno.test("a client that leaves in the middle of an answer no longer counts as in flight", async () => {
  let left = Promise.withResolvers<void>();
  const build = (app: Any) => {
    left = Promise.withResolvers<void>();
    limited({ algorithm: "concurrency", limit: 1 })(app);
    app.get("/stream", (_req: Any, res: Any) => {
      res.on("close", () => left.resolve());
      res.write("begun");
    });
  };
  assertEquals(statuses(await onBoth(build, leaves(() => left.promise))), [200]);
});

Deno.test("a client that leaves while its key is looked up never counts as in flight", async () => {
  let left = Promise.withResolvers<void>();
  let asked = Promise.withResolvers<void>();
  let found = Promise.withResolvers<string>();
  const build = (app: Any) => {
    [left, asked, found] = [Promise.withResolvers(), Promise.withResolvers(), Promise.withResolvers()];
    app.use((req: Any, res: Any, next: Any) => {
      if (req.path === "/slow") res.on("close", () => left.resolve());
      next();
    });
    app.use(rateLimit({
      ...{ algorithm: "concurrency", limit: 1 },
      keyGenerator: (req: Any) => {
        if (req.path !== "/slow") return "a";
        asked.resolve();
        return found.promise;
      },
    }));
    app.get("/slow", (_req: Any, res: Any) => res.send("late"));
    routes(app);
  };
  const talk: Talk = async (ask, origin) => {
    const leaving = new AbortController();
    const slow = fetch(`${origin}/slow`, { signal: leaving.signal }).catch(() => {});
    await asked.promise;
    leaving.abort();
    await slow;
    await left.promise;
    found.resolve("a");
    return [await ask()];
  };
  assertEquals(statuses(await onBoth(build, talk)), [200]);
});

Deno.test("behind express-rate-limit, the headers are those of the limit with less remaining", async () => {
  const layered = (first: number, second: number) => (app: Any) => {
    app.use(expressRateLimit({ limit: first, standardHeaders: "draft-8", identifier: "theirs", validate: false }));
    app.use(rateLimit({ limit: second, standardHeaders: "draft-8", name: "ours" }));
    routes(app);
  };
  const ours = await onExpress(layered(5, 2), repeat(3));
  assertEquals(statuses(ours), [200, 200, 429]);
  assertEquals(ours[0]!.headers["x-ratelimit-limit"], "2");
  const theirs = await onExpress(layered(2, 5), repeat(3));
  assertEquals(statuses(theirs), [200, 200, 429]);
  assertEquals(theirs[0]!.headers["x-ratelimit-limit"], "2");
  assertStringIncludes(theirs[2]!.body, "Too many requests");
  for (const seen of [ours, theirs]) {
    assertMatch(seen[0]!.headers["ratelimit"]!, /^"theirs"; r=\d; t=60, "ours";r=\d;t=60$/);
  }
});

/** Either limiter's headers, normalized for comparison. */
function comparable({ status, headers }: Seen): Record<string, unknown> {
  const { "x-ratelimit-reset": _reset, "content-type": _type, "cache-control": _cache, ...rest } = headers;
  const lists = Object.entries(rest).map(([name, value]) => [
    name,
    value.replaceAll("; ", ";").replace(/;pk=:[^:]*:/g, ""),
  ]);
  return { status, ...Object.fromEntries(lists) };
}

interface Case {
  readonly name: string;
  readonly options: Any | (() => Any);
  readonly talk: Talk;
  readonly expected: readonly number[];
}

const failing = {
  increment: () => Promise.reject(new Error("out of order")),
  decrement: () => Promise.resolve(),
  resetKey: () => Promise.resolve(),
};

const from = (address: string): [string, RequestInit] => ["/", { headers: { "x-forwarded-for": address } }];
const network = ["2001:db8:1:1::1", "2001:db8:1:2::1", "2001:db8:1:1::2", "2001:db8:2:1::1", "::ffff:192.0.2.1"];

const CASES: readonly Case[] = [
  { name: "limit", options: { limit: 2 }, talk: repeat(4), expected: [200, 200, 429, 429] },
  { name: "limit", options: { limit: 1 }, talk: repeat(2), expected: [200, 429] },
  { name: "limit as a function", options: { limit: () => Promise.resolve(1) }, talk: repeat(2), expected: [200, 429] },
  ...["draft-6", "draft-7", "draft-8"].map((standardHeaders) => ({
    name: `standardHeaders: ${standardHeaders}`,
    options: { limit: 2, standardHeaders, identifier: "api", windowMs: 90_000 },
    talk: repeat(4),
    expected: [200, 200, 429, 429],
  })),
  {
    name: "standardHeaders: true without legacyHeaders",
    options: { limit: 1, standardHeaders: true, legacyHeaders: false },
    talk: repeat(2),
    expected: [200, 429],
  },
  { name: "no headers at all", options: { limit: 1, legacyHeaders: false }, talk: repeat(2), expected: [200, 429] },
  {
    name: "handler",
    options: { limit: 1, handler: (_req: Any, res: Any) => res.status(418).send("mine") },
    talk: repeat(2),
    expected: [200, 418],
  },
  {
    name: "handler that passes the request on",
    options: { limit: 1, handler: (_req: Any, _res: Any, next: Any) => next() },
    talk: repeat(2),
    expected: [200, 200],
  },
  { name: "message", options: { limit: 1, message: "slow down" }, talk: repeat(2), expected: [200, 429] },
  { name: "statusCode", options: { limit: 1, statusCode: 503 }, talk: repeat(2), expected: [200, 503] },
  {
    name: "requestPropertyName",
    options: { limit: 3, requestPropertyName: "quota" },
    talk: repeat(3, "/quota"),
    expected: [200, 200, 200],
  },
  {
    name: "skipFailedRequests",
    options: { limit: 2, skipFailedRequests: true },
    talk: inRow("/fails", "/fails", "/fails", "/", "/", "/fails", "/"),
    expected: [500, 500, 500, 200, 200, 429, 429],
  },
  {
    name: "skipSuccessfulRequests",
    options: { limit: 2, skipSuccessfulRequests: true },
    talk: inRow("/", "/", "/", "/fails", "/fails", "/", "/fails"),
    expected: [200, 200, 200, 500, 500, 429, 429],
  },
  {
    name: "requestWasSuccessful",
    options: {
      limit: 1,
      skipSuccessfulRequests: true,
      requestWasSuccessful: (_req: Any, res: Any) => Promise.resolve(res.statusCode === 500),
    },
    talk: inRow("/fails", "/fails", "/", "/fails"),
    expected: [500, 500, 200, 429],
  },
  {
    name: "skip",
    options: { limit: 1, skip: (req: Any) => req.query.free !== undefined },
    talk: inRow("/?free", "/", "/?free", "/"),
    expected: [200, 200, 200, 429],
  },
  {
    name: "keyGenerator",
    options: { limit: 1, keyGenerator: (req: Any) => Promise.resolve(req.query.user) },
    talk: inRow("/?user=a", "/?user=b", "/?user=a"),
    expected: [200, 200, 429],
  },
  {
    name: "passOnStoreError",
    options: {
      limit: 1,
      legacyHeaders: false,
      store: failing,
      passOnStoreError: true,
    },
    talk: repeat(3),
    expected: [200, 200, 200],
  },
  { name: "validate: true", options: { limit: 1, validate: true }, talk: repeat(2), expected: [200, 429] },
  { name: "validate by name", options: { limit: 1, validate: { ip: false } }, talk: repeat(2), expected: [200, 429] },
  {
    name: "ipv6Subnet: 48",
    options: { limit: 1, ipv6Subnet: 48 },
    talk: inRow(...network.map(from), from("192.0.2.1")),
    expected: [200, 429, 429, 200, 200, 429],
  },
  {
    name: "ipv6Subnet: 64",
    options: { limit: 1, ipv6Subnet: 64 },
    talk: inRow(...network.map(from)),
    expected: [200, 200, 429, 200, 200],
  },
  {
    name: "store: MemoryStore of express-rate-limit",
    options: () => ({ limit: 2, standardHeaders: "draft-6", store: new ExpressMemoryStore() }),
    talk: inRow("/", "/fails", "/", "/"),
    expected: [200, 500, 429, 429],
  },
  {
    name: "that store with skipFailedRequests",
    options: () => ({ limit: 1, skipFailedRequests: true, store: new ExpressMemoryStore() }),
    talk: inRow("/fails", "/fails", "/"),
    expected: [500, 500, 200],
  },
];

/** Logs about failing stores are not part of the response. */
const SILENT = { error() {}, warn() {} };

Deno.test("passOnStoreError: false refuses while the store fails, where express-rate-limit fails", async () => {
  const asked = async (options: Any, make: (options: Any) => Any) => {
    const build = (app: Any) => {
      app.use(
        make({ windowMs: 60_000, limit: 1, validate: false, processes: 1, name: "store", store: failing, ...options }),
      );
      routes(app);
    };
    return statuses(await onExpress(build, repeat(2)));
  };
  const theirs = ({ name: _name, processes: _processes, ...rest }: Any) =>
    expressRateLimit({ logger: SILENT, ...rest });
  assertEquals(await asked({ passOnStoreError: false }, rateLimit), [429, 429]);
  assertEquals(await asked({ passOnStoreError: false }, theirs), [500, 500]);
  // without the option, this process decides
  assertEquals(await asked({}, rateLimit), [200, 429]);
});

for (const { name, options, talk, expected } of CASES) {
  Deno.test(`an option of express-rate-limit works as it does there: ${name}`, async () => {
    const play = (make: (options: Any) => Any) => {
      const made = typeof options === "function" ? options() : options;
      const build = (app: Any) => {
        app.set("trust proxy", 1);
        app.use(make({ windowMs: 60_000, validate: false, ...made }));
        routes(app);
      };
      return onExpress(build, talk).finally(() => made.store?.shutdown?.());
    };
    const ours = await play(rateLimit);
    const theirs = await play((made) => expressRateLimit({ logger: SILENT, ...made }));
    assertEquals(statuses(ours), [...expected]);
    assertEquals(ours.map(comparable), theirs.map(comparable));
    for (const [i, { status, body }] of ours.entries()) {
      if (status < 429 || "message" in Object(options)) assertEquals(body, theirs[i]!.body);
    }
  });
}

Deno.test("legacyReset: epoch gives the same time as express-rate-limit", async () => {
  const reset = async (limit: Any) => {
    const [seen] = await onExpress((app) => (app.use(limit), routes(app)), repeat(1));
    return Number(seen!.headers["x-ratelimit-reset"]);
  };
  const ours = await reset(rateLimit({ limit: 5, legacyReset: "epoch" }));
  const theirs = await reset(expressRateLimit({ limit: 5, validate: false }));
  // requested one after the other
  assert(theirs >= ours && theirs - ours <= 2, `${ours} and ${theirs}`);
});
