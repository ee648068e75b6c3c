import { assert, assertEquals } from "@std/assert";
import { Heartbeat } from "../../../src/platform/shared/heartbeat.ts";

// a heartbeat does not keep the process running
let awake: ReturnType<typeof setInterval>;
Deno.test.beforeEach(() => void (awake = setInterval(() => {}, 1000)));
Deno.test.afterEach(() => clearInterval(awake));

/** A heartbeat that records its events. */
function watched(
  timeoutMs: number,
  taken: () => number | null = () => null,
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
    taken,
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

/** A client that sends data all the time. */
async function talking(taken: () => number | null, lives: number): Promise<unknown> {
  const { heart, lost } = watched(60, taken);
  const talk = setInterval(() => heart.heard(), 5);
  const time = new Promise((resolve) => setTimeout(resolve, lives, "still there"));
  const end = await Promise.race([lost, time]);
  clearInterval(talk);
  heart.stop();
  return end;
}

Deno.test("a client that takes nothing of what waits for it is given up, whatever it sends", async () => {
  assert(Number(await talking(() => 5, 60_000)) >= 59);
});

Deno.test("a client that takes some of what waits for it, or has everything, stays as long as it sends", async () => {
  let taken = 0;
  assertEquals(await talking(() => taken++, 300), "still there");
  assertEquals(await talking(() => null, 300), "still there");
});

Deno.test("a process that was busy when the timeout ended gives the client another chance", async () => {
  const { heart, pinged, lost } = watched(60);
  await pinged;
  // an unread reply that waits while the process is busy, like everything else
  setTimeout(() => heart.heard(), 40);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
  assert(await lost > 150);
});

Deno.test("a heartbeat that was stopped, or has no timeout, leaves no timer", () => {
  watched(60).heart.stop();
  watched(0);
});

Deno.test("a client that is not read from for a while is pinged, and not given up until it could be heard again", async () => {
  const { heart, pings, lost } = watched(60);
  heart.pause();
  const time = new Promise((resolve) => setTimeout(resolve, 200, "still there"));
  assertEquals(await Promise.race([lost, time]), "still there");
  assert(pings() > 1, `${pings()} pings`);
  heart.resume();
  assert(await lost >= 259);
});
