import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import * as wholeModule from "../../mod.ts";
import {
  type CompareAndSet,
  DenoKvStore,
  DurableObjectStore,
  fetchLimit,
  fromCompareAndSet,
  fromExclusive,
  Limiter,
  MemoryStore,
  rateLimit,
  RedisStore,
} from "../../mod.ts";

// deno-lint-ignore no-explicit-any
type Any = any;

const nothing = () => {};
const DATABASE: Any = { read: nothing, commit: nothing, delete: nothing, list: nothing };
const PORT: Any = { evalsha: nothing, eval: nothing, scan: nothing };
const KV: Any = { atomic: nothing, getMany: nothing };
const NAMESPACE: Any = { idFromName: nothing, get: nothing };

const WRONG: readonly [build: () => unknown, message: string][] = [
  [() => rateLimit({ limit: null } as Any), "rateLimit: option limit must be a number, not null"],
  [() => rateLimit({ limit: "5" } as Any), 'rateLimit: option limit must be a number, not "5"'],
  [
    () => rateLimit({ name: null } as Any),
    "rateLimit: option name must be 1 to 128 visible ASCII characters, not null",
  ],
  [
    () => rateLimit({ identifier: 5 } as Any),
    "rateLimit: option identifier must be 1 to 128 visible ASCII characters, not 5",
  ],
  [
    () => rateLimit({ onStoreFailure: null } as Any),
    'rateLimit: option onStoreFailure must be "local", "open" or "closed", not null',
  ],
  [
    () => rateLimit({ keyGenerator: wholeModule } as Any),
    "rateLimit: option keyGenerator must be a function, not an object (Module)",
  ],
  [() => rateLimit({ shadow: "no" } as Any), 'rateLimit: option shadow must be true or false, not "no"'],
  [() => rateLimit({ validate: 1 } as Any), "rateLimit: option validate must be true, false or an object, not 1"],
  [
    () => rateLimit({ timers: {} } as Any),
    "rateLimit: option timers must be an object { start, now }, not an object",
  ],
  [
    () => rateLimit({ limits: {} } as Any),
    "rateLimit: option limits must be a list of at least one limit, not an object",
  ],
  [
    () => fetchLimit({ limits: null } as Any),
    "fetchLimit: option limits must be a list of at least one limit, not null",
  ],
  [
    () => new Limiter({ limits: [] }),
    "Limiter: option limits must be a list of at least one limit, not an empty array",
  ],
  [() => fetchLimit({ clientAddress: "ip" } as Any), 'fetchLimit: option clientAddress must be a function, not "ip"'],
  [() => new MemoryStore({ clock: 5 } as Any), "MemoryStore: option clock must be a function, not 5"],
  [() => new RedisStore({ url: 5 } as Any), "RedisStore: option url must be a string, not 5"],
  [
    () => new RedisStore({ url: new URL("redis://:password@host") } as Any),
    "RedisStore: option url must be a string; use url.href",
  ],
  ...["redis://:password@host", PORT].map((given): [() => unknown, string] => [
    () => new RedisStore(given as Any),
    'RedisStore: use new RedisStore({ url: "redis://host:6379" }), or new RedisStore({ client })',
  ]),
  [
    () => new RedisStore({ sendCommand: nothing } as Any),
    "RedisStore: there is no option sendCommand; pass the client itself as option client",
  ],
  [
    () => new RedisStore({ client: class Redis {} } as Any),
    "RedisStore: option client must be a client of npm:redis 5 or later, of npm:ioredis, of npm:@upstash/redis, Bun's own, or an object with " +
    "evalsha, eval and scan, not the class Redis",
  ],
  [
    () => new RedisStore({ client: "redis://:password@host" } as Any),
    "RedisStore: option client must be a client of npm:redis 5 or later, of npm:ioredis, of npm:@upstash/redis, Bun's own, or an object with " +
    "evalsha, eval and scan, not an address: pass it as option url",
  ],
  ...[
    ["http://user:pass/word@host:6379", "http://…@host:6379"],
    ["redis://:pass/word@host:6379", "redis://…@host:6379"],
    ["redis://:100%@host:6379", "redis://…@host:6379"],
    ["redis://host:637900", "redis://host:637900"],
    ["redis://host/name", "redis://host/name"],
  ].map(([url, shown]): [() => unknown, string] => [
    () => new RedisStore({ url: url! }),
    "RedisStore: option url must be like redis://user:password@host:6379/0, rediss://… or unix:///path, percent-encoded, not " +
    JSON.stringify(shown),
  ]),
  [
    () => new RedisStore({ client: Promise.resolve(PORT) } as Any),
    "RedisStore: option client must be a client of npm:redis 5 or later, of npm:ioredis, of npm:@upstash/redis, Bun's own, or an object with " +
    "evalsha, eval and scan, not a promise: await it",
  ],
  [() => new RedisStore({ client: PORT, clock: 5 } as Any), "RedisStore: option clock must be a function, not 5"],
  [
    () => new DenoKvStore({ kv: KV, prefix: "a" } as Any),
    'DenoKvStore: option prefix must be a list of key parts, not "a"',
  ],
  [
    () => new DurableObjectStore({ namespace: NAMESPACE, prefix: 5 } as Any),
    "DurableObjectStore: option prefix must be a string, not 5",
  ],
  [
    () => fromCompareAndSet(DATABASE, { scope: "here" } as Any),
    'fromCompareAndSet: option scope must be one of process, host, region, global, not "here"',
  ],
  [
    () => fromCompareAndSet({ ...DATABASE, atomicBatch: "some" } as Any),
    'fromCompareAndSet: option atomicBatch must be "all" or "same-key", not "some"',
  ],
  [() => fromCompareAndSet(DATABASE, { pause: 5 } as Any), "fromCompareAndSet: option pause must be a function, not 5"],
  [
    () => fromCompareAndSet({} as CompareAndSet),
    "fromCompareAndSet: the database must have the methods read, commit, delete and list, not be an object without read; " +
    "CompareAndSet describes each",
  ],
  [() => fromExclusive(null as Any), "fromExclusive: option run must be a function, not null"],
  [
    () => fromExclusive(nothing as Any, { clock: Date.now } as Any),
    'fromExclusive: option clock must be "store" or "process", not a function now',
  ],
  [
    () => fromExclusive(nothing as Any, { partitions: [] } as Any),
    "fromExclusive: option partitions must be a function, not an empty array",
  ],
];

const NO_STORE =
  "option store must be a store with decide and capabilities (see fromCounter for stores of other limiters), not";

const NO_STORE_BUT_REDIS =
  "option store must be a store; for Redis use new RedisStore({ url }) or new RedisStore({ client })";

for (const [build, message] of WRONG) {
  Deno.test(`a wrong value is reported: ${message}`, () => {
    assertEquals(assertThrows(build, TypeError).message, message);
  });
}

Deno.test("a limit or a cost of null for one check is refused, and not taken for the default", () => {
  const limiter = new Limiter({ limit: 1 });
  const refused = (options: Any) => assertThrows(() => limiter.consume("key", options), TypeError).message;
  assertEquals(refused({ limit: null }), "limiter.consume: option limit must be a number, not null");
  assertEquals(refused({ cost: null }), "limiter.consume: option cost must be a number, not null");
  assertEquals(limiter.size, 0);
});

Deno.test("an error names the function that made the limiter, or the method that was called", async () => {
  const said = (call: () => unknown) => assertThrows(call, Error).message;
  const wrong: readonly [options: Any, rest: string][] = [
    [{ windowMs: 0 }, "option windowMs must be an integer from 1 to 1099511627776, not 0"],
    [{ limit: 1.5 }, "option limit must be an integer from 0 to 2147483648, not 1.5"],
    [{ burst: 2 }, 'option burst is for algorithm "token-bucket", not for "fixed-window"'],
    [{ block: { after: 0, forMs: 1 } }, "option block.after must be an integer from 1 to 2147483648, not 0"],
    [{ limits: [{ name: "a" }, { name: "a" }] }, 'option limits has two limits named "a"; give them different names'],
    [{ timeoutMs: 0 }, "option timeoutMs must be an integer from 1 to 2147483647, not 0"],
    [{ maxWaiting: -1 }, "option maxWaiting must be an integer from 0 to 10000000, not -1"],
    [{ clock: 5 }, "option clock must be a function, not 5"],
    [{ store: null }, `${NO_STORE} null`],
    [{ store: "redis://:password@host" }, NO_STORE_BUT_REDIS],
    [{ store: { ...PORT, incr() {} } }, NO_STORE_BUT_REDIS],
    [{ store: 5 }, `${NO_STORE} 5`],
    [{ store: RedisStore }, `${NO_STORE} the class RedisStore`],
    [{ store: () => {} }, `${NO_STORE} a function store`],
  ];
  const doors = { Limiter: (options: Any) => new Limiter(options), rateLimit, fetchLimit };
  for (const [door, call] of Object.entries(doors)) {
    for (const [options, rest] of wrong) assertEquals(said(() => call(options)), `${door}: ${rest}`);
  }
  assertEquals(
    said(() => fetchLimit({ cost: -1 })),
    "fetchLimit: option cost must be an integer from 0 to 2147483648, not -1",
  );

  const limiter = new Limiter({ limits: [{ name: "a" }, { name: "b" }] });
  assertEquals(
    said(() => limiter.consume("k", { limit: -1 })),
    "limiter.consume: option limit must be an integer from 0 to 2147483648, not -1",
  );
  assertEquals(
    said(() => limiter.peek({ a: "k" })),
    'limiter.peek: the key of limit "b" must be a non-empty string, not undefined',
  );
  const { message } = await assertRejects(() => limiter.waitFor("k", { cost: -1 }), RangeError);
  assertEquals(message, "limiter.waitFor: option cost must be an integer from 0 to 2147483648, not -1");

  // errors about a value from an option's function name the function that accepted the options
  const handler = fetchLimit({ cost: () => NaN, keyGenerator: () => "k" })(() => new Response("hello"));
  const failed = await assertRejects(() => handler(new Request("http://localhost/")), RangeError);
  assertEquals(failed.message, "fetchLimit: option cost must be an integer from 0 to 2147483648, not NaN");
});
