import { assert, assertEquals } from "@std/assert";
import { VirtualClock } from "../../testing.ts";
import { CircuitBreaker } from "../../src/wrappers/circuit_breaker.ts";

function setUp() {
  const clock = new VirtualClock();
  let opened = 0;
  const breaker = new CircuitBreaker(clock.read, () => opened++);
  return { clock, breaker, opened: () => opened };
}

function fail(breaker: CircuitBreaker, times: number): void {
  for (let i = 0; i < times; i++) breaker.failed();
}

/** Time until a probe is let through, in ms. */
function pauseOf(clock: VirtualClock, breaker: CircuitBreaker): number {
  for (let ms = 0;; ms++) {
    if (breaker.mayAsk()) return ms;
    clock.advance(1);
  }
}

Deno.test("a breaker opens after five consecutive failures, and any success resets the count", () => {
  const { breaker, opened } = setUp();
  for (let row = 0; row < 3; row++) {
    fail(breaker, 4);
    assertEquals([breaker.isOpen, breaker.mayAsk()], [false, true]);
    breaker.succeeded();
  }
  fail(breaker, 5);
  assertEquals([breaker.isOpen, breaker.mayAsk(), opened()], [true, false, 1]);
});

Deno.test("an open breaker lets one probe through, and nothing else until that has an outcome", () => {
  const { clock, breaker } = setUp();
  fail(breaker, 5);
  pauseOf(clock, breaker);
  for (let times = 0; times < 10; times++) {
    assertEquals(breaker.mayAsk(), false);
    clock.advance(10_000);
  }
  breaker.succeeded();
  assertEquals([breaker.isOpen, breaker.mayAsk(), breaker.mayAsk()], [false, true, true]);
});

Deno.test("pauses start at half a second, double up to ten, and vary randomly by up to a quarter", () => {
  const first = new Set<number>();
  for (let run = 0; run < 50; run++) {
    const { clock, breaker, opened } = setUp();
    fail(breaker, 5);
    for (const pause of [500, 1000, 2000, 4000, 8000, 10_000, 10_000]) {
      const ms = pauseOf(clock, breaker);
      assert(ms >= pause * 0.75 && ms <= pause * 1.25 + 1, `${ms} ms in place of ${pause}`);
      if (pause === 500) first.add(ms);
      breaker.failed();
    }
    assertEquals(opened(), 1);
    // after a success, it starts with the short pause again
    pauseOf(clock, breaker);
    breaker.succeeded();
    fail(breaker, 5);
    assert(pauseOf(clock, breaker) <= 626);
    assertEquals(opened(), 2);
  }
  assert(first.size > 20, "processes that fail together do not retry together");
});

Deno.test("failures of decisions in flight when it opened do not lengthen the pause", () => {
  const { clock, breaker } = setUp();
  fail(breaker, 100);
  clock.advance(300);
  fail(breaker, 100);
  assert(pauseOf(clock, breaker) + 300 <= 626);
});
