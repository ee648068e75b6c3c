import { assert, assertEquals, assertThrows } from "@std/assert";
import { redisTopics } from "@sluice/sluice/redis";
import {
  DenoKvStore,
  DurableObjectStore,
  fetchLimit,
  fromCompareAndSet,
  fromCounter,
  fromExclusive,
  Limiter,
  MemoryStore,
  rateLimit,
  RedisStore,
} from "../../mod.ts";
import { storeContract } from "../../testing.ts";

/** Every function that accepts options. */
const DOORS: Readonly<Record<string, (options: never) => unknown>> = {
  rateLimit,
  fetchLimit,
  Limiter: (options) => new Limiter(options),
  MemoryStore: (options) => new MemoryStore(options),
  RedisStore: (options) => new RedisStore(options),
  DenoKvStore: (options) => new DenoKvStore(options),
  DurableObjectStore: (options) => new DurableObjectStore(options),
  fromCompareAndSet: (options) => fromCompareAndSet({} as never, options),
  fromCounter: (options) => fromCounter({} as never, options),
  fromExclusive: (options) => fromExclusive((_, body) => body(new Map(), 0), options),
  redisTopics: (options) => redisTopics({} as never, options),
  storeContract: (options) => storeContract({} as never, () => {}, options),
};

function refusal(door: (options: never) => unknown, options: unknown): string {
  return assertThrows(() => door(options as never), TypeError).message;
}

for (const [name, door] of Object.entries(DOORS)) {
  Deno.test(`${name} refuses an unknown option, and tells which was meant, or lists the known ones`, () => {
    const message = refusal(door, { nonsense: 5 });
    assert(message.startsWith(`${name}: there is no option nonsense; there are `), message);
    assertEquals(refusal(door, "x"), `${name}: options must be an object, not "x"`);
  });
}

Deno.test("each of several limits refuses an unknown option", () => {
  for (const door of [rateLimit, fetchLimit, DOORS.Limiter!]) {
    assert(
      refusal(door, { limits: [{ limit: 1 }, { points: 2 }] }).includes(
        "limits[1]: there is no option points; use limit",
      ),
    );
    assert(
      refusal(door, { block: { after: 1, forMs: 1, forMS: 2 } }).includes(
        "block: there is no option forMS; did you mean forMs?",
      ),
    );
  }
  assert(refusal(DOORS.Limiter!, { limits: [{ ipv6Subnet: 64 }] }).includes("there is no option ipv6Subnet"));
});

Deno.test("an option of a single limit beside `limits` is refused, since no limit would use it", () => {
  const limits = [{ name: "a" }];
  for (const door of [rateLimit, fetchLimit, DOORS.Limiter!]) {
    const message = refusal(door, { limits, windowMs: 1000 });
    assert(message.endsWith("option windowMs cannot be combined with limits; set it on each of them"), message);
  }
  assert(refusal(rateLimit, { limits, limit: 5 }).includes("option limit cannot be combined with limits"));
  assertEquals(rateLimit({ limits, limit: () => 5, dryRun: true, name: "both" }).limiter.policies.length, 1);
});

Deno.test("an option of another function or another limiter is refused, with what to do instead", () => {
  assert(
    refusal(fetchLimit, { requestPropertyName: "left" }).includes("no option requestPropertyName; it is for rate"),
  );
  assert(refusal(rateLimit, { clientAddress: () => "" }).includes("no option clientAddress; it is for fetchLimit"));
  assert(refusal(rateLimit, { retryAfter: 5 }).includes("no option retryAfter; Retry-After says"));
  assert(refusal(rateLimit, { logger: console }).includes("no option logger; listen to limit.limiter"));
  assert(refusal((options) => new Limiter(options), { points: 5 }).endsWith("no option points; use limit"));
  assert(refusal(rateLimit, { ttl: 60 }).endsWith("no option ttl; use windowMs, in ms"));
  assert(refusal(rateLimit, { delayMs: 5 }).endsWith("no option delayMs; use delay: { from, maxMs }"));
  assert(refusal((options) => new Limiter(options), { delayMs: 5 }).endsWith("no option delayMs; use waitFor"));
});

Deno.test("an option that is undefined is ignored", () => {
  const options = { limit: 1, retryAfter: undefined, windowMS: undefined };
  assertEquals([rateLimit(options), fetchLimit(options)].map(({ limiter }) => limiter.policies[0]!.limit), [1, 1]);
});
