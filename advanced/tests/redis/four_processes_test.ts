import { assert, assertEquals } from "@std/assert";
import type { LimitOptions } from "../../mod.ts";
import { Takers } from "../support/takers.ts";

const PROCESSES = 4;
const TAKES = 10_000;
const MAX = 3_333;

Deno.test("10 000 takes of one key by four processes at the same time admit exactly max", async (t) => {
  const url = Deno.env.get("REDIS_URL")!;
  await using takers = new Takers(PROCESSES);
  // a window that far outlasts the test, during which no token is refilled
  const windowMs = 2 ** 40;
  const limits: LimitOptions[] = [
    { algorithm: "fixed-window", windowMs, limit: MAX },
    { algorithm: "fixed-window", windowMs, limit: MAX, align: "clock" },
    { algorithm: "sliding-window", windowMs, limit: MAX },
    { algorithm: "sliding-log", windowMs, limit: MAX },
    { algorithm: "token-bucket", windowMs, limit: 1, burst: MAX },
    // the server scans all of a key's leases, so there are fewer
    { algorithm: "concurrency", windowMs, limit: 111 },
  ];
  for (const limit of limits) {
    for (const coalesce of [false, true]) {
      const how = `${limit.algorithm}${limit.align ? " by the clock" : ""}${coalesce ? ", merged" : ", one by one"}`;
      await t.step(how, async () => {
        const key = crypto.randomUUID();
        const sum = await takers.take(TAKES, { url, key, limit: { ...limit, name: `four ${how}` }, coalesce });
        assertEquals(sum, { admitted: limit.burst ?? limit.limit!, byStore: TAKES });
      });
    }
  }
  for (const algorithm of ["fixed-window", "sliding-window"] as const) {
    await t.step(`${algorithm}, with leases`, async () => {
      const key = crypto.randomUUID();
      const limit = { algorithm, windowMs, limit: MAX, name: `four ${algorithm} leased` };
      const { admitted, byStore } = await takers.take(TAKES, { url, key, limit, coalesce: true, leases: 50 });
      assertEquals(byStore, TAKES);
      // units that other processes had reserved at the first refusal may have been returned too late
      assert(admitted <= MAX && admitted >= MAX - (PROCESSES - 1) * 50, `${admitted} were admitted`);
    });
  }
});
