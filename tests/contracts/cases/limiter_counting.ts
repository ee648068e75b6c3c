import { assertEquals } from "@std/assert";
import { type Chapter, chapter, json, seen, text } from "../case.ts";
import { admitted, hextet, pass, statuses, through } from "./limiter.ts";

const as = (client: string, more: Record<string, string> = {}) => ({ headers: { "x-client": client, ...more } });

export const algorithms: Chapter = chapter("@sluice/rate-limit: counting", (it) => {
  for (const name of ["fixed-window", "sliding-window", "sliding-log", "sliding-approximate", "token-bucket"]) {
    it(`${name} admits exactly as many as allowed when two hundred come at once`, async ({ ask, flag }) => {
      assertEquals(await admitted(ask, `/advanced/${name}`, flag, 200), 20);
    });
  }

  it("a new fixed window begins when the last one has ended, and not before", async ({ ask, flag }) => {
    assertEquals(await admitted(ask, "/advanced/fixed-window", flag, 25), 20);
    await pass(ask, 59_999);
    assertEquals(await admitted(ask, "/advanced/fixed-window", flag, 5), 0);
    await pass(ask, 1);
    assertEquals(await admitted(ask, "/advanced/fixed-window", flag, 25), 20);
  });

  for (const name of ["sliding-window", "sliding-log"]) {
    it(`${name} never admits more than allowed in any window`, async ({ ask, flag }) => {
      assertEquals(await admitted(ask, `/advanced/${name}`, flag, 10), 10);
      await pass(ask, 30_000);
      assertEquals(await admitted(ask, `/advanced/${name}`, flag, 20), 10);
      await pass(ask, 29_000);
      assertEquals(await admitted(ask, `/advanced/${name}`, flag, 5), 0);
      // a sliding window frees its permits late by at most a tenth of its length
      await pass(ask, 7_000);
      assertEquals(await admitted(ask, `/advanced/${name}`, flag, 20), 10);
    });
  }

  it("a token bucket refills gradually, up to its burst", async ({ ask, flag }) => {
    assertEquals(await statuses(ask, "/advanced/burst", flag, 3), [200, 200, 429]);
    await pass(ask, 10_000);
    assertEquals(await statuses(ask, "/advanced/burst", flag, 2), [200, 429]);
    await pass(ask, 60_000);
    assertEquals(await statuses(ask, "/advanced/burst", flag, 3), [200, 200, 429]);
  });

  it("several limits are decided together: a refusal charges none of them", async ({ ask, flag }) => {
    assertEquals(await statuses(ask, "/advanced/limits", flag, 3), [200, 429, 429]);
    for (let second = 0; second < 2; second++) {
      await pass(ask, 1000);
      assertEquals(await statuses(ask, "/advanced/limits", flag, 2), [200, 429]);
    }
    await pass(ask, 1000);
    assertEquals(await statuses(ask, "/advanced/limits", flag, 1), [429]);
  });

  it("each limit may have its own key", async ({ ask, flag }) => {
    const from = async (client: string) => (await seen(ask, "/advanced/by-keys", as(client, { "x-group": flag })))[0];
    assertEquals([await from(`${flag}a`), await from(`${flag}a`), await from(`${flag}b`)], [200, 429, 200]);
    assertEquals(await from(`${flag}c`), 429);
  });

  it("a request may cost more than one, and customers may have tiers", async ({ ask, flag }) => {
    assertEquals(await statuses(ask, "/advanced/costing?cost=8", flag, 2), [200, 429]);
    assertEquals(await statuses(ask, "/advanced/costing", flag, 3), [200, 200, 429]);
    assertEquals(await statuses(ask, "/advanced/tiers", flag, 2), [200, 429]);
    assertEquals(await statuses(ask, "/advanced/tiers?gold", flag, 3), [200, 200, 429]);
  });

  it("skipped requests are not counted", async ({ ask, flag }) => {
    assertEquals(await statuses(ask, "/advanced/skipping?free", flag, 3), [200, 200, 200]);
    assertEquals(await statuses(ask, "/advanced/skipping", flag, 2), [200, 429]);
  });

  it("a failed request is refunded", async ({ ask, flag }) => {
    assertEquals(await statuses(ask, "/advanced/forgiving/500", flag, 3), [500, 500, 500]);
    assertEquals(await statuses(ask, "/advanced/forgiving/200", flag, 2), [200, 429]);
  });

  it("a concurrency limit is released with the answer", async ({ ask, flag }) => {
    const path = "/advanced/concurrency";
    const first = text(ask, `${path}?until=${flag}`, as(flag));
    // refused as soon as the first request has been counted
    while ((await statuses(ask, path, flag, 1))[0] === 200);
    await text(ask, `${path}/${flag}`, { method: "POST" });
    assertEquals(await first, "done");
    while ((await statuses(ask, path, flag, 1))[0] === 429);
  });

  it("a caller may wait for its turn", async ({ ask, flag }) => {
    const path = `/advanced/turns/${flag}`;
    const take = () => text(ask, path, { method: "POST" });
    assertEquals(await take(), "your turn");
    const second = take();
    while (await json(ask, path) !== 2);
    assertEquals(await json(ask, path, { method: "DELETE" }), true);
    assertEquals(await second, "your turn");
  });

  it("a client that keeps sending after a refusal is blocked for longer", async ({ ask, flag }) => {
    assertEquals(await statuses(ask, "/advanced/blocking", flag, 4), [200, 200, 429, 429]);
    await pass(ask, 60_000);
    assertEquals(await statuses(ask, "/advanced/blocking", flag, 1), [429]);
    await pass(ask, 540_000);
    assertEquals(await statuses(ask, "/advanced/blocking", flag, 1), [200]);
  });

  it("an IPv6 client is its /64, and its site may have a limit of its own", async ({ ask, flag }) => {
    const from = (rest: string) => through(ask, "/advanced/behind-proxy", `2001:db8:${hextet(flag)}:${rest}`);
    assertEquals([await from("1::1"), await from("1::2"), await from("2::1"), await from("3::1")], [
      200,
      429,
      200,
      429,
    ]);
  }, "forwarded");
});
