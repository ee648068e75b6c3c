import { assertNotLate } from "../support/late/assert_not_late.ts";
import { latePostgres } from "../support/late/postgres_subject.ts";

Deno.test("PostgreSQL grants nothing for the past while statements and replies are late by up to a second", async () => {
  await assertNotLate(latePostgres(Deno.env.get("POSTGRES_URL")!), 1);
});
