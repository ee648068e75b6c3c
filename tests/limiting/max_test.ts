/** `max`, the name for `limit` in the limiter's specification and in older express-rate-limit versions. */
import { assertEquals } from "@std/assert";
import { Limiter, rateLimit as advanced } from "@sluice/rate-limit";
import sluice, { rateLimit } from "@sluice/sluice";
import type { Any } from "../support/sluice_and_express.ts";

const LIMITERS: Readonly<Record<string, (options: object) => Any>> = {
  core: rateLimit,
  "@sluice/rate-limit": advanced,
};

for (const [name, make] of Object.entries(LIMITERS)) {
  Deno.test(`the limiter of ${name} admits max requests, and refuses the next one`, async () => {
    const app = sluice().use(make({ windowMs: 60_000, max: 2, keyGenerator: () => "all" })).get(
      "/",
      (_req, res) => res.send("x"),
    );
    const statuses: number[] = [];
    for (let i = 0; i < 3; i++) {
      const response = await app.inject("/");
      statuses.push(response.status);
      assertEquals(response.headers.get("x-ratelimit-limit"), "2");
    }
    assertEquals(statuses, [200, 200, 429]);
  });
}

Deno.test("each of several limits may say max", async () => {
  const limiter = new Limiter({ limits: [{ name: "a", max: 1 }, { name: "b", limit: 5 }] });
  const allowed = [await limiter.consume("key"), await limiter.consume("key")].map((one) => one.allowed);
  assertEquals(allowed, [true, false]);
});
