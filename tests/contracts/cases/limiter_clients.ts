import { assertEquals } from "@std/assert";
import { type Ask, type Chapter, chapter, seen } from "../case.ts";
import { hextet } from "./limiter.ts";

/** The status for a user's request from an address behind the proxy. */
async function from(ask: Ask, path: string, address: string, user: string): Promise<unknown> {
  return (await seen(ask, path, { headers: { "x-forwarded-for": address, "x-client": user } }))[0];
}

export const limiterClients: Chapter = chapter("Limits for a client and something else", (it) => {
  for (
    const [name, path] of [["the limiter", "/limits/composite"], ["@sluice/rate-limit", "/advanced/composite"]] as const
  ) {
    it(`${name}: with clientKey, all addresses of a /64 share the quota of each user`, async ({ ask, flag }) => {
      const net = `2001:db8:${hextet(flag)}`;
      const statuses: unknown[] = [];
      for (const host of ["::1", "::2", "::3", ":0:1:2:3:4"]) statuses.push(await from(ask, path, net + host, flag));
      assertEquals(statuses, [200, 200, 429, 429]);
      assertEquals(await from(ask, path, `${net}::4`, `${flag}b`), 200);
      assertEquals(await from(ask, path, `${net}:1::1`, flag), 200);
    }, "forwarded");
  }

  it("@sluice/rate-limit: a request that costs 0 is free", async ({ ask, flag }) => {
    const path = "/advanced/composite";
    for (const status of [200, 200, 429]) assertEquals(await from(ask, path, "203.0.113.9", flag), status);
    assertEquals(await from(ask, `${path}?free`, "203.0.113.9", flag), 200);
  });
});
