import { assertNotLate } from "../support/late/assert_not_late.ts";
import { lateKv, lateObjects, lateSqlite } from "../support/late/local_subjects.ts";

Deno.test("Deno KV grants as much as is documented while what is read and written is late by up to a second", async () => {
  const folder = await Deno.makeTempDir();
  await assertNotLate(lateKv(`${folder}/kv`), 3);
  await Deno.remove(folder, { recursive: true });
});

Deno.test("Durable Objects grant nothing for the past while requests and storage are late by up to a second", async () => {
  await assertNotLate(lateObjects(), 4);
});

Deno.test("SQLite grants nothing for the past while decisions are late by up to a second, and statements, too", async () => {
  const folder = await Deno.makeTempDir();
  await assertNotLate(lateSqlite(`${folder}/limits.db`), 5, 8);
  await Deno.remove(folder, { recursive: true });
});
