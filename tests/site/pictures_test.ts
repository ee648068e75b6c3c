import { assertEquals } from "@std/assert";
import { pictures } from "../../scripts/site/pictures/pictures.ts";
import { admittedBy } from "../../scripts/site/pictures/window_edge.ts";

Deno.test("the pictures are what the implementation draws", async () => {
  for (const [name, svg] of await pictures()) {
    const committed = await Deno.readTextFile(new URL(`../../docs/${name}`, import.meta.url));
    assertEquals(committed, svg, `docs/${name} is not what it would be now: deno task docs:draw`);
  }
});

Deno.test("around a window's edge, exact algorithms admit the limit, and the others what is said of them", async () => {
  const most = async (name: Parameters<typeof admittedBy>[0]) => (await admittedBy(name)).most;
  assertEquals([await most("sliding-window"), await most("sliding-log")], [10, 10]);
  // 2 * max - 1 for a window that begins with the first request
  assertEquals(await most("fixed-window"), 19);
  assertEquals(await most("sliding-approximate") < 20, true);
  assertEquals(await most("token-bucket") <= 20, true);
});
