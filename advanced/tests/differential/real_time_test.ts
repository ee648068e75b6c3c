/** How long requests wait on each path, in real time. */
import { assert, assertEquals } from "@std/assert";
import { MemoryStore } from "@sluice/rate-limit";
import { AsyncStore } from "../support/async_store.ts";
import { ENTRIES } from "./entries.ts";

/** 25 per second: one every 40 ms. */
const RATE = { algorithm: "token-bucket", limit: 25, windowMs: 1000 } as const;

/** When concurrent requests should leave, in ms. */
const CASES = {
  "from some units on": { options: { ...RATE, burst: 6, delay: { from: 3, maxMs: 500 } }, at: [0, 0, 0, 40, 80, 120] },
  "until there is room": { options: { ...RATE, burst: 3, delay: { maxMs: 500 } }, at: [0, 0, 0, 40, 80, 120] },
};

/** A busy machine makes some waits longer. A limiter that waits twice as long does so every time. */
const ATTEMPTS = 20;
/** How late a request may leave, in ms: less than the shortest wait. */
const LATE_MS = 30;

for (const subject of ENTRIES) {
  for (const [name, { options, at }] of Object.entries(CASES)) {
    for (const kind of ["memory", "async"] as const) {
      Deno.test(`${subject.name}, ${kind} store: requests wait as long as they should, ${name}`, async () => {
        let seen: number[] = [];
        for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
          const left: number[] = [];
          let start = 0;
          const store = kind === "memory" ? {} : { store: new AsyncStore(new MemoryStore()), processes: 1 };
          const served = await subject.serve(
            [{ ...options, ...store, keyGenerator: () => "key" }],
            undefined,
            () => void left.push(performance.now() - start),
          );
          try {
            start = performance.now();
            const responses = await Promise.all(at.map(() => served.ask("/hello")));
            assertEquals(responses.map(({ status }) => status), at.map(() => 200));
          } finally {
            await served.close();
            for (const limiter of served.limiters) await limiter.close();
          }
          seen = left.sort((a, b) => a - b);
          // a timer may be early by less than a ms, and the first request arrives shortly after the start
          seen.forEach((ms, i) => assert(ms >= at[i]! - 2, `request ${i} left after ${ms} ms`));
          if (seen.every((ms, i) => ms <= at[i]! + LATE_MS)) return;
        }
        assert(false, `in none of ${ATTEMPTS} attempts on time, at last after ${seen.map(Math.round)} ms`);
      });
    }
  }
}
