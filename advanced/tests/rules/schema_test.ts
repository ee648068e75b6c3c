/** The editors' schema and the program agree about documents. */
import { assertEquals } from "@std/assert";
import { Ajv } from "ajv";
import { ALGORITHM_NAMES } from "../../mod.ts";
import { PolicyRules } from "../../rules.ts";
import schema from "../../policies.schema.json" with { type: "json" };

const policy = { name: "a", limit: 10, window: "1m" };
const one = (more: object) => ({ policies: [{ ...policy, ...more }] });

const GOOD: readonly unknown[] = [
  one({}),
  {
    $schema: "./policies.schema.json",
    shadow: true,
    policies: [policy, { ...policy, name: "b" }],
    fields: { time: "at" },
  },
  one({ window: 60_000 }),
  one({ window: "1.5 s", limit: 0 }),
  one({ window: { every: "month", timeZone: "Europe/Berlin", startsOn: 15 } }),
  one({ window: { every: "week", startsOn: "sunday" } }),
  one({ routes: ["/", "/a/:b", "/c/*", "/d.e+f/*.js", "/e/*rest"], methods: ["GET", "post"] }),
  one({ key: "address" }),
  one({ key: ["address", { header: "X-Client" }, { field: "user.id" }, { path: 3 }], ipv6Subnet: 56 }),
  one({ algorithm: "token-bucket", burst: 20 }),
  one({ algorithm: "sliding-window", buckets: 6 }),
  one({ align: "clock", onDenied: "charge" }),
  one({ block: { after: 3, for: "1h" }, cost: 0, shadow: false }),
  one({ maxDebt: 0 }),
  one({ tiers: { free: {}, pro: { limit: 100, window: "1h", algorithm: "sliding-window" }, staff: "unlimited" } }),
  ...ALGORITHM_NAMES.map((algorithm) => one({ algorithm })),
];

const BAD: readonly unknown[] = [
  ...[null, [], "policies", {}, { policies: [] }, { policies: {} }, { policies: [null] }, { ...one({}), polices: 1 }],
  ...[{ policies: [{}] }, { policies: [{ name: "a", limit: 1 }] }, { policies: [{ name: "a", window: "1m" }] }],
  ...[{ policies: [{ limit: 1, window: "1m" }] }, { ...one({}), shadow: "yes" }],
  ...[
    one({ name: "" }),
    one({ limt: 1 }),
    one({ limit: -1 }),
    one({ limit: 1.5 }),
    one({ limit: "5" }),
    one({ limit: 2 ** 32 }),
  ],
  ...[one({ window: "1 week" }), one({ window: 0 }), one({ window: true }), one({ window: { every: "year" } })],
  ...[one({ window: { every: "day", zone: "UTC" } }), one({ window: { every: "month", startsOn: 32 } })],
  ...[
    one({ routes: [] }),
    one({ routes: ["a"] }),
    one({ routes: ["/:a-:b"] }),
    one({ routes: "/a" }),
    one({ routes: ["/*rest/a"] }),
    one({ methods: ["GET /login"] }),
    one({ block: "1h" }),
    { ...one({}), fields: "time" },
    { ...one({}), fields: { tme: "at" } },
    { ...one({}), fields: { time: 1 } },
    { ...one({}), $schema: 1 },
    one({ methods: [""] }),
  ],
  ...[
    one({ key: "ip" }),
    one({ key: [] }),
    one({ key: { header: "" } }),
    one({ key: { header: "a b" } }),
    one({ key: { path: 0 } }),
  ],
  ...[
    one({ key: { header: "a", field: "b" } }),
    one({ ipv6Subnet: 129 }),
    one({ algorithm: "gcra" }),
    one({ cost: -1 }),
  ],
  ...[
    one({ align: "day" }),
    one({ onDenied: "no" }),
    one({ block: { after: 0, for: "1m" } }),
    one({ block: { after: 1 } }),
  ],
  ...[one({ tiers: [] }), one({ tiers: { pro: "free" } }), one({ tiers: { pro: { name: "b" } } }), one({ shadow: 1 })],
];

const validate = new Ajv({ allErrors: true }).compile(schema);

function isRead(document: unknown): boolean {
  try {
    new PolicyRules(document);
    return true;
  } catch (error) {
    if (error instanceof TypeError && error.message.startsWith("PolicyRules")) return false;
    throw error;
  }
}

Deno.test("the JSON Schema and the program take the same documents, and refuse the same", () => {
  for (const document of GOOD) {
    assertEquals([validate(document), isRead(document)], [true, true], JSON.stringify([document, validate.errors]));
  }
  for (const document of BAD) {
    assertEquals([validate(document), isRead(document)], [false, false], JSON.stringify(document));
  }
});

Deno.test("every property has a description, which editors show", () => {
  const { policy, calendar } = schema.definitions;
  for (const [name, property] of Object.entries({ ...policy.properties, ...schema.properties })) {
    const named = schema.definitions[name as "limit"] ?? {};
    assertEquals(typeof ((property as { description?: string }).description ?? named.description), "string", name);
  }
  assertEquals(typeof calendar.description, "string");
});
