import { assertEquals } from "@std/assert";
import { rateLimit, type RateLimitOptions } from "@sluice/sluice";
import { rateLimit as reference } from "express-rate-limit";
import { ask, quietApp } from "../../support/app.ts";
import { random } from "../../support/random.ts";

/** A store for the reference limiter, whose own store has timers and no settable clock. */
class ClockedStore {
  readonly #windows = new Map<string, { totalHits: number; resetTime: Date }>();
  #windowMs = 0;
  constructor(readonly clock: () => number) {}
  init({ windowMs }: { windowMs: number }): void {
    this.#windowMs = windowMs;
  }
  increment(key: string): { totalHits: number; resetTime: Date } {
    const now = this.clock();
    let window = this.#windows.get(key);
    if (window === undefined || window.resetTime.getTime() <= now) {
      window = { totalHits: 0, resetTime: new Date(now + this.#windowMs) };
      this.#windows.set(key, window);
    }
    window.totalHits++;
    return { ...window };
  }
  decrement(): void {}
  resetKey(key: string): void {
    this.#windows.delete(key);
  }
}

/** The remaining count that the reference reports for a request, `null` if it refuses the request. */
async function referenceRest(limiter: ReturnType<typeof reference>, key: string): Promise<number | null> {
  const headers = new Map<string, string>();
  let limited = false;
  const res = {
    headersSent: false,
    writableEnded: false,
    setHeader: (name: string, value: string) => headers.set(name.toLowerCase(), value),
    append: (name: string, value: string) => headers.set(name.toLowerCase(), value),
    status: () => res,
    send: () => limited = true,
  };
  // deno-lint-ignore no-explicit-any -- the reference's types are those of Express
  await limiter({ key, app: { get: () => false }, headers: {} } as any, res as any, () => {});
  return limited ? null : Number(headers.get("x-ratelimit-remaining"));
}

Deno.test("admits the same requests with the same remaining count as express-rate-limit", async () => {
  const pick = random(23);
  for (let round = 0; round < 10; round++) {
    const [limit, windowMs] = [1 + pick(6), 1 + pick(3000)];
    let now = 1_000_000;
    const clock = () => now;
    const theirs = reference({
      limit,
      windowMs,
      validate: false,
      keyGenerator: (req) => (req as unknown as { key: string }).key,
      store: new ClockedStore(clock),
    });
    const options: RateLimitOptions = { limit: limit, windowMs, clock, keyGenerator: (req) => req.get("x-key") };
    const app = quietApp().use(rateLimit(options), (_req, res) => res.send("in"));
    for (let i = 0; i < 200; i++) {
      now += pick(400);
      const key = `k${pick(4)}`;
      const response = await ask(app, "/", { headers: { "x-key": key } });
      const ours = response.status === 200 ? Number(response.headers.get("x-ratelimit-remaining")) : null;
      assertEquals(ours, await referenceRest(theirs, key), `request ${i} of round ${round}`);
    }
  }
});
