import { assertNotLate } from "../support/late/assert_not_late.ts";
import { lateRedis } from "../support/late/redis_subject.ts";

Deno.test("Redis grants nothing for the past while commands and replies are late by up to a second", async () => {
  await assertNotLate(lateRedis(Deno.env.get("REDIS_URL")!), 2);
});
