import { assert, assertEquals, assertRejects } from "@std/assert";
import {
  type CommitResult,
  type CommitTime,
  type CompareAndSet,
  fromCompareAndSet,
  type ListedValue,
  type Policy,
  type StateKey,
  type StateWrite,
  type VersionedValue,
} from "../../mod.ts";
import { VirtualClock } from "../../testing.ts";
import { decidesAsMemory, policyNamed } from "../support/random_trace.ts";

/** A database with its own clock, whose commits return the values they found. */
class TellingDatabase implements CompareAndSet {
  readonly commitsTell = true;
  readonly values = new Map<string, { key: StateKey; value: Uint8Array; version: number }>();
  readonly clock = new VirtualClock(1_000_000);
  reads = 0;
  commits = 0;
  version = 0;
  /** Whether commits report only that they wrote nothing, as when they cannot see the stored values. */
  isSilent = false;
  /** Runs before a command. */
  meanwhile: (() => void) | null = null;

  #at(key: StateKey): VersionedValue {
    const { value, version } = this.values.get(JSON.stringify(key)) ?? { value: null, version: null };
    return { value, version, now: this.clock.now };
  }

  async read(keys: readonly StateKey[]): Promise<VersionedValue[]> {
    this.reads++;
    await Promise.resolve();
    this.meanwhile?.();
    return keys.map((key) => this.#at(key));
  }

  async commit(writes: readonly StateWrite[], within?: CommitTime): Promise<boolean | CommitResult> {
    this.commits++;
    await Promise.resolve();
    this.meanwhile?.();
    assert(writes.length > 0 && writes.every((one) => one.value !== null || one.expected !== null));
    const { now } = this.clock;
    const fits = (within === undefined || now >= within.from && now <= within.until) &&
      writes.every(({ key, expected }) => this.#at(key).version === expected);
    if (!fits) return !this.isSilent && { written: false, values: writes.map(({ key }) => this.#at(key)) };
    for (const { key, value } of writes) {
      if (value === null) this.values.delete(JSON.stringify(key));
      else this.values.set(JSON.stringify(key), { key, value, version: ++this.version });
    }
    return { written: true, values: writes.map(({ key }) => this.#at(key)) };
  }

  delete(key: StateKey): void {
    this.values.delete(JSON.stringify(key));
  }

  async *list(policy: string, key?: string): AsyncGenerator<ListedValue> {
    for (const entry of [...this.values.values()]) {
      if (entry.key[0] === policy && (key === undefined || entry.key[1] === key)) {
        yield { ...entry, now: this.clock.now };
      }
    }
  }

  /** Commands since the last call, as reads and commits. */
  commands(): [reads: number, commits: number] {
    const { reads, commits } = this;
    this.reads = this.commits = 0;
    return [reads, commits];
  }
}

const FIXED: Policy = { name: "fixed", algorithm: "fixed-window", limit: 6, windowMs: 1000 };

/** A database, and a process whose clock measures only elapsed time. */
async function setUp() {
  const database = new TellingDatabase();
  const process = new VirtualClock(5);
  const store = fromCompareAndSet(database, { clock: process.read, pause: () => {} });
  // the first decision learns the time
  await store.decide([{ policy: FIXED, key: "first", cost: 1 }]);
  database.commands();
  const advance = (ms: number) => {
    database.clock.advance(ms);
    process.advance(ms);
  };
  const take = async (key: string, cost = 1) => (await store.decide([{ policy: FIXED, key, cost }]))[0]!;
  return { database, process, store, advance, take };
}

Deno.test("decides like the memory store on what was seen last, while another process takes turns", async () => {
  const { database, process } = await setUp();
  // two processes, in random order
  const stores = [0, 1, 2].map(() => fromCompareAndSet(database, { clock: process.read, pause: () => {} }));
  let calls = 0;
  const next = () => stores[(calls++ * 7 + Math.floor(calls / 3)) % 3]!;
  const together = {
    capabilities: stores[0]!.capabilities,
    decide: (...args: Parameters<typeof stores[0]["decide"]>) => next().decide(...args),
    give: (...args: Parameters<typeof stores[0]["give"]>) => next().give(...args),
    settle: (...args: Parameters<NonNullable<typeof stores[0]["settle"]>>) => next().settle!(...args),
    reset: (...args: Parameters<typeof stores[0]["reset"]>) => next().reset(...args),
  };
  const both = new VirtualClock(database.clock.now);
  const advance = both.advance.bind(both);
  both.advance = (ms) => {
    database.clock.advance(ms);
    process.advance(ms);
    return advance(ms);
  };
  assert(await decidesAsMemory(together, both, 3, 200) > 3000);
});

Deno.test("a grant is one commit, also of a key that is not known, and whatever is refused or looked at is read", async () => {
  const { database, take, advance } = await setUp();
  assertEquals([(await take("a", 4)).remaining, database.commands()], [2, [0, 1]]);
  advance(10);
  assertEquals([(await take("a", 2)).remaining, database.commands()], [0, [0, 1]]);
  assertEquals([(await take("a")).retryAfterMs, database.commands()], [990, [1, 0]]);
  assertEquals([(await take("a", 0)).remaining, database.commands()], [0, [1, 0]]);
  advance(990);
  assertEquals([(await take("a")).remaining, database.commands()], [5, [0, 1]]);
  // a key that was just refused is read first, whatever the cost
  assertEquals([(await take("a", 6)).denied, database.commands()], [true, [1, 0]]);
  assertEquals([(await take("a")).remaining, database.commands()], [4, [1, 1]]);
  assertEquals([(await take("a")).remaining, database.commands()], [3, [0, 1]]);
});

Deno.test("what another process has written is found by the commit, and decided on", async () => {
  const { database, take, process } = await setUp();
  const rival = fromCompareAndSet(database, { clock: process.read });
  await take("a");
  await rival.decide([{ policy: FIXED, key: "a", cost: 4 }]);
  database.commands();
  assertEquals([(await take("a")).remaining, database.commands()], [0, [0, 2]]);
  await take("b", 5);
  await rival.decide([{ policy: FIXED, key: "b", cost: 1 }]);
  database.commands();
  // the commit finds no units left, so it writes nothing
  assertEquals([(await take("b")).denied, database.commands()], [true, [0, 1]]);
});

Deno.test("a key that others change is read first, until they no longer do", async () => {
  const { database, take, process } = await setUp();
  const rival = fromCompareAndSet(database, { clock: process.read });
  await take("a");
  for (const commands of [[0, 2], [1, 1], [1, 1]]) {
    await rival.reset({ policy: "fixed", key: "a" });
    database.commands();
    assertEquals([(await take("a")).remaining, database.commands()], [5, commands]);
  }
  assertEquals([(await take("a")).remaining, database.commands()], [4, [1, 1]]);
  assertEquals([(await take("a")).remaining, database.commands()], [3, [0, 1]]);
});

Deno.test("a batch of which only some keys change is read first", async () => {
  const { database, store } = await setUp();
  const other = policyNamed("log");
  await store.decide([{ policy: FIXED, key: "a", cost: 1 }, { policy: other, key: "a", cost: 1 }]);
  assertEquals(database.commands(), [0, 1]);
  await store.decide([{ policy: FIXED, key: "a", cost: 1 }, { policy: other, key: "a", cost: 0 }]);
  assertEquals(database.commands(), [1, 1]);
});

Deno.test("a commit that does not say what it found is followed by a read", async () => {
  const { database, take, process } = await setUp();
  const rival = fromCompareAndSet(database, { clock: process.read });
  await take("a");
  await rival.decide([{ policy: FIXED, key: "a", cost: 3 }]);
  database.isSilent = true;
  database.commands();
  assertEquals([(await take("a")).remaining, database.commands()], [1, [1, 2]]);
});

Deno.test("a decision is never made for a time that the database has not reached", async () => {
  const { database, take, process } = await setUp();
  await take("a", 6);
  // by the process's clock, the window is over
  process.advance(1200);
  database.clock.advance(900);
  database.commands();
  const refused = await take("a");
  assertEquals([refused.denied, refused.retryAfterMs, database.commands()], [true, 100, [0, 1]]);
});

Deno.test("a decision that arrives later than it was made for is made again, and the next one is made for longer", async () => {
  const { database, take } = await setUp();
  let late = 0;
  database.meanwhile = () => void database.clock.advance(late);
  assertEquals([(await take("a", 5)).resetMs, database.commands()], [1000, [0, 1]]);
  late = 100;
  assertEquals([(await take("b", 5)).resetMs, database.commands()], [1000, [0, 2]]);
  late = 150;
  const begun = database.clock.now;
  assertEquals([(await take("b")).remaining, database.commands()], [0, [0, 1]]);
  // and its window ends no sooner than one that begins at the latest time
  late = 0;
  database.clock.advance(begun + 999 - database.clock.now);
  assert((await take("b")).denied);
});

Deno.test("a window that begins ends a whole window after it was committed, however late that was", async () => {
  for (const algorithm of ["fixed-window", "sliding-window", "sliding-log", "sliding-approximate"] as const) {
    const { database, store } = await setUp();
    const policy: Policy = { name: algorithm, algorithm, limit: 6, windowMs: 1000 };
    const take = async (key: string, cost: number) => (await store.decide([{ policy, key, cost }]))[0]!;
    let late = 200;
    database.meanwhile = () => void database.clock.advance(late);
    await take("a", 1);
    // the delay is known now, and the next part of a window begins in 90 ms
    late = 190;
    database.clock.advance(1910 - database.clock.now % 1000);
    assertEquals((await take("b", 6)).granted, 6);
    const committed = database.clock.now;
    late = 0;
    for (const ms of [1, 500, 899, 999]) {
      database.clock.advance(committed + ms - database.clock.now);
      assertEquals((await take("b", 6)).denied, true, `${algorithm} after ${ms} ms`);
    }
  }
});

Deno.test("a database whose clock is set back keeps counts that much longer, and nobody gets more", async () => {
  const { database, take, advance } = await setUp();
  await take("a", 6);
  database.clock.advance(-5000);
  const refused = await take("a");
  assertEquals([refused.denied, refused.retryAfterMs], [true, 6000]);
  database.commands();
  // the time in the last reply counts, so the next decision again needs one command
  assertEquals([(await take("b")).remaining, database.commands()], [5, [0, 1]]);
  advance(5999);
  assert((await take("a")).denied);
  advance(1);
  assertEquals((await take("a")).remaining, 5);
});

Deno.test("replies that overtake each other move no time", async () => {
  const { database, store, process } = await setUp();
  const { clock } = database;
  // two reads at once, whose replies arrive in the wrong order, a hundred times
  for (let i = 0; i < 100; i++) {
    let turn = 0;
    database.meanwhile = () => void clock.advance(turn++ === 0 ? 7 : -7);
    await Promise.all(["x", "y"].map((key) => store.decide([{ policy: FIXED, key, cost: 0 }])));
    database.meanwhile = null;
  }
  const [granted] = await store.decide([{ policy: FIXED, key: "a", cost: 6 }]);
  assertEquals(granted!.granted, 6);
  clock.advance(999);
  process.advance(999);
  const [refused] = await store.decide([{ policy: FIXED, key: "a", cost: 1 }]);
  assertEquals([refused!.denied, refused!.retryAfterMs], [true, 1]);
});

Deno.test("no key is decided on for a time before it was seen", async () => {
  const { database, store, process } = await setUp();
  const { clock } = database;
  const log: Policy = { name: "log", algorithm: "sliding-log", limit: 10, windowMs: 1000 };
  clock.advance(50);
  process.advance(50);
  await store.decide([{ policy: log, key: "a", cost: 1 }]);
  await store.decide([{ policy: log, key: "a", cost: 0 }]);
  // a reply that was in transit for long
  const { read } = database;
  database.read = async (keys) => {
    const values = await read.call(database, keys);
    clock.advance(40);
    process.advance(40);
    return values;
  };
  await store.decide([{ policy: log, key: "b", cost: 0 }]);
  clock.advance(5);
  process.advance(5);
  database.commands();
  const [granted] = await store.decide([{ policy: log, key: "a", cost: 1 }]);
  assertEquals([granted!.resetMs, database.commands()], [1000, [0, 1]]);
  const [other] = await store.decide([{ policy: log, key: "a", cost: 0 }]);
  // the time in the reply is 40 ms old
  assertEquals(other!.resetMs, 960);
});

Deno.test("keys that are new to a process are read first if others had the one before, until there is one that nobody has", async () => {
  const { database, process, take } = await setUp();
  const rival = fromCompareAndSet(database, { clock: process.read });
  for (const key of ["a", "b", "c"]) await rival.decide([{ policy: FIXED, key, cost: 1 }]);
  database.commands();
  const steps: [key: string, commands: [number, number]][] = [
    ["a", [0, 2]],
    ["b", [1, 1]],
    ["x", [1, 1]],
    ["y", [0, 1]],
    ["c", [0, 2]],
  ];
  for (const [key, commands] of steps) {
    await take(key);
    assertEquals(database.commands(), commands, key);
  }
});

Deno.test("values that are too long to be remembered are read", async () => {
  const { database, store } = await setUp();
  const long: Policy = { name: "long", algorithm: "sliding-window", limit: 1000, windowMs: 60_000, buckets: 200 };
  const take = { policy: long, key: "a", cost: 1 };
  await store.decide([take]);
  assertEquals(database.commands(), [0, 1]);
  await store.decide([take]);
  assertEquals(database.commands(), [1, 1]);
});

Deno.test("keys that were forgotten because there are too many cost what they cost before: two commands", async () => {
  const { database, store, take } = await setUp();
  await take("a");
  for (let i = 0; i < 20_000; i += 100) {
    await store.decide(Array.from({ length: 100 }, (_, k) => ({ policy: FIXED, key: `${i + k}`, cost: 1 })));
  }
  database.commands();
  assertEquals([(await take("a")).remaining, database.commands()], [4, [0, 2]]);
  assertEquals([(await take("a")).remaining, database.commands()], [3, [0, 1]]);
});

Deno.test("of two hundred takes at once in four processes that remember, exactly fifty of fifty are admitted", async () => {
  const database = new TellingDatabase();
  const policy: Policy = { ...FIXED, limit: 50 };
  const pause = () => new Promise<void>((resolve) => queueMicrotask(resolve));
  const stores = Array.from({ length: 4 }, () => fromCompareAndSet(database, { attempts: 300, pause }));
  const verdicts = await Promise.all(Array.from({ length: 200 }, async (_, i) => {
    return (await stores[i % 4]!.decide([{ policy, key: "a", cost: 1 }]))[0]!;
  }));
  assertEquals(verdicts.filter(({ granted }) => granted === 1).length, 50);
  assertEquals(verdicts.filter(({ denied }) => denied).length, 150);
});

Deno.test("a commit whose reply was lost is found out by the next one", async () => {
  const { database, store, take } = await setUp();
  await take("a");
  const { commit } = database;
  database.commit = async (writes, within) => {
    await commit.call(database, writes, within);
    throw new Error("the connection was lost");
  };
  await assertRejects(() => take("a"), Error, "the connection was lost");
  database.commit = commit;
  assertEquals((await take("a")).remaining, 3);
  assertEquals(await store.reset({ policy: "fixed", key: "a" }), 1);
});
