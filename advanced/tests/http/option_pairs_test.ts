/**
 * Every option together with one limit, several limits, and rules: it works, or the message names an option that was
 * set.
 */
import { assert, assertEquals } from "@std/assert";
import { fetchLimit, MemoryStore, rateLimit, type RateLimitOptions } from "@sluice/rate-limit";
import { rateLimit as fastifyLimit } from "@sluice/rate-limit/fastify";
import { rateLimit as honoLimit } from "@sluice/rate-limit/hono";
import { PolicyRules } from "@sluice/rate-limit/rules";
import { VirtualClock } from "@sluice/rate-limit/testing";

const clock = new VirtualClock(0);

/** Values for every option; a new option without one does not compile. */
const VALUES: { readonly [Name in keyof Required<RateLimitOptions>]: readonly unknown[] } = {
  name: ["api"],
  identifier: ["api"],
  algorithm: ["fixed-window", "sliding-window", "token-bucket", "concurrency"],
  windowMs: [1000],
  window: [{ every: "day" }],
  limit: [5, () => 5],
  max: [5, () => 5],
  burst: [5],
  buckets: [5],
  align: ["clock"],
  onDenied: ["free", "charge"],
  block: [{ after: 5, forMs: 1000 }],
  maxDebt: [5],
  shadow: [true, false],
  limits: [[{ limit: 5 }], [{ name: "a", limit: 5 }, { name: "b", limit: 9, ipv6Subnet: 48 }]],
  policies: [{}, { pro: { limit: 5 } }, { pro: { a: { limit: 5 } } }],
  store: [new MemoryStore()],
  maxKeys: [100],
  timeoutMs: [100],
  onStoreFailure: ["open", "closed"],
  processes: [2],
  coalesce: [true, false],
  denyCache: [true, false],
  leases: [{ units: 5, ttlMs: 100 }],
  clock: [clock.read],
  timers: [clock.timers],
  maxWaiting: [5],
  cost: [1, 5, () => 1],
  costAfter: [() => 1],
  keyGenerator: [() => "key"],
  policy: [() => ({})],
  rules: [new PolicyRules({ policies: [{ name: "a", limit: 5, window: "1m" }] })],
  tier: [() => "pro"],
  fields: [{ account: () => "ann" }],
  policyTtlMs: [5],
  skip: [() => false],
  message: ["no", { error: "no" }, () => "no"],
  statusCode: [503],
  headers: [true, false],
  standardHeaders: [true, false, "draft-8"],
  legacyHeaders: [true, false],
  legacyReset: ["epoch"],
  retryJitter: [5],
  random: [() => 0.5],
  delay: [{ from: 0.5, maxMs: 100 }],
  handler: [() => new Response()],
  onLimitReached: [() => {}],
  requestPropertyName: ["left"],
  skipFailedRequests: [true, false],
  skipSuccessfulRequests: [true, false],
  requestWasSuccessful: [() => true],
  passOnStoreError: [true, false],
  validate: [false, { trustProxy: false }],
  ipv6Subnet: [48],
  missingKey: ["share", "error"],
  dryRun: [true, false],
  problemDetails: [true, false],
};

/** Options to combine each option with. */
const BESIDE: Readonly<Record<string, readonly unknown[]>> = {
  limit: [5],
  limits: VALUES.limits,
  rules: [
    ...VALUES.rules,
    new PolicyRules({
      policies: [
        { name: "a", limit: 5, window: "1m", tiers: { pro: { limit: 9 }, free: "unlimited" } },
        { name: "b", limit: 5, window: "1m", shadow: true, key: [{ header: "x" }] },
      ],
    }),
  ],
};

/** The options that a message names. A part, such as `policies.pro`, counts as its option. */
function namedIn(message: string): string[] {
  const whole = /^\w+, (\w+)\./.exec(message)?.[1];
  if (whole !== undefined) return [whole];
  return [...message.matchAll(/\boptions? (\w+)(?: and (\w+))?/g)].flatMap(([, ...names]) => names.filter(Boolean));
}

// deno-lint-ignore no-explicit-any -- options of all kinds
const DOORS: Readonly<Record<string, (options: any) => unknown>> = { rateLimit, fetchLimit, honoLimit, fastifyLimit };

for (const [door, make] of Object.entries(DOORS)) {
  Deno.test(`every option of ${door} works beside limit, limits and rules, or is named`, () => {
    let tried = 0;
    let refused = 0;
    const wrong: string[] = [];
    for (const [base, bases] of Object.entries(BESIDE)) {
      for (const own of bases) {
        for (const [name, values] of Object.entries(VALUES)) {
          for (const value of values) {
            for (const dryRun of [{}, { dryRun: true }, { dryRun: false }]) {
              const options = { [base]: own, ...dryRun, [name]: value };
              tried++;
              try {
                make(options);
              } catch (error) {
                refused++;
                const message = (error as Error).message;
                const named = namedIn(message);
                const isNamed = named.length > 0 &&
                  named.every((one) => Object.hasOwn(options, one === "limit" && "max" in options ? "max" : one));
                if (!isNamed) {
                  wrong.push(`${JSON.stringify(Object.keys(options))} ${JSON.stringify(value)}: ${message}`);
                }
              }
            }
          }
        }
      }
    }
    assertEquals(wrong, []);
    assert(refused > 50 && refused < tried / 2, `${refused} of ${tried} were refused`);
  });
}

Deno.test("with dryRun, rules refuse nobody, and tell what they would have refused", async () => {
  const rules = new PolicyRules({ policies: [{ name: "api", limit: 1, window: "1h" }] });
  const limit = fetchLimit({ rules, dryRun: true, clientAddress: () => "192.0.2.1" });
  const handler = limit(() => new Response());
  const ask = async () => (await handler(new Request("http://localhost/"))).status;
  assertEquals([await ask(), await ask()], [200, 200]);
  assertEquals(limit.limiter.counters.shadowLimited, 1);
  rules.replace({ policies: [{ name: "api", limit: 2, window: "1h" }] });
  assertEquals([await ask(), await ask()], [200, 200]);
  assertEquals(limit.limiter.counters.shadowLimited, 2);
});
