import { assertEquals } from "@std/assert";
import { Limiter, MemoryStore, type Store } from "../../mod.ts";
import { VirtualClock } from "../../testing.ts";
import { Deadline } from "../../src/wrappers/deadline.ts";
import { seededRandom } from "../../src/testing/seeded_random.ts";

function setUp() {
  const clock = new VirtualClock();
  const expired: string[] = [];
  const deadline = new Deadline(100, clock.timers);
  const after = (name: string) => deadline.after(() => void expired.push(name));
  return { clock, deadline, expired, after };
}

Deno.test("a deadline expires after its time and not before", () => {
  const { clock, expired, after } = setUp();
  after("a");
  clock.advance(98);
  assertEquals(expired, []);
  clock.advance(2);
  assertEquals(expired, ["a"]);
  assertEquals(clock.pendingTimers, 0);
});

Deno.test("one timer serves all pending deadlines, and none is left when nothing is pending", () => {
  const { clock, expired, after } = setUp();
  const cancels = Array.from({ length: 1000 }, (_, i) => {
    if (i % 100 === 0) clock.advance(5);
    return after(`${i}`);
  });
  assertEquals(clock.pendingTimers, 1);
  for (const cancel of cancels) {
    assertEquals(clock.pendingTimers, 1);
    cancel();
  }
  assertEquals(clock.pendingTimers, 0);
  clock.advance(1000);
  assertEquals(expired, []);
});

Deno.test("cancelling twice, or after the end, does not affect the others", () => {
  const { clock, expired, after } = setUp();
  const cancel = after("a");
  after("b");
  cancel();
  cancel();
  clock.advance(100);
  assertEquals(expired, ["b"]);
  cancel();
  const late = after("c");
  clock.advance(100);
  late();
  assertEquals(expired, ["b", "c"]);
  after("d");
  assertEquals(clock.pendingTimers, 1);
  clock.advance(100);
  assertEquals(expired, ["b", "c", "d"]);
  assertEquals(clock.pendingTimers, 0);
});

Deno.test("an expiring deadline may start a new one", () => {
  const { clock, deadline, expired } = setUp();
  const begin = (left: number) => {
    deadline.after(() => {
      expired.push(`${left}`);
      if (left > 0) begin(left - 1);
    });
  };
  begin(3);
  clock.advance(100);
  assertEquals(expired, ["3"]);
  clock.advance(300);
  assertEquals(expired, ["3", "2", "1", "0"]);
  assertEquals(clock.pendingTimers, 0);
});

Deno.test("with random starts and ends, everything expires when due, and nothing that has ended", () => {
  const { clock, deadline } = setUp();
  const pick = seededRandom(1);
  let time = 0;
  const open = new Map<number, { due: number; cancel: () => void }>();
  for (let step = 0; step < 20_000; step++) {
    const move = pick(4);
    if (move < 2) {
      const cancel = deadline.after(() => {
        // a timer may fire a ms early, and timers due together fire together
        const { due } = open.get(step)!;
        assertEquals(due - clock.timers.now() <= 1, true, `step ${step}`);
        open.delete(step);
      });
      open.set(step, { due: time + 100, cancel });
    } else if (open.size > 0 && move === 2) {
      const [id, { cancel }] = [...open][pick(open.size)]!;
      cancel();
      open.delete(id);
    } else {
      const ms = pick(12);
      time += ms;
      clock.advance(ms);
    }
    for (const { due } of open.values()) assertEquals(due > time, true, `step ${step}`);
    assertEquals(clock.pendingTimers, open.size === 0 ? 0 : 1, `step ${step}`);
  }
});

/** Timers in a busy process: time advances first, and only then does the due timer run. */
function busyTimers() {
  let now = 0;
  let timer: { fn: () => void; due: number } | null = null;
  const timers = {
    now: () => now,
    start(fn: () => void, ms: number) {
      timer = { fn, due: now + ms };
      return () => void (timer = null);
    },
  };
  const busyFor = (ms: number) => {
    now += ms;
    if (timer === null || timer.due > now) return;
    const { fn } = timer;
    timer = null;
    fn();
  };
  return { timers, busyFor };
}

Deno.test("what a process is late itself does not count: an operation has eight turns, and one to read its answer", () => {
  for (const lateBy of [0, 11, 130, 5000]) {
    const { timers, busyFor } = busyTimers();
    const expired: string[] = [];
    new Deadline(100, timers).after(() => void expired.push("silent"));
    for (let turn = 0; turn < 8; turn++) {
      busyFor(13 + lateBy);
      assertEquals(expired, [], `turn ${turn}, each of them ${lateBy} ms late`);
    }
    busyFor(lateBy);
    assertEquals(expired, ["silent"]);
  }
});

Deno.test("a turn that takes a few ms is not late: a busy process has no longer budgets", () => {
  for (const turnMs of [1, 5, 10]) {
    const { timers, busyFor } = busyTimers();
    const expired: string[] = [];
    new Deadline(100, timers).after(() => void expired.push("silent"));
    let time = 0;
    while (expired.length === 0) {
      busyFor(turnMs);
      time += turnMs;
    }
    assertEquals(time >= 100 && time <= 100 + 3 * turnMs, true, `${time} ms with turns of ${turnMs} ms`);
  }
});

Deno.test("an operation that begins in a late part is charged for no more of it than what is left", () => {
  const { timers, busyFor } = busyTimers();
  const expired: string[] = [];
  const deadline = new Deadline(100, timers);
  deadline.after(() => void expired.push("first"));
  // the process was busy for half a second, and started the second operation in the turn before the timer fires
  busyFor(12);
  deadline.after(() => void expired.push("second"));
  for (let turn = 0; turn < 8; turn++) busyFor(500);
  assertEquals(expired, []);
  busyFor(1);
  assertEquals(expired, ["first"]);
  busyFor(20);
  busyFor(20);
  assertEquals(expired, ["first", "second"]);
});

Deno.test("an answer that has arrived while the process was late is read first, however late it was", () => {
  const { timers, busyFor } = busyTimers();
  const expired: string[] = [];
  const deadline = new Deadline(100, timers);
  for (let times = 0; times < 3; times++) {
    const cancel = deadline.after(() => void expired.push("answered"));
    for (let turn = 0; turn < 8; turn++) busyFor(10_000);
    // a turn separates the last part from the decision
    cancel();
    busyFor(10_000);
  }
  assertEquals(expired, []);
});

Deno.test("a handler that computes for longer than the budget does not turn the store's answers into timeouts", async () => {
  const { timers, busyFor } = busyTimers();
  const memory = new MemoryStore();
  const responses: (() => void)[] = [];
  const store: Store = {
    capabilities: { ...memory.capabilities, scope: "global" },
    decide: (takes, times) => new Promise((resolve) => responses.push(() => resolve(memory.decide(takes, times)))),
    give: (...gift) => memory.give(...gift),
    reset: (selector) => memory.reset(selector),
  };
  const limiter = new Limiter({ store, limit: 1, denyCache: false, coalesce: false, timers });
  const asked = Array.from({ length: 20 }, () => Promise.resolve(limiter.consume("key")));
  busyFor(160);
  for (const response of responses) response();
  const decisions = await Promise.all(asked);
  assertEquals(decisions.filter(({ allowed }) => allowed).length, 1);
  assertEquals(decisions.every(({ decidedBy }) => decidedBy === "store"), true);
  assertEquals(limiter.counters.storeFailures, 0);
});
