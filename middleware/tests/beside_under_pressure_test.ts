/** Readiness compared with Fastify's under-pressure: a load balancer sees the same results for the same service. */
import underPressure from "@fastify/under-pressure";
import { health } from "@sluice/middleware/health";
import sluice from "@sluice/sluice";
import { assertEquals } from "@std/assert";
import fastify from "fastify";

/** A check's results, in order. */
const OUTCOMES: readonly (() => unknown)[] = [
  () => Promise.resolve(true),
  () => Promise.resolve(false),
  () => Promise.reject(new Error("no database")),
  () => {
    throw new Error("no configuration");
  },
  () => Promise.resolve(true),
];

Deno.test("readiness has the statuses of under-pressure's route, whatever a check comes to", async () => {
  let outcome = OUTCOMES[0]!;
  const theirs = fastify();
  await theirs.register(underPressure.default ?? underPressure, {
    exposeStatusRoute: "/readyz",
    healthCheck: async () => await outcome() as boolean,
  });
  const ours = sluice().set("env", "test").use(health({ checks: { service: () => outcome() }, cacheMs: 0 }));
  const told: unknown[] = [];
  ours.on("error", (error) => told.push(error.message));
  try {
    for (const [i, one] of OUTCOMES.entries()) {
      outcome = one;
      const { statusCode } = await theirs.inject("/readyz");
      assertEquals((await ours.inject("/readyz")).status, statusCode, `outcome ${i}`);
    }
    assertEquals(told.length > 0, true);
  } finally {
    await theirs.close();
  }
});
