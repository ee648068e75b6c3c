/** Work after the response. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { type Ask, type Chapter, chapter, json } from "../../../contracts/case.ts";
import { until } from "../../../support/until.ts";
import type { Behind, Plan } from "../behind.ts";

/**
 * Places an order, which is reported to the service behind it.
 *
 * @param ask Sends the program a request
 * @param plan How that service responds
 * @returns The order's id
 */
export async function order(ask: Ask, plan: Plan): Promise<string> {
  const response = await ask("/background/orders", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ items: [plan] }),
  });
  assertEquals(response.status, 202);
  return (await response.json()).id;
}

/** The cases; `behind` is the service that receives reports. */
export function background(behind: Behind): Chapter {
  const failures = async (ask: Ask, id: string): Promise<string[]> =>
    (await json(ask, "/background/failures") as string[]).filter((one) => one.includes(id));

  return chapter("background work", (it) => {
    it("the response does not wait for it", async ({ ask, flag }) => {
      const id = await order(ask, { flag, statuses: [200], isHeld: true });
      await behind.wait(`told ${flag} 1`);
      behind.happens(`release ${flag}`);
      await behind.wait(`responded ${flag} 1`);
      assertEquals(behind.keys(flag), [id]);
    });

    it("what fails for a while is tried again, with the same key", async ({ ask, flag }) => {
      const id = await order(ask, { flag, statuses: [503, 429, 500, 200] });
      await behind.wait(`responded ${flag} 4`);
      assertEquals(behind.keys(flag), [id, id, id, id]);
      assertEquals(await failures(ask, id), []);
    });

    it("what fails too often, or for good, is reported as work of the background", async ({ ask, flag }) => {
      for (const [statuses, tried] of [[[500, 500, 500, 500, 500], 5], [[400], 1], [[302], 1]] as const) {
        const own = `${flag}-${statuses[0]}`;
        const id = await order(ask, { flag: own, statuses: [...statuses] });
        await until(async () => (await failures(ask, id)).length === 1, "the failure is reported");
        assertMatch((await failures(ask, id))[0]!, /^background: Error: Order .* is not told: status \d+$/);
        assertEquals(behind.keys(own).length, tried);
      }
    });

    it("orders are told by themselves, each once", async ({ ask, flag }) => {
      const flags = Array.from({ length: 20 }, (_, i) => `${flag}-${i}`);
      const ids = await Promise.all(flags.map((own) => order(ask, { flag: own, statuses: [200] })));
      await Promise.all(flags.map((own) => behind.wait(`responded ${own} 1`)));
      assertEquals(flags.map((own) => behind.keys(own)), ids.map((id) => [id]));
      assert(new Set(ids).size === ids.length);
    });
  });
}
