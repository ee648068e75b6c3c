/** One test suite for all frameworks' limiters. */
import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { MemoryStore } from "@sluice/rate-limit";
import { PolicyRules } from "@sluice/rate-limit/rules";
import { FaultyStore } from "@sluice/rate-limit/testing";
import { PATIENCE_MS } from "../../../tests/support/patience.ts";
import { type AnyOptions, type Handle, type Served, type Subject, SUBJECTS } from "./subjects.ts";

async function using(
  subject: Subject,
  options: AnyOptions | readonly AnyOptions[],
  body: (served: Served) => Promise<void>,
  gate?: Promise<void>,
  handle?: Handle,
): Promise<void> {
  const served = await subject.serve([options].flat(), gate, handle);
  try {
    await body(served);
  } finally {
    await served.close();
    for (const limiter of served.limiters) await limiter.close();
  }
}

async function statuses(served: Served, paths: readonly string[]): Promise<number[]> {
  const all: number[] = [];
  for (const path of paths) all.push((await served.ask(path)).status);
  return all;
}

/** Some frameworks report that a request has ended only once its response has been sent. */
async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (!await isTrue()) {
    assert(performance.now() < end, "what was waited for never happened");
    await new Promise((resolve) => setTimeout(resolve));
  }
}

for (const subject of SUBJECTS) {
  const { name } = subject;

  Deno.test(`${name}: requests are admitted up to the limit, and then refused, with headers`, async () => {
    await using(subject, { limit: 2, windowMs: 60_000 }, async (served) => {
      const first = await served.ask("/hello");
      assertEquals([first.status, await first.text()], [200, "hello"]);
      assertEquals(first.headers.get("x-ratelimit-limit"), "2");
      assertEquals(first.headers.get("x-ratelimit-remaining"), "1");
      assertEquals(first.headers.get("retry-after"), null);
      assertEquals(first.headers.get("cache-control"), null);
      assertEquals(await statuses(served, ["/hello"]), [200]);
      const third = await served.ask("/hello");
      assertEquals(third.status, 429);
      assertEquals(await third.json(), { error: "Too many requests, please try again later." });
      assertMatch(third.headers.get("content-type")!, /^application\/json/);
      assertEquals(third.headers.get("cache-control"), "no-store");
      assertEquals(third.headers.get("retry-after"), "60");
      assertEquals(third.headers.get("x-ratelimit-remaining"), "0");
    });
  });

  Deno.test(`${name}: limits come from a document, which can be replaced`, async () => {
    const rules = new PolicyRules({
      policies: [
        { name: "hello", routes: ["/hello"], methods: ["GET"], limit: 1, window: "1m", tiers: { pro: { limit: 2 } } },
        { name: "plan", routes: ["/left"], limit: 1, window: "1m", key: [{ header: "x-plan" }, { field: "plan" }] },
      ],
    });
    const plan = (context: unknown) => subject.header(context, "x-plan");
    await using(subject, { rules, tier: plan, fields: { plan } }, async (served) => {
      const pro = { headers: { "x-plan": "pro" } };
      assertEquals(await statuses(served, ["/hello", "/hello?again", "/left", "/left"]), [200, 429, 200, 200]);
      assertEquals([(await served.ask("/left", pro)).status, (await served.ask("/left", pro)).status], [200, 429]);
      assertEquals((await served.ask("/hello", pro)).status, 200);
      assertEquals((await served.ask("/hello", pro)).status, 429);
      rules.replace({ policies: [{ name: "hello", limit: 3, window: "1m" }] });
      assertEquals(await statuses(served, ["/left", "/left"]), [200, 429]);
    });
  });

  Deno.test(`${name}: each client has a quota of its own, all of an IPv6 subnet have one`, async () => {
    await using(subject, { limit: 1 }, async ({ ask }) => {
      const of = async (ip: string) => (await ask("/hello", { ip })).status;
      assertEquals([await of("192.0.2.1"), await of("192.0.2.1"), await of("192.0.2.2")], [200, 429, 200]);
      assertEquals([await of("2001:db8::1"), await of("2001:db8::2"), await of("2001:db9::1")], [200, 429, 200]);
    });
  });

  if (subject.mayNotKnow) {
    Deno.test(`${name}: a client whom nobody vouches for is an error that says what to do`, async () => {
      await using(subject, { limit: 1 }, async ({ ask, limiters }) => {
        const response = await ask("/hello", { ip: null, headers: { "cf-connecting-ip": "192.0.2.9" } });
        assertEquals(response.status, 500);
        assertMatch(await response.text(), /the client's address is unknown: .*clientAddress or a keyGenerator/);
        assertEquals(limiters[0]!.size, 0);
      });
    });

    Deno.test(`${name}: missingKey "share" counts all unknown clients together`, async () => {
      await using(subject, { limit: 1, missingKey: "share" }, async ({ ask }) => {
        const of = async () => (await ask("/hello", { ip: null })).status;
        assertEquals([await of(), await of()], [200, 429]);
      });
    });
  }

  Deno.test(`${name}: clientAddress tells the address that a proxy adds`, async () => {
    const clientAddress = (context: unknown) => subject.header(context, "x-real-ip");
    await using(subject, { limit: 1, clientAddress }, async ({ ask }) => {
      const of = async (ip: string) => (await ask("/hello", { ip: null, headers: { "x-real-ip": ip } })).status;
      assertEquals([await of("198.51.100.1"), await of("198.51.100.1"), await of("198.51.100.2")], [200, 429, 200]);
    });
  });

  Deno.test(`${name}: handlers are told what is left`, async () => {
    await using(subject, { limit: 5, skip: (context: unknown) => subject.header(context, "x-free") === "1" }, async (
      { ask },
    ) => {
      assertEquals(await (await ask("/left")).json(), { left: 4 });
      assertEquals(await (await ask("/left", { headers: { "x-free": "1" } })).json(), { left: null });
    });
  });

  Deno.test(`${name}: functions in the options get the framework's context, and may take their time`, async () => {
    const user = (context: unknown) => subject.header(context, "x-user") ?? "nobody";
    const options: AnyOptions = {
      keyGenerator: (context) => Promise.resolve(user(context)),
      limit: (context) => Promise.resolve(user(context) === "rich" ? 3 : 1),
      cost: (context) => user(context) === "costly" ? 1 : 1,
      skip: (context) => Promise.resolve(user(context) === "skipped"),
      message: (context) => ({ user: user(context) }),
    };
    await using(subject, options, async ({ ask, limiters }) => {
      const of = async (user: string) => await ask("/hello", { headers: { "x-user": user } });
      assertEquals([(await of("poor")).status, (await of("poor")).status], [200, 429]);
      assertEquals(await (await of("poor")).json(), { user: "poor" });
      assertEquals([(await of("rich")).status, (await of("rich")).status, (await of("rich")).status], [200, 200, 200]);
      const skipped = await of("skipped");
      assertEquals([skipped.status, skipped.headers.get("x-ratelimit-limit")], [200, null]);
      assertEquals(limiters[0]!.counters.skipped, 1);
    });
  });

  Deno.test(`${name}: several limits are decided as one, and each has its headers`, async () => {
    const options: AnyOptions = {
      limits: [{ name: "burst", limit: 2, windowMs: 1000 }, { name: "hour", limit: 100, windowMs: 3_600_000 }],
      standardHeaders: "draft-8",
      legacyHeaders: false,
    };
    await using(subject, options, async (served) => {
      const { headers } = await served.ask("/hello");
      assertEquals(headers.get("ratelimit-policy"), '"burst";q=2;w=1, "hour";q=100;w=3600');
      assertMatch(headers.get("ratelimit")!, /^"burst";r=1;t=1, "hour";r=99;t=\d+$/);
      assertEquals(headers.get("x-ratelimit-limit"), null);
      assertEquals(await statuses(served, ["/hello", "/hello"]), [200, 429]);
    });
  });

  Deno.test(`${name}: of limiters in a row, the headers show the tightest`, async () => {
    await using(subject, [{ limit: 2, name: "inner" }, { limit: 100, name: "outer" }], async (served) => {
      assertEquals((await served.ask("/hello")).headers.get("x-ratelimit-limit"), "2");
      assertEquals(await statuses(served, ["/hello", "/hello"]), [200, 429]);
      assertEquals(served.limiters.map(({ counters }) => counters.admitted), [2, 2]);
    });
  });

  Deno.test(`${name}: a handler responds in place of the limiter, whose headers are added`, async () => {
    const reached: unknown[] = [];
    const options: AnyOptions = {
      limit: 1,
      statusCode: 503,
      handler: subject.respond(420, "calm"),
      onLimitReached: (context) => void reached.push(subject.header(context, "x-user")),
    };
    await using(subject, options, async (served) => {
      assertEquals(await statuses(served, ["/hello"]), [200]);
      const refused = await served.ask("/hello", { headers: { "x-user": "7" } });
      assertEquals([refused.status, await refused.text()], [420, "calm 503"]);
      assertEquals(refused.headers.get("x-ratelimit-remaining"), "0");
      assertEquals(refused.headers.get("cache-control"), "no-store");
      assertEquals(reached, ["7"]);
    });
  });

  Deno.test(`${name}: a refusal is text, or a problem document, with any status`, async () => {
    await using(subject, { limit: 0, message: "later", statusCode: 503 }, async ({ ask }) => {
      const response = await ask("/hello");
      assertEquals([response.status, await response.text()], [503, "later"]);
      assertMatch(response.headers.get("content-type")!, /^text\/html/);
    });
    await using(subject, { limit: 0, problemDetails: true }, async ({ ask }) => {
      const response = await ask("/hello");
      assertMatch(response.headers.get("content-type")!, /^application\/problem\+json/);
      assertEquals((await response.json()).status, 429);
    });
  });

  Deno.test(`${name}: responses that a handler did not make by the framework have the headers, too`, async () => {
    await using(subject, { limit: 5 }, async ({ ask }) => {
      const response = await ask("/raw");
      assertEquals([await response.text(), response.headers.get("x-ratelimit-remaining")], ["raw", "4"]);
    });
  });

  Deno.test(`${name}: a failed request has the headers, and skipFailedRequests gives back what it took`, async () => {
    await using(subject, { limit: 2, skipFailedRequests: true }, async (served) => {
      const failed = await served.ask("/fail");
      assertEquals(failed.status, 500);
      assertEquals(failed.headers.get("x-ratelimit-remaining"), "1");
      const remaining = async () => (await served.limiters[0]!.peek("192.0.2.1")).remaining;
      await until(async () => await remaining() === 2);
      assertEquals(await statuses(served, ["/hello", "/hello", "/hello"]), [200, 200, 429]);
    });
  });

  Deno.test(`${name}: an error that two requests throw stays as it is, and each has its own headers`, async () => {
    class ClientError extends Error {
      get headers(): Headers {
        return new Headers({ upstream: "1" });
      }
    }
    for (const error of [new Error("failed"), new ClientError("failed")]) {
      const { headers } = error as Partial<ClientError>;
      await using(
        subject,
        [{ name: "a", limit: 9 }, { name: "b", limit: 5 }],
        async (served) => {
          const all = [await served.ask("/hello"), await served.ask("/hello")];
          assertEquals(all.map((one) => [one.status, one.headers.get("x-ratelimit-remaining")]), [[500, "4"], [
            500,
            "3",
          ]]);
          assertEquals((error as Partial<ClientError>).headers, headers);
        },
        undefined,
        () => {
          throw error;
        },
      );
    }
  });

  Deno.test(`${name}: requestWasSuccessful decides what is given back`, async () => {
    const seen: number[] = [];
    const requestWasSuccessful: AnyOptions["requestWasSuccessful"] = (context, { statusCode }) => {
      seen.push(statusCode);
      return subject.header(context, "x-user") !== "bad";
    };
    await using(subject, { limit: 2, skipSuccessfulRequests: true, requestWasSuccessful }, async (served) => {
      const remaining = async () => (await served.limiters[0]!.peek("192.0.2.1")).remaining;
      await served.ask("/hello");
      await until(async () => await remaining() === 2);
      await served.ask("/hello", { headers: { "x-user": "bad" } });
      await until(() => seen.length === 2);
      assertEquals([await remaining(), seen], [1, [200, 200]]);
    });
  });

  Deno.test(`${name}: a concurrency limit counts a request until it is over`, async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    await using(subject, { algorithm: "concurrency", limit: 1, windowMs: 60_000 }, async (served) => {
      const waiting = served.ask("/wait");
      await until(() => served.limiters[0]!.counters.admitted === 1);
      assertEquals(await statuses(served, ["/hello"]), [429]);
      resolve();
      assertEquals(await (await waiting).text(), "waited");
      await until(async () => (await served.limiters[0]!.peek("192.0.2.1")).remaining === 1);
      assertEquals(await statuses(served, ["/hello"]), [200]);
    }, promise);
  });

  Deno.test(`${name}: costAfter replaces what a request was estimated to cost`, async () => {
    const costAfter: AnyOptions["costAfter"] = (context, { statusCode }) => {
      assertEquals(statusCode, 200);
      return Number(subject.header(context, "x-cost"));
    };
    const options: AnyOptions = { algorithm: "sliding-window", limit: 10, maxDebt: 5, cost: 4, costAfter };
    await using(subject, options, async (served) => {
      const remaining = async () => (await served.limiters[0]!.peek("192.0.2.1")).remaining;
      assertEquals((await served.ask("/hello", { headers: { "x-cost": "1" } })).status, 200);
      await until(async () => await remaining() === 9);
      assertEquals((await served.ask("/hello", { headers: { "x-cost": "9" } })).status, 200);
      await until(async () => await remaining() === 0);
    });
  });

  Deno.test(`${name}: delay lets a request wait instead of refusing it`, async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const options: AnyOptions = { algorithm: "concurrency", limit: 1, windowMs: 60_000, delay: { maxMs: 60_000 } };
    await using(subject, options, async (served) => {
      const first = served.ask("/wait");
      await until(() => served.limiters[0]!.counters.admitted === 1);
      const second = served.ask("/hello");
      await until(() => served.limiters[0]!.counters.limited === 1);
      resolve();
      assertEquals([(await first).status, (await second).status], [200, 200]);
    }, promise);
  });

  Deno.test(`${name}: while the store fails, onStoreFailure decides`, async () => {
    const cases: readonly [options: AnyOptions, statuses: readonly number[]][] = [
      [{ onStoreFailure: "closed" }, [429, 429]],
      [{ onStoreFailure: "open" }, [200, 200]],
      [{ onStoreFailure: "local" }, [200, 429]],
      // express-rate-limit's name
      [{ passOnStoreError: undefined }, [200, 429]],
      [{ passOnStoreError: false }, [429, 429]],
      [{ passOnStoreError: true }, [200, 200]],
      [{ passOnStoreError: false, onStoreFailure: "local" }, [200, 429]],
    ];
    for (const [options, statuses] of cases) {
      const store = new FaultyStore(new MemoryStore());
      store.fail();
      await using(subject, { limit: 1, store, processes: 1, ...options }, async ({ ask, limiters }) => {
        limiters[0]!.on("storeFailure", () => {});
        const responses = [await ask("/hello"), await ask("/hello")];
        assertEquals(responses.map(({ status }) => status), statuses, JSON.stringify(options));
        if (statuses[0] === 429) assertEquals(responses[0]!.headers.get("retry-after"), "1");
      });
    }
  });

  Deno.test(`${name}: errors of functions in the options go to the framework's error handler`, async () => {
    const keyGenerator = () => {
      throw Object.assign(new Error("no key"), { expose: true });
    };
    await using(subject, { keyGenerator }, async ({ ask }) => {
      const response = await ask("/hello");
      assertEquals(response.status, 500);
      assertMatch(await response.text(), /no key/);
    });
  });

  Deno.test(`${name}: an option that is wrong is an error that names it`, async () => {
    await assertRejects(
      async () => await subject.serve([{ handler: "no" } as unknown as AnyOptions]),
      TypeError,
      "rateLimit: option handler",
    );
    await assertRejects(
      async () => await subject.serve([{ maximum: 5 } as unknown as AnyOptions]),
      TypeError,
      "maximum",
    );
    await assertRejects(async () => await subject.serve([{ limit: -1 }]), RangeError, "limit");
  });
}
