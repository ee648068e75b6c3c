/** The names in rate-limiter-flexible and express-rate-limit, read from the packages: no guess is silently undefined. */
import { assert, assertEquals, assertThrows } from "@std/assert";
import * as express from "express-rate-limit";
import * as flexible from "rate-limiter-flexible";
import * as ours from "../../mod.ts";

// deno-lint-ignore no-explicit-any -- what plain JavaScript may do
type Given = any;

const { Limiter, rateLimit } = ours;

/** Names of a class's members, those that it inherits included. */
function membersOf(made: { readonly prototype: object }): string[] {
  const names = new Set<string>();
  for (let at = made.prototype; at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    for (const name of Object.getOwnPropertyNames(at)) if (!/^_|^constructor$/.test(name)) names.add(name);
  }
  return [...names];
}

/** Names of the options that a function reads. */
function optionsRead(read: (options: Given) => unknown, given: object): string[] {
  const names = new Set<string>();
  read(
    new Proxy(given, {
      get(target, name) {
        names.add(String(name));
        return Reflect.get(target, name);
      },
    }),
  );
  return [...names];
}

/** Names of the options that express-rate-limit passes to stores. */
function optionsTold(): string[] {
  let names: string[] = [];
  const init = (options: object) => names = Object.keys(options);
  express.rateLimit({ store: { init, increment() {}, decrement() {}, resetKey() {} } as Given });
  return names;
}

/** The error from reading a member, or `undefined` if it can be read. */
function refusalOf(read: () => unknown): string | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    assert(error instanceof TypeError, String(error));
    return error.message;
  }
}

function assertKnown(object: object, names: readonly string[], exempt: Readonly<Record<string, string>> = {}): void {
  assert(names.length > 0);
  const silent = names.filter((name) => {
    const refusal = refusalOf(() => (object as Given)[name]);
    return !Object.hasOwn(exempt, name) && !(name in object && /; (?:write|use|read) |^$/.test(refusal ?? ""));
  });
  assertEquals(silent, []);
}

const FLEXIBLE_LIMITERS = ["RateLimiterMemory", "RateLimiterRedis", "RateLimiterQueue", "BurstyRateLimiter"] as const;

/** Members that no program needs here. Methods among them are not silent: they are not a function. */
const NOT_NEEDED = {
  dump: "a store keeps the counters",
  restore: "a store keeps the counters",
  getKey: "keys have no prefix",
  parseKey: "keys have no prefix",
  msDuration: "duration in other units",
  msBlockDuration: "blockDuration in other units",
  execEvenlyMinDelayMs: "the advice for execEvenly, which it needs",
  client: "a store has it",
  insuranceLimiter: "onStoreFailure, an option",
  inMemoryBlockOnConsumed: "denyCache, an option",
  blockOnConsumed: "a former name of inMemoryBlockOnConsumed",
  inMemoryBlockDuration: "denyCache, an option",
  msInMemoryBlockDuration: "denyCache, an option",
  deleteInMemoryBlockedAll: "reset clears remembered refusals",
  getInMemoryBlockMsBeforeExpire: "not documented there",
};

for (const name of FLEXIBLE_LIMITERS) {
  Deno.test(`each member of ${name} is a member of Limiter, or an error that says what to write`, () => {
    assertKnown(new Limiter(), membersOf(flexible[name]), NOT_NEEDED);
  });
}

Deno.test("each member of RateLimiterRes is a member of a decision, or an error that says what to read", async () => {
  const decision = await new Limiter().consume("key");
  const names = membersOf(flexible.RateLimiterRes);
  assertKnown(decision, names, { toJSON: "JSON.stringify works without it" });
});

Deno.test("so is each member of express-rate-limit's info and of its getKey's result", async () => {
  const store = new express.MemoryStore();
  store.init({ windowMs: 1000 } as Given);
  const found = Object.keys(await store.increment("key"));
  assertKnown(await new Limiter().consume("key"), [...found, "limit", "used", "remaining", "resetTime"]);
  store.shutdown();
});

Deno.test("methods of express-rate-limit's middleware are there", () => {
  const theirs = Object.keys(express.rateLimit());
  assertEquals(theirs.filter((name) => !(name in rateLimit())), []);
});

Deno.test("names elsewhere are neither listed nor copied", async () => {
  const limiter = new Limiter();
  const decision = await limiter.consume("key");
  for (const object of [limiter, decision]) {
    for (const name in object) assert(!["points", "get", "msBeforeNext", "success"].includes(name), name);
    JSON.stringify({ ...object });
    Deno.inspect(object, { getters: true });
  }
});

Deno.test("members elsewhere cannot be set, and consume refuses options behind a number of units", () => {
  const limiter = new Limiter() as Given;
  assertThrows(() => limiter.points = 5, TypeError, "there is no limiter.points; use limit");
  assertThrows(() => limiter.consume("key", 1, { customDuration: 5 }), TypeError, "has no options");
});

/** Options without a counterpart, for which the error lists the options that there are. */
const WITHOUT_ADVICE = {
  execEvenlyMinDelayMs: "the advice for execEvenly, which it needs",
  storeType: "which client is found out",
  useRedisPackage: "which client is found out",
  useRedis3AndLowerPackage: "which client is found out",
  rejectIfRedisNotReady: "timeoutMs",
  customIncrTtlLuaScript: "there is no script to replace",
  blockOnConsumed: "a former name of inMemoryBlockOnConsumed",
  inMemoryBlockDuration: "a refusal is remembered for as long as it lasts",
};

Deno.test("each option of rate-limiter-flexible is an error that says what to write", () => {
  const most = { points: 1, duration: 1, storeClient: {} };
  const names = new Set([
    ...optionsRead((options) => new flexible.RateLimiterMemory(options), most),
    ...optionsRead((options) => new flexible.RateLimiterRedis(options), most),
  ]);
  assert(names.size > 5);
  const silent = [...names].filter((name) => {
    const { message } = assertThrows(() => new Limiter({ [name]: 1 } as Given), TypeError);
    return !Object.hasOwn(WITHOUT_ADVICE, name) && !/; (?!there are )/.test(message);
  });
  assertEquals(silent, []);
});

Deno.test("each option of express-rate-limit is an option of rateLimit, or an error that says what to write", () => {
  const names = [...optionsTold(), "max", "draft_polli_ratelimit_headers"];
  assert(names.length > 15);
  for (const name of names) {
    // an option that exists refuses the symbol as a value
    const refusal = refusalOf(() => rateLimit({ [name]: Symbol("none") } as Given)) ?? "";
    assert(!refusal.includes("; there are "), refusal);
  }
});

/** Exports of express-rate-limit without a counterpart: importing one fails before the program starts. */
const NOT_EXPORTED = {
  ipKeyGenerator: "clientKey",
  default: "rateLimit",
  "module.exports": "rateLimit",
  SECOND: "windowMs: 1000",
  MINUTE: "windowMs: 60_000",
  HOUR: "windowMs: 3_600_000",
  DAY: "windowMs: 86_400_000",
};

Deno.test("each export of express-rate-limit is one of ours, or a failing import", () => {
  const missing = Object.keys(express).filter((name) => !(name in ours));
  assertEquals(missing.filter((name) => !Object.hasOwn(NOT_EXPORTED, name)), []);
});
