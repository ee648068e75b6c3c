import { fileURLToPath } from "node:url";
import { assert, assertEquals } from "@std/assert";
import { Miniflare } from "miniflare";
import type { Policy } from "../../src/policy/policy.ts";
import { MemoryStore } from "../../src/stores/memory_store.ts";
import type { Store, Take } from "../../src/policy/store.ts";
import { said } from "../../src/testing/contract/contract_run.ts";
import { seededRandom } from "../../src/testing/seeded_random.ts";
import { VirtualClock } from "../../src/testing/virtual_clock.ts";
import { until } from "../../../tests/support/until.ts";
import { assertNotLate } from "../support/late/assert_not_late.ts";
import { policyNamed } from "../support/random_trace.ts";

// the worker returns its store's results; every request sets its objects' clock
const WORKER = `
import { DurableObjectStore } from ${JSON.stringify(source("durable_object_store.ts"))};
import { RateLimitObject } from ${JSON.stringify(source("rate_limit_object.ts"))};

let now = null;
export class ClockedObject extends RateLimitObject {
  constructor(state, env) {
    super(state, env, () => now ?? Date.now());
    this.storage = state.storage;
  }
  async fetch(request) {
    if (request.method === "POST") return await super.fetch(request);
    if (request.method === "PUT") this.storage.sql.exec("CREATE TABLE IF NOT EXISTS own (value)");
    return Response.json([(await this.storage.list()).size, this.storage.sql.databaseSize]);
  }
  async alarm() {
    now = null;
    await super.alarm();
  }
}

export default {
  async fetch(request, { RATE_LIMIT }) {
    const { time, verb, input } = await request.json();
    if (time !== null) now = time;
    if (verb === "stored") {
      const [key, method] = input;
      return await RATE_LIMIT.get(RATE_LIMIT.idFromName(key)).fetch("https://object.test/", { method });
    }
    const store = new DurableObjectStore({ namespace: RATE_LIMIT });
    const result = await store[verb](...input);
    return Response.json(result, { headers: { globals: [typeof Deno, typeof process].join() } });
  },
};
`;

function source(file: string): string {
  return new URL(`../../src/stores/${file}`, import.meta.url).href;
}

/** Maps the package's imports. */
const CONFIG = fileURLToPath(new URL("../../../deno.json", import.meta.url));

async function bundle(folder: string): Promise<string> {
  await Deno.writeTextFile(`${folder}/worker.js`, WORKER);
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["bundle", "--quiet", "--platform", "browser", "--config", CONFIG],
      ...["-o", `${folder}/bundle.js`, `${folder}/worker.js`],
    ],
    cwd: folder,
  }).output();
  assert(success, new TextDecoder().decode(stderr));
  return await Deno.readTextFile(`${folder}/bundle.js`);
}

/** A store inside workerd, and a way to restart the runtime with the same storage. */
interface Workerd {
  store: Store;
  clock: VirtualClock;
  useClock(clock: VirtualClock | null): void;
  restart(): Promise<void>;
  /** Types for globals that exist only in other runtimes. */
  globals(): string;
  /** Records that a key's object has stored, and its database's size in bytes. PUT adds another table. */
  stored(key: string, method?: "GET" | "PUT"): Promise<[records: number, bytes: number]>;
}

async function withWorkerd(body: (workerd: Workerd) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  let miniflare: Miniflare | undefined;
  try {
    const script = await bundle(folder);
    const start = () =>
      new Miniflare({
        modules: true,
        script,
        compatibilityDate: "2025-01-01",
        durableObjects: { RATE_LIMIT: { className: "ClockedObject", useSQLite: true } },
        durableObjectsPersist: `${folder}/storage`,
      });
    miniflare = start();
    // far ahead of the system's clock, which triggers alarms
    const clock = new VirtualClock(4_000_000_000_000);
    let used: VirtualClock | null = clock;
    let globals = "";
    const ask = async (verb: string, ...input: unknown[]) => {
      const request = { method: "POST", body: JSON.stringify({ time: used?.now ?? null, verb, input }) };
      const response = await miniflare!.dispatchFetch("http://worker.test/", request);
      const text = await response.text();
      assertEquals(response.status, 200, text);
      globals = response.headers.get("globals") ?? "";
      return JSON.parse(text, (name, value) => name === "retryAfterMs" ? value ?? Infinity : value);
    };
    await body({
      store: {
        capabilities: new MemoryStore().capabilities,
        decide: (...input) => ask("decide", ...input),
        give: (...input) => ask("give", ...input),
        settle: (...input) => ask("settle", ...input),
        reset: (...input) => ask("reset", ...input),
      },
      clock,
      useClock: (other) => used = other,
      async restart() {
        await miniflare!.dispose();
        miniflare = start();
      },
      globals: () => globals,
      stored: (key, method = "GET") => ask("stored", key, method),
    });
  } finally {
    await miniflare?.dispose();
    await Deno.remove(folder, { recursive: true });
  }
}

// each algorithm once, each effect of a refusal once, and debts where supported
const NAMES = ["fixed/charge", "aligned", "sliding/extend", "log/block", "approximate", "bucket", "leases"];
const DEBTS = ["fixed/debts", "sliding/debts", "log/debts", "approximate/debts", "bucket/debts"];
const POLICIES = [...NAMES, ...DEBTS].map(policyNamed);

// workerd is a separate process, and miniflare keeps connections to it
const OPTIONS = { sanitizeOps: false, sanitizeResources: false };

Deno.test("in workerd it decides like the memory store, also after a restart", OPTIONS, async () => {
  await withWorkerd(async ({ store, clock, restart, globals }) => {
    const memory = new MemoryStore({ clock: clock.read });
    const pick = seededRandom(11);
    const grants: { take: Take; mine: number; theirs: number }[] = [];
    for (let step = 0; step < 1200; step++) {
      if (step === 400 || step === 800) await restart();
      clock.advance(pick(4) === 0 ? pick(300) : pick(10));
      if (pick(6) === 0 && grants.length > 0) {
        const { take, mine, theirs } = grants.pop()!;
        if (take.policy.maxDebt !== undefined) {
          const change = pick(3) === 0 ? -1 : 1 + pick(20);
          const settled = await store.settle!(take, mine, change);
          assertEquals(said(settled), said(memory.settle(take, theirs, change)), `settle at step ${step}`);
          continue;
        }
        assertEquals(await store.give(take, mine, 1), memory.give(take, theirs, 1), `give at step ${step}`);
        continue;
      }
      const n = pick(POLICIES.length);
      const key = `key ${pick(2)}`;
      const takes: Take[] = [{ policy: POLICIES[n]!, key, cost: pick(4) }];
      if (pick(3) === 0) takes.push({ policy: POLICIES[(n + 3) % POLICIES.length]!, key, cost: pick(3) });
      const expected = memory.decide(takes);
      const actual = await store.decide(takes);
      const seen = { step, takes };
      assertEquals({ ...seen, verdicts: actual.map(said) }, { ...seen, verdicts: expected.map(said) });
      takes.forEach((take, i) => {
        if (expected[i]!.granted > 0) grants.push({ take, mine: actual[i]!.stamp, theirs: expected[i]!.stamp });
      });
    }
    assertEquals(globals(), "undefined,undefined");
  });
});

Deno.test(
  "in workerd, of two hundred concurrent takes exactly fifty are admitted, by the objects' own clock",
  OPTIONS,
  async () => {
    await withWorkerd(async ({ store, useClock }) => {
      useClock(null);
      const policy: Policy = { name: "fixed", algorithm: "fixed-window", limit: 50, windowMs: 600_000 };
      const verdicts = await Promise.all(
        Array.from({ length: 200 }, async () => (await store.decide([{ policy, key: "a", cost: 1 }]))[0]!),
      );
      assertEquals(verdicts.filter(({ granted }) => granted === 1).length, 50);
      assert(verdicts.every(({ resetMs }) => resetMs > 0 && resetMs <= 600_000));
    });
  },
);

Deno.test("in workerd nothing is granted for the past while requests are late by up to a second", OPTIONS, async () => {
  await withWorkerd(async ({ store, useClock }) => {
    useClock(null);
    await assertNotLate({
      name: "Durable Objects in workerd",
      earlyMs: () => 0,
      connect: (wire) => ({
        store: { ...store, decide: (takes, times) => wire.pass(() => store.decide(takes, times)) },
        close() {},
      }),
    }, 8);
  });
});

Deno.test("in workerd the alarm deletes what has expired, and the database with it", OPTIONS, async () => {
  await withWorkerd(async ({ store, stored, useClock }) => {
    const [, fresh] = await stored("a");
    await stored("b", "PUT");
    // the alarm is due immediately by the system clock, which is used from here on
    useClock(new VirtualClock(Date.now() - 60_000));
    for (const key of ["a", "b"]) await store.decide([{ policy: POLICIES[0]!, key, cost: 1 }]);
    useClock(null);
    await until(async () => (await stored("a"))[1] === fresh, "the end of a's database");
    await until(async () => (await stored("b"))[0] === 0, "the end of b's record");
    // a subclass has a table there
    assert((await stored("b"))[1] > fresh);
    assertEquals((await store.decide([{ policy: POLICIES[0]!, key: "a", cost: 1 }]))[0]!.granted, 1);
  });
});
