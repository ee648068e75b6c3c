import { assertEquals } from "@std/assert";
import { type Chapter, chapter, text } from "../case.ts";
import { until } from "../../support/until.ts";

/** Metrics from `@sluice/middleware/metrics`. */
export const metrics: Chapter = chapter("Metrics", (it) => {
  it("requests are counted by their route and class of status", async ({ ask, flag }) => {
    const asked: Record<string, string> = { json: "2xx", response: "2xx", fails: "5xx" };
    const counts = async () => {
      const page = await text(ask, "/measured/page");
      return Object.entries(asked).map(([name, status]) =>
        Number(
          page.match(new RegExp(`_count{.*:flag/${name}",http_response_status_class="${status}"[^}]*} (\\d+)`))?.[1] ??
            0,
        )
      );
    };
    const before = await counts();
    for (const name of Object.keys(asked)) await text(ask, `/measured/of/${flag}/${name}`);
    // a response ends once it is sent; the client may see it earlier
    await until(async () => (await counts()).every((count, i) => count > before[i]!), "all are counted");
    assertEquals(await counts(), before.map((count) => count + 1));
  });
});
