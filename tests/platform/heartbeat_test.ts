import { assert, assertEquals } from "@std/assert";
import { Heartbeat } from "../../src/platform/heartbeat.ts";

// a heartbeat does not keep the process running
let awake: ReturnType<typeof setInterval>;
Deno.test.beforeEach(() => void (awake = setInterval(() => {}, 1000)));
Deno.test.afterEach(() => clearInterval(awake));

/** A heartbeat that records its events. */
function watched(
  timeoutMs: number,
): { heart: Heartbeat; pings: () => number; pinged: Promise<void>; lost: Promise<number> } {
  let pings = 0;
  const [pinged, lost] = [Promise.withResolvers<void>(), Promise.withResolvers<number>()];
  const start = performance.now();
  const heart = new Heartbeat(timeoutMs, {
    ping: () => {
      pings++;
      pinged.resolve();
    },
    lost: () => lost.resolve(performance.now() - start),
  });
  return { heart, pings: () => pings, pinged: pinged.promise, lost: lost.promise };
}

Deno.test("a silent client gets one ping, and is given up after the full timeout", async () => {
  const { pings, lost } = watched(60);
  assert(await lost >= 59);
  assertEquals(pings(), 1);
});

Deno.test("anything received restarts the timeout", async () => {
  const { heart, pinged, pings, lost } = watched(60);
  await pinged;
  heart.heard();
  assert(await lost >= 89);
  assertEquals(pings(), 2);
});

Deno.test("a process that was busy when the timeout ended gives the client another chance", async () => {
  const { heart, pinged, lost } = watched(60);
  await pinged;
  // an answer that waits unread, like everything else meanwhile
  setTimeout(() => heart.heard(), 40);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
  assert(await lost > 150);
});

Deno.test("a heartbeat that was stopped, or has no timeout, leaves no timer", () => {
  watched(60).heart.stop();
  watched(0);
});
