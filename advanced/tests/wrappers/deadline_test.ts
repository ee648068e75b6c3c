import { assertEquals } from "@std/assert";
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

Deno.test("one timer serves everything that is under way, and none is left when nothing is", () => {
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

Deno.test("cancelling twice, or after the end, does nothing to the others", () => {
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

Deno.test("what expires may begin something new", () => {
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

Deno.test("in random order of beginnings and ends, everything expires when it is due, and nothing that ended", () => {
  const { clock, deadline } = setUp();
  const pick = seededRandom(1);
  let time = 0;
  const open = new Map<number, { due: number; cancel: () => void }>();
  for (let step = 0; step < 20_000; step++) {
    const move = pick(4);
    if (move < 2) {
      const cancel = deadline.after(() => {
        // a timer may come a ms early, and several that are due together come together
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
